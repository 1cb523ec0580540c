//! Elastic layers on rigid bodies (hippmann 3.3 c, 4.4.1).

use thiserror::Error;

/// A layer of an elastic material on a rigid core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Young's modulus `E` (N/m^2).
    pub modulus: f64,
    /// Poisson ratio, below 0.5; the model holds up to about 0.45.
    pub poisson: f64,
    /// Thickness `b` (m).
    pub depth: f64,
}

/// A layer that no material has, or a pair that cannot deform.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LayerError {
    /// A modulus or depth that is not greater than zero.
    #[error("{quantity} = {value} must be greater than zero")]
    NotPositive {
        /// Which one.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A Poisson ratio outside its range.
    #[error(
        "the Poisson ratio {0} must be greater than -1 and below 0.5; an incompressible layer cannot deform"
    )]
    Poisson(f64),
    /// Two rigid sides.
    #[error("both sides are rigid; give at least one of them a layer or a stiffness")]
    BothRigid,
}

impl Layer {
    /// Stiffness per area (N/m^3) of the layer under a pressure that cannot push it aside:
    ///
    /// ```text
    /// c = K/b,   K = (1 - nu) E/((1 + nu)(1 - 2 nu))
    /// ```
    ///
    /// # Errors
    /// Values that no material has.
    pub fn stiffness(&self) -> Result<f64, LayerError> {
        for (quantity, value) in [("modulus", self.modulus), ("depth", self.depth)] {
            if value.is_nan() || value <= 0.0 {
                return Err(LayerError::NotPositive { quantity, value });
            }
        }
        let nu = self.poisson;
        if !(nu > -1.0 && nu < 0.5) {
            return Err(LayerError::Poisson(nu));
        }
        Ok((1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)) * self.modulus / self.depth)
    }
}

/// Two layers on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// Stiffness per area of both in series (N/m^3).
    pub stiffness: f64,
    /// Share of the penetration that the first one takes, 0 to 1.
    pub share: f64,
}

impl Pairing {
    /// Two layers in series; `None` is a rigid side. `c = c_E c_F/(c_E + c_F)`, `lambda = c_F/(c_E + c_F)`.
    ///
    /// # Errors
    /// Both sides rigid.
    pub fn new(first: Option<f64>, second: Option<f64>) -> Result<Self, LayerError> {
        match (first, second) {
            (None, None) => Err(LayerError::BothRigid),
            (Some(stiffness), None) => Ok(Self { stiffness, share: 1.0 }),
            (None, Some(stiffness)) => Ok(Self { stiffness, share: 0.0 }),
            (Some(a), Some(b)) => Ok(Self { stiffness: a / (a + b) * b, share: b / (a + b) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }

    /// H-R27: the numbers of cases H-1, H-2, H-3 and H-4 of the specification.
    #[test]
    fn stiffness_of_the_cases() {
        let layer = |modulus, poisson, depth| Layer { modulus, poisson, depth }.stiffness().ok();
        let (tyre, road) = (layer(3.0e6, 0.4, 0.01), layer(5.0e6, 0.2, 0.001));
        near(tyre.unwrap_or(0.0), 6.4286e8);
        near(road.unwrap_or(0.0), 5.5556e9);
        let pair = Pairing::new(tyre, road).unwrap_or(Pairing { stiffness: 0.0, share: 0.0 });
        near(pair.stiffness, 5.7618e8);
        near(pair.share, 0.89629);
        let pair = Pairing::new(layer(105e9, 0.25, 0.02), layer(210e9, 0.3, 0.02));
        near(pair.map_or(0.0, |pair| pair.stiffness), 4.35771e12);
        near(pair.map_or(0.0, |pair| pair.share), 0.69171);
        let bubble = layer(5500.0, 0.4, 0.01);
        near(Pairing::new(bubble, None).map_or(0.0, |pair| pair.stiffness), 1.1786e6);
        near(Pairing::new(bubble, bubble).map_or(0.0, |pair| pair.stiffness), 5.893e5);
        let car = layer(6.0e5, 0.4, 0.01);
        near(Pairing::new(car, car).map_or(0.0, |pair| pair.stiffness), 6.429e7);
    }

    /// H-R27: rigid sides take nothing of the penetration, and two of them are refused.
    #[test]
    fn rigid_sides() {
        assert_eq!(Pairing::new(None, Some(2.0)), Ok(Pairing { stiffness: 2.0, share: 0.0 }));
        assert_eq!(Pairing::new(Some(2.0), None), Ok(Pairing { stiffness: 2.0, share: 1.0 }));
        assert_eq!(Pairing::new(None, None), Err(LayerError::BothRigid));
        assert!(Layer { modulus: 1.0, poisson: 0.5, depth: 1.0 }.stiffness().is_err());
        assert!(Layer { modulus: 0.0, poisson: 0.3, depth: 1.0 }.stiffness().is_err());
    }
}
