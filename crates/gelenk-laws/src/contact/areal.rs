//! Pressure of an elastic layer with damping, without tension (hippmann 4.27 to 4.31).

use gelenk_math::Real;

/// Parameters of a layer between two surfaces, per area.
///
/// With the penetration `u > 0` and the speed of approach `v`:
///
/// ```text
/// p = max(0, c u + d v min(1, u/u_d))
/// ```
///
/// The ramp up to the depth `u_d` keeps the damping from jumping at the first touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Areal<T> {
    /// Stiffness `c` (N/m^3).
    pub stiffness: T,
    /// Damping `d` (N s/m^3).
    pub damping: T,
    /// Penetration `u_d` of full damping (m); zero damps fully at once.
    pub depth: T,
}

impl<T: Real> Areal<T> {
    /// Pressure (N/m^2) and its elastic part, at a penetration (m) and the speed of approach (m/s).
    #[inline]
    pub fn pressure(&self, penetration: T, approach: T) -> [T; 2] {
        if penetration.re() <= 0.0 {
            return [T::c(0.0); 2];
        }
        let elastic = self.stiffness * penetration;
        let ramp = if penetration.re() < self.depth.re() { penetration / self.depth } else { T::c(1.0) };
        let pressure = elastic + self.damping * approach * ramp;
        [if pressure.re() > 0.0 { pressure } else { T::c(0.0) }, elastic]
    }

    /// Elastic energy per area (J/m^2): `c u^2/2`.
    #[inline]
    pub fn stored(&self, penetration: T) -> T {
        if penetration.re() <= 0.0 {
            return T::c(0.0);
        }
        T::c(0.5) * self.stiffness * penetration * penetration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYER: Areal<f64> = Areal { stiffness: 1e6, damping: 500.0, depth: 1e-3 };

    /// H-R28: half the damping at half the depth, all of it from the depth on, no tension, nothing apart.
    #[test]
    fn damping_blends_in() {
        assert_eq!(LAYER.pressure(5e-4, 2.0), [1000.0, 500.0]);
        assert_eq!(LAYER.pressure(2e-3, 2.0), [3000.0, 2000.0]);
        assert_eq!(LAYER.pressure(5e-4, -1e3), [0.0, 500.0]);
        assert_eq!(LAYER.pressure(0.0, 1.0), [0.0, 0.0]);
        let at_once = Areal { depth: 0.0, ..LAYER };
        assert_eq!(at_once.pressure(1e-9, 2.0), [1000.001, 0.001]);
    }

    /// H-R28: what is not elastic takes energy away, also where tension is cut off.
    #[test]
    fn damping_is_passive() {
        for depth in [1e-5, 3e-4, 2e-3] {
            for speed in [-100.0, -1.0, -1e-3, 0.0, 1e-3, 10.0] {
                let [pressure, elastic] = LAYER.pressure(depth, speed);
                assert!((pressure - elastic) * speed >= 0.0);
            }
        }
    }
}
