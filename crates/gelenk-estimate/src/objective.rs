//! The residual with its length and finiteness checked.

use gelenk_solve::least_squares::Failure;

use crate::unknown::{Coordinate, Unknown, describe};
use crate::{FitError, least_squares::Residual};

/// The residual of a problem whose number of components is known.
pub(crate) struct Objective<'a> {
    pub(crate) unknowns: &'a [Unknown],
    pub(crate) coordinates: &'a [Coordinate],
    residual: &'a Residual<'a>,
    length: usize,
}

/// A point of the search.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// Search coordinates.
    pub(crate) u: Vec<f64>,
    /// Unknowns.
    pub(crate) values: Vec<f64>,
}

impl<'a> Objective<'a> {
    /// Evaluates the start, which fixes the number of components.
    pub(crate) fn start(
        unknowns: &'a [Unknown],
        coordinates: &'a [Coordinate],
        residual: &'a Residual<'a>,
    ) -> Result<(Self, Point, Vec<f64>), FitError> {
        // The values as given, not through a logarithm and back.
        let values: Vec<f64> = unknowns.iter().map(|k| k.start).collect();
        let at_start = |message| FitError::ResidualAtStart { values: describe(unknowns, &values), message };
        let r = residual(&values).map_err(at_start)?;
        if r.is_empty() {
            return Err(FitError::EmptyResidual);
        }
        let objective = Self { unknowns, coordinates, residual, length: r.len() };
        let u = coordinates.iter().map(|c| c.start).collect();
        Ok((objective, Point { u, values }, r))
    }

    /// The point at the search coordinates `u`.
    pub(crate) fn point(&self, u: Vec<f64>) -> Result<Point, Failure<FitError>> {
        let values: Vec<f64> = self.coordinates.iter().zip(&u).map(|(c, &u)| c.value(u)).collect();
        if values.iter().any(|v| !v.is_finite()) {
            return Err(Failure::Point("an unknown became infinite".to_owned()));
        }
        Ok(Point { u, values })
    }

    /// The residual at a point.
    pub(crate) fn residual_at(&self, point: &Point) -> Result<Vec<f64>, Failure<FitError>> {
        let residual = (self.residual)(&point.values).map_err(Failure::Point)?;
        if residual.len() != self.length {
            return Err(Failure::Problem(FitError::ResidualLength {
                expected: self.length,
                got: residual.len(),
                values: describe(self.unknowns, &point.values),
            }));
        }
        match residual.iter().position(|r| !r.is_finite()) {
            Some(i) => Err(Failure::Point(format!("component {i} of the residual is not finite"))),
            None => Ok(residual),
        }
    }
}
