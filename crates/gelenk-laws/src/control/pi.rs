//! Proportional and integral control.

use gelenk_math::Real;

use super::contract::{Block, BlockPort, BlockSpec, Stage, Tick, relative};
use crate::contract::{ParamSpec, fixed};

/// `u = kp e + I`, `I += ki e T` with the error `e = target - measure`. With a limit, `|u| <= limit`, and the integral rests
/// while it would drive the output further into the limit.
pub struct Pi;

/// One step: output and integral after it.
#[inline]
pub(super) fn step<T: Real>(error: T, [kp, ki, limit]: [T; 3], period: f64, integral: T) -> [T; 2] {
    let wanted = kp * error + integral;
    let most = limit.re().abs();
    let value = match wanted.re() {
        w if w > most => T::c(1.0) * limit,
        w if w < -most => -limit,
        _ => wanted,
    };
    let rests = value.re() != wanted.re() && (wanted.re() - value.re()) * error.re() >= 0.0;
    [value, if rests { integral } else { integral + ki * error * T::c(period) }]
}

impl Block for Pi {
    const SPEC: BlockSpec = BlockSpec {
        name: "pi",
        title: "Proportional and integral control with anti-windup.",
        equation: "u = kp e + I, I += ki e T, |u| <= limit",
        source: "ruderman 3.15",
        stage: Stage::Control,
        inputs: &[
            BlockPort { name: "measure", kind: relative(1, 0, 0), meaning: "Measured value." },
            BlockPort { name: "target", kind: relative(1, 0, 0), meaning: "Target value." },
        ],
        params: &[
            ParamSpec::positive("kp", "kp", relative(-1, 1, 0), "Proportional gain: output over error.")
                .signed(),
            ParamSpec::positive(
                "ki",
                "ki",
                relative(-1, 1, -1),
                "Integral gain: output over error and second.",
            )
            .signed()
            .or(0.0),
            ParamSpec::positive(
                "limit",
                "",
                relative(0, 1, 0),
                "Largest magnitude of the output; the integral stops while it is reached.",
            )
            .or(f64::INFINITY),
        ],
        outputs: &[BlockPort { name: "", kind: relative(0, 1, 0), meaning: "output" }],
    };

    const MEMORY: usize = 1;

    fn tick<T: Real>(p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]) {
        [y[0], m[0]] = step(u[1] - u[0], fixed(p), tick.period, m[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed form: under a constant error the output rises by `ki e T` a tick, up to the limit; from there it comes back at
    /// once when the error turns, because the integral has rested.
    #[test]
    fn the_integral_rests_at_the_limit() {
        let (p, mut m, mut y) = ([2.0, 10.0, 3.0], [0.0], [0.0]);
        let mut tick = |target: f64, number: u64| {
            Pi::tick(&p, &[0.0, target], Tick { number, period: 0.01 }, &mut m, &mut y);
            (y[0], m[0])
        };
        for k in 0..10 {
            let (output, _) = tick(1.0, k);
            assert!((output - 2.0 - 0.1 * k as f64).abs() < 1e-12, "{k} {output}");
        }
        for k in 10..100 {
            assert!(tick(1.0, k).0 <= 3.0);
        }
        let (output, integral) = tick(-0.1, 100);
        assert!(integral < 1.11 && (output - (integral + 0.01 - 0.2)).abs() < 1e-12, "{output} {integral}");
    }
}
