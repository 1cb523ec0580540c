//! A mesh prepared for contact, once for all pairs that it is part of.

use std::fmt;
use std::sync::OnceLock;

use super::thesis::ThesisTree;
use super::tree::{Node, Tree};
use crate::adjacency::NONE;
use crate::vector::{V3, add, cross, dot, doubled_area, norm, scale, sub};
use crate::{Adjacency, MeshError, Repair, TriMesh};

/// Sizes that products of three coordinates survive.
const SIZES: [f64; 2] = [1e-80, 1e80];

/// How far a vertex may rise above the plane of a neighbour in a convex body, as part of the size: rounding in files.
const FLAT: f64 = 1e-6;

/// A surface of contact: neighbours, normals, areas, centroids and the tree of boxes of a mesh. H-R6.
pub struct Surface {
    mesh: TriMesh,
    adjacency: Adjacency,
    normals: Vec<V3>,
    areas: Vec<f64>,
    centroids: Vec<V3>,
    balls: Vec<f64>,
    tree: Tree,
    thesis: OnceLock<ThesisTree>,
    size: f64,
    closed: bool,
    convex: bool,
    inside_out: bool,
    thickness: f64,
    swing: f64,
    /// A vertex of every component.
    witnesses: Vec<u32>,
}

impl fmt::Debug for Surface {
    /// Shows the mesh, from which all else follows; what is made on demand must not change what a surface is said to be.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Surface").field("mesh", &self.mesh).finish_non_exhaustive()
    }
}

impl Surface {
    /// Whether a mesh has triangles and a size that volumes can be computed with.
    pub fn suits(mesh: &TriMesh) -> bool {
        let Some([low, high]) = mesh.bounding_box() else { return false };
        let far = low.iter().chain(&high).fold(0.0, |far: f64, x| far.max(x.abs()));
        !mesh.triangles().is_empty() && norm(sub(high, low)) > SIZES[0] && far < SIZES[1]
    }

    /// Prepares a mesh. Vertices at one place become one, and triangles of zero area go; nothing is turned.
    ///
    /// # Errors
    /// A mesh without triangles, or so large or small that its volumes cannot be computed.
    pub fn new(mesh: &TriMesh) -> Result<Self, MeshError> {
        let (mesh, _) = mesh.repaired(&Repair { orient: false, ..Repair::default() })?;
        let Some([low, high]) = mesh.bounding_box() else { return Err(MeshError::Empty) };
        let size = norm(sub(high, low));
        let far = low.iter().chain(&high).fold(0.0, |far: f64, x| far.max(x.abs()));
        if !(size > SIZES[0] && far < SIZES[1]) {
            return Err(MeshError::Size { size });
        }
        let adjacency = Adjacency::new(&mesh);
        let (mut normals, mut areas, mut centroids) = (Vec::new(), Vec::new(), Vec::new());
        let mut balls = Vec::new();
        let mut volume = 0.0;
        for corners in mesh.corners() {
            let doubled = doubled_area(corners);
            let length = norm(doubled);
            normals.push(scale(doubled, 1.0 / length));
            areas.push(length / 2.0);
            let [a, b, c] = corners;
            let middle = scale(add(add(a, b), c), 1.0 / 3.0);
            let far = corners.iter().map(|&corner| norm(sub(corner, middle))).fold(0.0, f64::max);
            centroids.push(middle);
            balls.push(far * far * (1.0 + 1e-6));
            volume += dot(sub(a, low), cross(sub(b, low), sub(c, low)));
        }
        let (component, count) = adjacency.components();
        let mut witnesses = vec![NONE; count];
        for (corners, &part) in mesh.triangles().iter().zip(&component) {
            if witnesses[part as usize] == NONE {
                witnesses[part as usize] = corners[0];
            }
        }
        let closed = adjacency.across.iter().flatten().all(|&t| t != NONE);
        let tree = Tree::new(&mesh, &centroids);
        let convex = count == 1 && bulges(&mesh, &adjacency, &normals, size);
        let Node { middle, half, .. } = tree.nodes()[0];
        let area: f64 = areas.iter().sum();
        let thinnest = 2.0 * half.iter().copied().fold(f64::INFINITY, f64::min);
        let thickness = match (closed, convex) {
            (false, _) => 0.0,
            (true, true) => thinnest,
            // Walls and tubes are thinner than the box around them: of a plate this is the thickness, of a tube half.
            (true, false) => thinnest.min(volume.abs() / 3.0 / area),
        };
        let reach = norm(half);
        let facing = centroids.iter().zip(&normals).map(|(&place, &normal)| dot(sub(place, middle), normal));
        let inner = if convex && closed { facing.fold(reach, f64::min).max(0.0) } else { 0.0 };
        Ok(Self {
            convex,
            thickness,
            swing: reach - inner,
            adjacency,
            normals,
            areas,
            centroids,
            balls,
            tree,
            thesis: OnceLock::new(),
            size,
            closed,
            inside_out: volume < 0.0,
            witnesses,
            mesh,
        })
    }

    /// The mesh, cleaned.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Neighbours.
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// Outward unit normals of the triangles.
    pub fn normals(&self) -> &[V3] {
        &self.normals
    }

    /// Areas of the triangles (m^2).
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// Centroids of the triangles (m).
    pub fn centroids(&self) -> &[V3] {
        &self.centroids
    }

    /// Squared radii of balls about the centroids that hold the triangles (m^2), a little generous.
    pub(crate) fn balls(&self) -> &[f64] {
        &self.balls
    }

    /// The tree of boxes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree of the thesis; made at its first use.
    pub fn thesis_tree(&self) -> &ThesisTree {
        self.thesis.get_or_init(|| ThesisTree::new(&self.mesh, &self.centroids))
    }

    /// Diagonal of the bounding box (m).
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Whether every edge has two triangles that agree.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the surface is flat or bulges outwards everywhere: a convex body, or a sheet on one.
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// How thick the body is where it is thin (m): that of a plate, half of a tube; zero for an open surface.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// How far the surface can come out or draw back where the body turns about the middle of its box (m): nothing for a
    /// ball.
    pub fn swing(&self) -> f64 {
        self.swing
    }

    #[inline]
    pub(crate) fn corners(&self, triangle: u32) -> [V3; 3] {
        let ([a, b, c], vertices) = (self.mesh.triangles()[triangle as usize], self.mesh.vertices());
        [vertices[a as usize], vertices[b as usize], vertices[c as usize]]
    }

    pub(crate) fn witnesses(&self) -> &[u32] {
        &self.witnesses
    }

    /// Whether a point, in the frame of the surface, lies inside the body; always `false` for an open surface. A body
    /// that is turned inside out is everything outside its surface.
    ///
    /// A line of an odd direction crosses a closed surface an odd number of times from inside.
    pub fn contains(&self, point: V3) -> bool {
        if !self.closed {
            return false;
        }
        let mut crossings = 0;
        let direction = [0.577_123, 0.211_927, 0.788_671];
        self.tree.along_line(point, direction, f64::INFINITY, &mut |triangle| {
            let [a, b, c] = self.corners(triangle).map(|corner| sub(corner, point));
            let turn = |p: V3, q: V3| dot(direction, cross(p, q)) > 0.0;
            let side = turn(a, b);
            if side == turn(b, c) && side == turn(c, a) {
                let ahead = dot(a, self.normals[triangle as usize]) > 0.0;
                let with = dot(direction, self.normals[triangle as usize]) > 0.0;
                crossings += usize::from(ahead == with);
            }
            f64::INFINITY
        });
        (crossings % 2 == 1) != self.inside_out
    }
}

/// Whether no triangle rises above the plane of a neighbour, but for rounding.
fn bulges(mesh: &TriMesh, adjacency: &Adjacency, normals: &[V3], size: f64) -> bool {
    let (triangles, vertices) = (mesh.triangles(), mesh.vertices());
    triangles.iter().enumerate().all(|(t, corners)| {
        let foot = vertices[corners[0] as usize];
        let across = adjacency.across[t].iter().filter(|&&other| other != NONE);
        across
            .flat_map(|&other| triangles[other as usize])
            .all(|vertex| dot(sub(vertices[vertex as usize], foot), normals[t]) <= FLAT * size)
    })
}
