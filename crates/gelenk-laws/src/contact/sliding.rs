//! Coulomb friction over a regularised sliding speed (hippmann 3.5.1, 4.34).

use gelenk_math::Real;

/// How friction rises from zero at rest to its level; all with the slope `2/v_e` at rest, `q = v/v_e`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Regularisation {
    /// `q (2 - q)` below `q = 1`, then 1: the form of the thesis, smooth where it ends.
    #[default]
    Quadratic,
    /// `2 q` below `q = 1/2`, then 1.
    Linear,
    /// `tanh(2 q)`.
    Tanh,
    /// `(2/pi) arctan(pi q)`, which reaches the level only at infinity.
    Arctan,
}

impl Regularisation {
    /// All forms, in the order of [`Regularisation::WORDS`].
    pub const ALL: [Self; 4] = [Self::Quadratic, Self::Linear, Self::Tanh, Self::Arctan];

    /// Their names in files.
    pub const WORDS: [&str; 4] = ["quadratic", "linear", "tanh", "arctan"];

    /// Share of the level at `q = v/v_e >= 0`, divided by `q`, so that rest is no division by zero.
    #[inline]
    pub fn share_over_q<T: Real>(self, q: T) -> T {
        let two = T::c(2.0);
        let at = q.re();
        match self {
            Self::Quadratic if at < 1.0 => two - q,
            Self::Linear if at < 0.5 => two,
            Self::Quadratic | Self::Linear => T::c(1.0) / q,
            // Below, the quotient is its limit but for a term in q^2.
            _ if at < 1e-5 => two,
            // Beyond, it is 1 to the last digit, and dual numbers would overflow on the way.
            Self::Tanh if at > 20.0 => T::c(1.0) / q,
            Self::Tanh => (two * q).tanh() / q,
            Self::Arctan => T::c(std::f64::consts::FRAC_2_PI) * (q * T::c(std::f64::consts::PI)).atan() / q,
        }
    }
}

/// Regularised Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliding<T> {
    /// Coefficient of friction.
    pub friction: T,
    /// Speed `v_e` of the regularisation (m/s), greater than zero.
    pub speed: T,
    /// Its form.
    pub form: Regularisation,
    /// Whether the factor is that of the velocity at hand, without its derivatives: for a step that is linearised once.
    /// Friction then is a damper within the step, which stops a motion and does not turn it round.
    pub lagged: bool,
}

impl<T: Real> Sliding<T> {
    /// What the sliding velocity is to be multiplied with for the friction force at a normal force (N) and a magnitude
    /// of that velocity (m/s): `mu F_n s(q)/v`, finite at rest.
    #[inline]
    pub fn factor(&self, normal: T, magnitude: T) -> T {
        let factor = self.friction * normal / self.speed * self.form.share_over_q(magnitude / self.speed);
        if self.lagged { T::c(factor.re()) } else { factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H-R29: table of specification 3.3 g: equal slopes at rest, levels, and the values of the closed forms.
    #[test]
    fn forms_have_their_values() {
        let share = |form: Regularisation, q: f64| form.share_over_q(q) * q;
        for form in Regularisation::ALL {
            assert!((form.share_over_q(1e-7) - 2.0).abs() < 1e-6, "{form:?}");
            assert!((share(form, 1e-4) / 1e-4 - 2.0).abs() < 1e-3);
        }
        assert_eq!(share(Regularisation::Quadratic, 0.5), 0.75);
        assert_eq!(share(Regularisation::Quadratic, 3.0), 1.0);
        assert_eq!(share(Regularisation::Linear, 0.25), 0.5);
        assert!((share(Regularisation::Tanh, 0.5) - 1f64.tanh()).abs() < 1e-15);
        assert!(
            (share(Regularisation::Arctan, 1.0) - 2.0 / std::f64::consts::PI * std::f64::consts::PI.atan())
                .abs()
                < 1e-15
        );
        let far = Regularisation::Tanh.share_over_q(gelenk_math::seed(1e4, 0));
        assert_eq!((far.re, gelenk_math::partial(far, 0)), (1e-4, -1e-8));
        let law = Sliding { friction: 0.25, speed: 2e-3, form: Regularisation::Quadratic, lagged: false };
        // Specification 3.10: at rest a damper of 2 mu F_n/v_e.
        assert_eq!(law.factor(19.62, 0.0), 2.0 * 0.25 * 19.62 / 2e-3);
    }
}
