//! Which surface should be the master, and which one the first (hippmann 5.3, case H-3b).

use super::pair::{Master, Pair};
use super::surface::Surface;

/// Advice for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// Typical edge of the triangles of both surfaces (m): that of an equilateral triangle of the mean area.
    pub edges: [f64; 2],
    /// The finer surface as master; both where they are alike within a factor of two.
    pub master: Master,
    /// Whether the surfaces should change places for the box test of the thesis: the one with the larger boxes first.
    pub exchange: bool,
    /// Whether the present master is much coarser than its slave, so that bodies fall between its centroids.
    pub coarse_master: bool,
}

fn edge(surface: &Surface) -> f64 {
    let mean = surface.areas().iter().sum::<f64>() / surface.areas().len() as f64;
    (mean * 4.0 / 3f64.sqrt()).sqrt()
}

impl Pair {
    /// The surface with the finer triangles as master; both where they are alike within a factor of two.
    pub fn finer(first: &Surface, second: &Surface) -> Master {
        let ratio = edge(first) / edge(second);
        if ratio > 2.0 {
            Master::Second
        } else if ratio < 0.5 {
            Master::First
        } else {
            Master::Both
        }
    }

    /// Advice from the sizes of the triangles. H-R60.
    pub fn advice(&self) -> Advice {
        let edges = [edge(&self.first), edge(&self.second)];
        let ratio = edges[0] / edges[1];
        let master = Self::finer(&self.first, &self.second);
        let coarse_master = matches!(
            (self.settings.master, master),
            (Master::First, Master::Second) | (Master::Second, Master::First)
        );
        Advice { edges, master, exchange: ratio < 0.5, coarse_master }
    }
}
