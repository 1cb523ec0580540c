//! Force at a single place of contact by its depth and the rate of that.

use gelenk_math::Real;

/// How a contact at one place loses energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damped<T> {
    /// Not at all: `F = K d^n`.
    No,
    /// Kelvin-Voigt: a damper beside the spring, `F = K d^n + D v min(1, d/d_0)`.
    Viscous {
        /// Damping `D` (N s/m).
        damping: T,
        /// Depth `d_0` of full damping (m); zero damps fully at once.
        depth: T,
    },
    /// Hunt and Crossley (1975), *Coefficient of restitution interpreted as damping in vibroimpact*:
    /// `F = K d^n (1 + 3/2 alpha v)`. A body that hits a wall at a small speed `v_0` comes back with the restitution
    /// `e = 1 - alpha v_0`.
    HuntCrossley {
        /// Dissipation `alpha` (s/m).
        dissipation: T,
    },
    /// Lankarani and Nikravesh (1990), *A contact force model with hysteresis damping for impact analysis of multibody
    /// systems*: `F = K d^n (1 + 3 (1 - e^2)/4 v/v_0)` with the speed of approach `v_0` at the first touch. The
    /// restitution `e` is met near 1 and exceeded below.
    LankaraniNikravesh {
        /// Restitution `e`, 0 to 1.
        restitution: T,
        /// Speed of approach that is taken at least (m/s), greater than zero.
        slowest: T,
    },
}

/// Elastic contact at one place with damping, without tension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotLaw<T> {
    /// Stiffness `K` (N/m^n).
    pub stiffness: T,
    /// Exponent `n`: 1 linear, 3/2 between round bodies (Hertz).
    pub exponent: T,
    /// How it loses energy.
    pub damped: Damped<T>,
}

impl<T: Real> SpotLaw<T> {
    /// Force (N) and its elastic part at a depth (m), the speed of approach (m/s), and the speed of approach at which the
    /// contact began (m/s).
    #[inline]
    pub fn force(&self, depth: T, approach: T, impact: f64) -> [T; 2] {
        let none = T::c(0.0);
        if depth.re() <= 0.0 {
            return [none; 2];
        }
        let elastic = self.stiffness * power(depth, self.exponent);
        let damping = match self.damped {
            Damped::No => none,
            Damped::Viscous { damping, depth: full } => {
                let ramp = if depth.re() < full.re() { depth / full } else { T::c(1.0) };
                damping * approach * ramp
            }
            Damped::HuntCrossley { dissipation } => elastic * dissipation * approach * T::c(1.5),
            Damped::LankaraniNikravesh { restitution, slowest } => {
                let speed = if impact > slowest.re() { T::c(impact) } else { slowest };
                elastic * (T::c(1.0) - restitution * restitution) * T::c(0.75) * approach / speed
            }
        };
        let force = elastic + damping;
        [if force.re() > 0.0 { force } else { none }, elastic]
    }

    /// Elastic energy (J) at a depth: `K d^(n+1)/(n+1)`.
    #[inline]
    pub fn stored(&self, depth: T) -> T {
        if depth.re() <= 0.0 {
            return T::c(0.0);
        }
        self.stiffness * power(depth, self.exponent) * depth / (self.exponent + T::c(1.0))
    }
}

/// `d^n`, without a logarithm where the exponent is one of the usual ones.
#[inline]
fn power<T: Real>(depth: T, exponent: T) -> T {
    if exponent.is(1.0) {
        depth
    } else if exponent.is(1.5) {
        depth * depth.sqrt()
    } else {
        depth.powf(exponent)
    }
}

/// Hertz's stiffness between round bodies (N/m^1.5): `K = 4/3 E* sqrt(R)`, with `1/E* = sum (1 - nu^2)/E` and
/// `1/R = sum 1/R_i`. A rigid side has no `(E, nu)`, a flat one no radius; `None` where both sides are rigid or flat.
pub fn hertz_stiffness<T: Real>(materials: [Option<[T; 2]>; 2], radii: [Option<T>; 2]) -> Option<T> {
    let one = T::c(1.0);
    let sum = |parts: [Option<T>; 2]| match parts {
        [Some(a), Some(b)] => Some(a + b),
        [a, b] => a.or(b),
    };
    let compliance =
        sum(materials.map(|side| side.map(|[modulus, poisson]| (one - poisson * poisson) / modulus)))?;
    let curvature = sum(radii.map(|radius| radius.map(|radius| one / radius)))?;
    Some(T::c(4.0 / 3.0) / (compliance * curvature.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERTZ: SpotLaw<f64> = SpotLaw { stiffness: 1e7, exponent: 1.5, damped: Damped::No };

    /// A unit mass that hits the law at a speed; returns its speed afterwards, the greatest force, and the duration.
    fn rebound(law: &SpotLaw<f64>, speed: f64) -> [f64; 3] {
        let (mut d, mut v, mut t, mut peak) = (0.0, speed, 0.0, 0.0f64);
        // A twentieth of a thousandth of the duration of the undamped linear or Hertz contact, about.
        let depth =
            ((law.exponent + 1.0) * 0.5 * speed * speed / law.stiffness).powf(1.0 / (law.exponent + 1.0));
        let h = depth / speed / 2000.0;
        let rate = |d: f64, v: f64| {
            let [force, _] = law.force(d, v, speed);
            (v, -force)
        };
        loop {
            let (k1, l1) = rate(d, v);
            let (k2, l2) = rate(d + 0.5 * h * k1, v + 0.5 * h * l1);
            let (k3, l3) = rate(d + 0.5 * h * k2, v + 0.5 * h * l2);
            let (k4, l4) = rate(d + h * k3, v + h * l3);
            d += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
            t += h;
            peak = peak.max(law.force(d, v, speed)[0]);
            if d <= 0.0 || t > 1e5 * h {
                return [-v, peak, t];
            }
        }
    }

    fn near(found: f64, expected: f64, relative: f64) {
        assert!((found / expected - 1.0).abs() < relative, "{found} {expected}");
    }

    /// H-R36, closed forms of Hertz's impact of a unit mass at 1 m/s: greatest depth `(5/(4 K))^(2/5)`, duration
    /// `2.94326 d_max/v` (Goldsmith, *Impact*, 1960), no loss.
    #[test]
    fn hertz_impact() {
        let depth = (5.0 / (4.0 * 1e7f64)).powf(0.4);
        let [speed, peak, time] = rebound(&HERTZ, 1.0);
        near(speed, 1.0, 1e-6);
        near(peak, 1e7 * depth.powf(1.5), 1e-5);
        near(time, 2.943_26 * depth, 1e-3);
    }

    /// H-R36: a linear contact lasts half a period, `pi sqrt(m/k)`; its greatest force is `v sqrt(k m)`.
    #[test]
    fn linear_impact() {
        let law = SpotLaw { stiffness: 1e6, exponent: 1.0, damped: Damped::No };
        let [speed, peak, time] = rebound(&law, 2.0);
        near(speed, 2.0, 1e-6);
        near(peak, 2e3, 1e-5);
        near(time, std::f64::consts::PI * 1e-3, 1e-3);
    }

    /// H-R36: Hunt-Crossley. For small speeds `e = 1 - alpha v`; for any, energy over the loop gives
    /// `alpha v_0 3/2 = x` and `ln((1 + x)/(1 - e x)) = x (1 + e)`.
    #[test]
    fn hunt_crossley_restitution() {
        let law = |dissipation| SpotLaw { damped: Damped::HuntCrossley { dissipation }, ..HERTZ };
        let [slow, ..] = rebound(&law(0.02), 1.0);
        near(1.0 - slow, 0.02, 0.03);
        let [fast, ..] = rebound(&law(0.5), 1.0);
        let x = 0.75f64;
        near(((1.0 + x) / (1.0 - fast * x)).ln(), x * (1.0 + fast), 1e-5);
    }

    /// H-R36: Lankarani-Nikravesh is Hunt-Crossley with `x = 3 (1 - e^2)/4`, so its true restitution follows from the
    /// same equation: near 1 what was asked for, at every speed the same.
    #[test]
    fn lankarani_nikravesh_restitution() {
        let law = |restitution| SpotLaw {
            damped: Damped::LankaraniNikravesh { restitution, slowest: 1e-3 },
            ..HERTZ
        };
        for (asked, speed) in [(0.98, 0.1), (0.98, 3.0), (0.7, 1.0), (0.2, 1.0)] {
            let [back, ..] = rebound(&law(asked), speed);
            let (x, e) = (0.75 * (1.0 - asked * asked), back / speed);
            near(((1.0 + x) / (1.0 - e * x)).ln(), x * (1.0 + e), 1e-5);
            assert!(e > asked && (asked < 0.9 || e - asked < 1e-3), "{asked} {e}");
        }
    }

    /// H-R36: Kelvin-Voigt without tension: `e = exp(-2 z/w atan(w/z))`, `w = sqrt(1 - z^2)` with the damping ratio
    /// `z`, because the force ends before the depth does (Schwager and Poeschel, 2007).
    #[test]
    fn kelvin_voigt_restitution() {
        let (z, k) = (0.2f64, 1e6f64);
        let damped = Damped::Viscous { damping: 2.0 * z * k.sqrt(), depth: 0.0 };
        let [speed, ..] = rebound(&SpotLaw { stiffness: k, exponent: 1.0, damped }, 1.0);
        let w = (1.0 - z * z).sqrt();
        let end = (2.0 * z * w).atan2(2.0 * z * z - 1.0);
        near(speed, (-z / w * end).exp(), 1e-3);
        // Half of it at half the depth, and never a pull.
        let damped = Damped::Viscous { damping: 10.0, depth: 1e-3 };
        let law = SpotLaw { stiffness: 1e3, exponent: 1.0, damped };
        assert_eq!(law.force(5e-4, 1.0, 0.0), [5.5, 0.5]);
        assert_eq!(law.force(5e-4, -1.0, 0.0), [0.0, 0.5]);
    }

    /// Hertz's stiffness of steel (210 GPa, 0.3) on itself: `E* = E/(2 (1 - nu^2))`; a flat side and a rigid one.
    #[test]
    fn stiffness_of_hertz() {
        let steel = Some([210e9, 0.3]);
        let both = hertz_stiffness([steel, steel], [Some(0.1), Some(0.1)]);
        near(both.unwrap_or(0.0), 4.0 / 3.0 * 210e9 / 1.82 * 0.05f64.sqrt(), 1e-12);
        let rigid = hertz_stiffness([steel, None], [Some(0.1), None]);
        near(rigid.unwrap_or(0.0), 4.0 / 3.0 * 210e9 / 0.91 * 0.1f64.sqrt(), 1e-12);
        assert_eq!(hertz_stiffness([None::<[f64; 2]>; 2], [Some(0.1), None]), None);
        assert_eq!(hertz_stiffness([steel, None], [None; 2]), None);
    }

    /// Damping takes energy away, the stored energy is the integral of the elastic force.
    #[test]
    fn energy() {
        let dampings = [
            Damped::Viscous { damping: 1e3, depth: 1e-4 },
            Damped::HuntCrossley { dissipation: 0.4 },
            Damped::LankaraniNikravesh { restitution: 0.5, slowest: 0.1 },
        ];
        for damped in dampings {
            let law = SpotLaw { damped, ..HERTZ };
            for depth in [1e-6, 1e-4, 1e-3] {
                for speed in [-100.0, -0.1, 0.0, 0.1, 5.0] {
                    let [force, elastic] = law.force(depth, speed, 1.0);
                    assert!((force - elastic) * speed >= 0.0);
                }
                let e = 1e-4 * depth;
                let slope = (law.stored(depth + e) - law.stored(depth - e)) / (2.0 * e);
                near(slope, law.force(depth, 0.0, 1.0)[1], 1e-6);
            }
        }
    }
}
