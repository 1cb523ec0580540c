//! The residual with its length and finiteness checked.

use crate::unknown::{Coordinate, Unknown, describe};
use crate::{FitError, least_squares::Residual};

/// Why a point yields no residual.
#[derive(Debug)]
pub(crate) enum Failure {
    /// This point cannot be used; another may.
    Point(String),
    /// The problem itself is malformed.
    Problem(FitError),
}

/// The residual of a problem whose number of components is known.
pub(crate) struct Objective<'a> {
    pub(crate) unknowns: &'a [Unknown],
    pub(crate) coordinates: &'a [Coordinate],
    residual: &'a Residual<'a>,
    length: usize,
}

/// A point whose residual is finite.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// Search coordinates.
    pub(crate) u: Vec<f64>,
    /// Unknowns.
    pub(crate) values: Vec<f64>,
    pub(crate) residual: Vec<f64>,
    pub(crate) cost: f64,
}

impl<'a> Objective<'a> {
    /// Evaluates the start, which fixes the number of components.
    pub(crate) fn start(
        unknowns: &'a [Unknown],
        coordinates: &'a [Coordinate],
        residual: &'a Residual<'a>,
    ) -> Result<(Self, Point), FitError> {
        // The values as given, not through a logarithm and back.
        let values: Vec<f64> = unknowns.iter().map(|k| k.start).collect();
        let at_start = |message| FitError::ResidualAtStart { values: describe(unknowns, &values), message };
        let r = residual(&values).map_err(at_start)?;
        if r.is_empty() {
            return Err(FitError::EmptyResidual);
        }
        let cost = checked_cost(&r).map_err(at_start)?;
        let objective = Self { unknowns, coordinates, residual, length: r.len() };
        let u = coordinates.iter().map(|c| c.start).collect();
        let point = Point { u, values, residual: r, cost };
        Ok((objective, point))
    }

    /// Evaluates the residual at the search coordinates `u`.
    pub(crate) fn at(&self, u: Vec<f64>) -> Result<Point, Failure> {
        let values: Vec<f64> = self.coordinates.iter().zip(&u).map(|(c, &u)| c.value(u)).collect();
        if values.iter().any(|v| !v.is_finite()) {
            return Err(Failure::Point("an unknown became infinite".to_owned()));
        }
        let residual = (self.residual)(&values).map_err(Failure::Point)?;
        if residual.len() != self.length {
            return Err(Failure::Problem(FitError::ResidualLength {
                expected: self.length,
                got: residual.len(),
                values: describe(self.unknowns, &values),
            }));
        }
        let cost = checked_cost(&residual).map_err(Failure::Point)?;
        Ok(Point { u, values, residual, cost })
    }
}

/// Half the sum of squares, or what is not finite.
fn checked_cost(residual: &[f64]) -> Result<f64, String> {
    if let Some(i) = residual.iter().position(|r| !r.is_finite()) {
        return Err(format!("component {i} of the residual is not finite"));
    }
    let cost = 0.5 * residual.iter().map(|r| r * r).sum::<f64>();
    if cost.is_finite() {
        Ok(cost)
    } else {
        Err("the sum of squares of the residual is not finite".to_owned())
    }
}
