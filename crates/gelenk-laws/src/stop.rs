//! One-sided elastic stop with a damping ramp.

use gelenk_math::Real;

/// Parameters of a stop (stelzner 3.10).
///
/// With the penetration `e_p > 0` beyond the limit:
///
/// ```text
/// F_c = c e_p^e
/// F_d = d de_p/dt (3x^2 - 2x^3),   x = min(e_p/e_d, 1)
/// ```
///
/// The cubic ramp removes the jump of the damping force at contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop<T> {
    /// Stiffness `c`: N/m^e or N m/rad^e.
    pub stiffness: T,
    /// Exponent `e`, at least 1.
    pub exponent: T,
    /// Damping `d`: N s/m or N m s/rad.
    pub damping: T,
    /// Penetration `e_d` of full damping (m or rad); zero damps fully at once.
    pub depth: T,
    /// Whether the sum is kept from pulling on rebound; the thesis leaves it free.
    pub clamp: bool,
}

impl<T: Real> Stop<T> {
    /// Effort out of the stop, positive away from it, at `penetration` and its rate.
    #[inline]
    pub fn effort(&self, penetration: T, rate: T) -> T {
        if penetration.re() <= 0.0 {
            return T::c(0.0);
        }
        let [elastic, damping] = self.in_contact(penetration, rate);
        let effort = elastic + damping;
        if self.clamp && effort.re() < 0.0 { T::c(0.0) } else { effort }
    }

    /// Elastic and damping effort of the closed stop, as the thesis has them: without clamp, and continued smoothly to
    /// a small negative penetration. An integrator that locates the end of contact steps a little beyond it, and must
    /// not meet a kink there.
    #[inline]
    pub fn in_contact(&self, penetration: T, rate: T) -> [T; 2] {
        let elastic = if penetration.re() < 0.0 {
            -self.stiffness * (-penetration).powf(self.exponent)
        } else {
            self.stiffness * penetration.powf(self.exponent)
        };
        let ramp = if self.depth.re() > 0.0 && penetration.re() < self.depth.re() {
            let x = penetration / self.depth;
            x * x * (T::c(3.0) - T::c(2.0) * x)
        } else {
            T::c(1.0)
        };
        [elastic, self.damping * rate * ramp]
    }

    /// Elastic energy (J) at `penetration`: `c e_p^(e+1)/(e+1)`.
    #[inline]
    pub fn stored(&self, penetration: T) -> T {
        if penetration.re() <= 0.0 {
            return T::c(0.0);
        }
        let power = self.exponent + T::c(1.0);
        self.stiffness * penetration.powf(power) / power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: Stop<f64> = Stop { stiffness: 2000.0, exponent: 1.5, damping: 10.0, depth: 0.1, clamp: true };

    /// ST-R15: elastic part and ramp of stelzner 3.10: half damping at half depth, full from the depth on.
    #[test]
    fn ramp_is_half_at_half_depth() {
        assert!((STOP.effort(0.05, 1.0) - 2000.0 * 0.05f64.powf(1.5) - 5.0).abs() < 1e-12);
        assert!((STOP.effort(0.2, 1.0) - 2000.0 * 0.2f64.powf(1.5) - 10.0).abs() < 1e-12);
        assert_eq!(STOP.effort(-0.1, 1.0), 0.0);
    }

    #[test]
    fn clamp_keeps_from_pulling() {
        assert_eq!(STOP.effort(0.05, -1e4), 0.0);
        assert!(Stop { clamp: false, ..STOP }.effort(0.05, -1e4) < 0.0);
    }

    /// Beyond the end of contact the closed stop is continued as an odd function (closed form), and fully damped at once
    /// without a depth.
    #[test]
    fn the_closed_stop_is_continued() {
        let [before, _] = STOP.in_contact(-0.02, 0.0);
        assert!((before + 2000.0 * 0.02f64.powf(1.5)).abs() < 1e-12, "{before}");
        assert_eq!(Stop { depth: 0.0, ..STOP }.in_contact(0.0, 0.3), [0.0, 3.0]);
        assert_eq!(Stop { depth: 0.0, ..STOP }.in_contact(-0.02, 0.3)[1], 3.0);
    }

    /// The stored energy is the integral of the elastic effort.
    #[test]
    fn energy_is_the_integral_of_the_effort() {
        let step = 1e-6;
        let slope = (STOP.stored(0.05 + step) - STOP.stored(0.05 - step)) / (2.0 * step);
        assert!((slope - STOP.effort(0.05, 0.0)).abs() < 1e-5);
    }
}
