//! Losses of a gear under load.

use gelenk_math::Lockstep;

use super::curve::{VISCOUS, tanh};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Friction of a gear that transmits the load `T`: a share of it, which depends on the direction of power, on top of
/// what an unloaded gear takes.
///
/// ```text
/// F = (F_0 + loss |T|) tanh(2 v/v_eps) + F_v v
/// loss = 1/eta_d - 1      where the shaft drives the load, T v < 0
/// loss = 1 - eta_b        where the load drives the shaft, T v > 0
/// ```
///
/// `T` is the effort of the load on the coordinate, so it drives where it points along the motion. Then
/// `eta_d` is the share of the shaft's effort that arrives at the load, and `eta_b` the share of the load's effort that
/// arrives at the shaft (kubisch 3.2 and 7.1: losses proportional to the load, with the inverse effect when it is
/// driven back). With `eta_b = 0` it is self-locking.
pub struct GearLoss;

impl Law for GearLoss {
    const SPEC: LawSpec = LawSpec {
        name: "gear-loss",
        title: "Gear loss by load and direction of power",
        equation: "F = (F_0 + loss |T|) tanh(2 v/v_eps) + F_v v; loss = 1/eta_d - 1 driving, 1 - eta_b driven back",
        source: "kubisch 3.2, 7.1",
        params: &[
            ParamSpec::positive("load", "T", Kind::Effort, "Effort of the load on the coordinate.")
                .signed()
                .or(0.0)
                .typical(&[2.0]),
            ParamSpec::positive(
                "driving",
                "eta_d",
                Kind::Ratio,
                "Efficiency where the shaft drives the load.",
            )
            .or(1.0)
            .typical(&[0.7]),
            ParamSpec::positive(
                "backdriving",
                "eta_b",
                Kind::Ratio,
                "Efficiency where the load drives the shaft.",
            )
            .or_zero()
            .or(1.0)
            .typical(&[0.6]),
            ParamSpec::positive("idle", "F_0", Kind::Effort, "Level of the unloaded gear.")
                .or_zero()
                .or(0.0)
                .typical(&[0.1]),
            VISCOUS,
            ParamSpec::positive("band", "v_eps", Kind::Rate, "Velocity of the ramp through rest.").or(1e-3),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { odd: false, ..Properties::CURVE },
    };

    fn states(_: usize) -> usize {
        0
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], _: &[T], _: &[T::Plain], v: T, _: &mut [T]) -> T {
        let [load, driving, backdriving, idle, viscous, band] = fixed(p);
        let one = T::of(1.0);
        let loss = T::either((load * v).above(T::of(0.0)), || one - backdriving, || one / driving - one);
        (idle + loss * load.abs()) * tanh(v * T::of(2.0) / band) + viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate_lanes(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        for (param, name) in [(1, "driving"), (2, "backdriving")] {
            if p[param] > 1.0 {
                let reason = format!("{name} = {} is an efficiency; give at most 1", p[param]);
                return Err(LawError { law: Self::SPEC.name, param, reason });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-R37: a shaft that moves against the load 2 with efficiency 0.7 has to give `2/0.7`; of a load 2 that drives it
    /// back with efficiency 0.6 there arrives 1.2 (closed forms).
    #[test]
    fn loss_depends_on_the_direction_of_power() {
        let p = [2.0, 0.7, 0.6, 0.1, 0.0, 1e-6];
        assert!((GearLoss::steady(&p, -1.0) + 0.1 + (2.0 / 0.7 - 2.0)).abs() < 1e-12);
        assert!((GearLoss::steady(&p, 1.0) - 0.1 - (2.0 - 1.2)).abs() < 1e-12);
        assert!(GearLoss::validate(&[2.0, 1.2, 0.6, 0.1, 0.0, 1e-6]).is_err());
    }
}
