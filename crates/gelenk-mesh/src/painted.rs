//! Surfaces with colours, as files for pictures have them.

use crate::{Format, MeshError, TriMesh};
use std::ops::Range;

/// Triangles that one file may unfold to by repeating its parts; bounds the memory that a small file can ask for.
pub(crate) const MOST_TRIANGLES: usize = 20_000_000;

/// Red, green, blue and opacity from 0 to 1; sRGB, as pictures have it.
pub type Rgba = [f64; 4];

/// A surface and the colours of its triangles.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Painted {
    /// The surface.
    pub mesh: TriMesh,
    /// Runs of triangles in their order, which cover all of them.
    pub patches: Vec<Patch>,
    /// The file names textures, which are not read: its colours may differ from what its maker saw.
    pub textured: bool,
}

/// Triangles of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Their numbers.
    pub triangles: Range<usize>,
    /// Their colour, where the file says one.
    pub colour: Option<Rgba>,
}

/// Reads a file that another one names, such as the materials of an OBJ file; nothing where it cannot be had.
pub type Aside<'a> = &'a mut dyn FnMut(&str) -> Option<Vec<u8>>;

impl Painted {
    /// A surface without colours.
    pub fn plain(mesh: TriMesh) -> Self {
        let all = 0..mesh.triangles().len();
        let patches = if all.is_empty() { Vec::new() } else { vec![Patch { triangles: all, colour: None }] };
        Self { mesh, patches, textured: false }
    }

    /// Reads a file of the given format with its colours; `aside` reads files that it names.
    ///
    /// # Errors
    /// What is wrong, with its line or byte.
    pub fn from_bytes(format: Format, bytes: &[u8], aside: Aside<'_>) -> Result<Self, MeshError> {
        match format {
            Format::Obj => crate::obj::painted(&String::from_utf8_lossy(bytes), aside),
            Format::Dae => crate::dae::read(bytes),
            Format::Gltf => crate::gltf::read(bytes, aside),
            Format::Stl | Format::Ply | Format::Msh => TriMesh::from_bytes(format, bytes).map(Self::plain),
        }
    }

    /// The parts of one colour each, in the order in which the colours first occur.
    pub fn by_colour(&self) -> Vec<(Option<Rgba>, TriMesh)> {
        let mut colours: Vec<Option<Rgba>> = Vec::new();
        for patch in &self.patches {
            if !colours.contains(&patch.colour) {
                colours.push(patch.colour);
            }
        }
        if let [single] = colours.as_slice() {
            return vec![(*single, self.mesh.clone())];
        }
        let part = |colour: Option<Rgba>| {
            let runs = self.patches.iter().filter(|patch| patch.colour == colour);
            let numbers = runs.flat_map(|patch| patch.triangles.clone());
            (colour, self.mesh.part(numbers))
        };
        colours.into_iter().map(part).collect()
    }

    /// The same without vertices that no triangle has. Some programs leave such points behind, far from the shape.
    pub fn without_strays(mut self) -> Self {
        let mut used = vec![false; self.mesh.vertices().len()];
        for &corner in self.mesh.triangles().iter().flatten() {
            used[corner as usize] = true;
        }
        if used.contains(&false) {
            self.mesh = self.mesh.part(0..self.mesh.triangles().len());
        }
        self
    }

    /// The same with every vertex moved; a map that mirrors turns the triangles over, so that outside stays outside.
    ///
    /// # Errors
    /// A vertex is moved to no finite place.
    pub fn moved(&self, mirrors: bool, place: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Self, MeshError> {
        let moved = self.mesh.moved(place)?;
        let mesh = if mirrors { moved.reversed() } else { moved };
        Ok(Self { mesh, patches: self.patches.clone(), textured: self.textured })
    }
}

impl TriMesh {
    /// Some of the triangles, with the vertices that they need.
    #[must_use]
    pub fn part(&self, triangles: impl Iterator<Item = usize>) -> Self {
        let mut numbers = vec![u32::MAX; self.vertices().len()];
        let (mut vertices, mut kept) = (Vec::new(), Vec::new());
        for corners in triangles.filter_map(|triangle| self.triangles().get(triangle)) {
            kept.push(corners.map(|corner| {
                let number = &mut numbers[corner as usize];
                if *number == u32::MAX {
                    // There are no more vertices here than in the whole, so they can be counted.
                    *number = vertices.len() as u32;
                    vertices.push(self.vertices()[corner as usize]);
                }
                *number
            }));
        }
        Self::new(vertices, kept).unwrap_or_default()
    }
}

/// Collects triangles with their colours.
#[derive(Default)]
pub(crate) struct Collector {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    patches: Vec<Patch>,
    pub(crate) textured: bool,
}

impl Collector {
    /// Triangles so far.
    pub(crate) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Adds triangles of one colour, whose vertices are numbered from 0.
    pub(crate) fn add(
        &mut self,
        vertices: &[[f64; 3]],
        triangles: &[[u32; 3]],
        colour: Option<Rgba>,
    ) -> Result<(), MeshError> {
        let first = u32::try_from(self.vertices.len()).map_err(|_| MeshError::TooLarge)?;
        let total = self.triangles.len() + triangles.len();
        let fits = u32::try_from(self.vertices.len() + vertices.len()).is_ok();
        if total > MOST_TRIANGLES || self.vertices.len() + vertices.len() > 3 * MOST_TRIANGLES || !fits {
            return Err(MeshError::Unfolds { most: MOST_TRIANGLES });
        }
        let start = self.triangles.len();
        self.vertices.extend_from_slice(vertices);
        self.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        match self.patches.last_mut() {
            Some(last) if last.colour == colour => last.triangles.end = total,
            _ if total > start => self.patches.push(Patch { triangles: start..total, colour }),
            _ => {}
        }
        Ok(())
    }

    /// The surface.
    pub(crate) fn finish(self) -> Result<Painted, MeshError> {
        let mesh = TriMesh::new(self.vertices, self.triangles)?;
        Ok(Painted { mesh, patches: self.patches, textured: self.textured })
    }
}

/// An sRGB component from one in linear light.
pub(crate) fn srgb(linear: f64) -> f64 {
    let x = linear.clamp(0.0, 1.0);
    if x <= 0.003_130_8 { 12.92 * x } else { (1.055 * x.powf(1.0 / 2.4) - 0.055).clamp(0.0, 1.0) }
}
