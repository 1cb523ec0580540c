//! Preisach hysteresis.

use gelenk_math::Real;
use gelenk_record::Change;

use super::curve::{sign, within};
use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties};

/// A spring and Preisach operators of the displacement (ruderman 3.12):
/// `F = k x + sum_j S_j P_j(x)`, where `P_j` is the mean of all relays `gamma_(alpha, beta)` with thresholds in
/// `-R_j <= beta <= alpha <= R_j`.
///
/// With a uniform density every `P_j` has a closed form in the turning points: on the first branch `(x/R)^2 sgn(x)`, and
/// from one turning point to the next `(dx)^2/(2 R^2)`. Several ranges make other densities. Positive weights lag behind
/// the displacement, as a magnet does, and give out energy; negative ones with `k = 2 sum |S_j|/R_j` soften like
/// friction before sliding and dissipate. It is a law of presliding: beyond the ranges the spring is left.
///
/// State: the displacement. Memory: the direction, the displacement of the last look, the number of turning points kept,
/// and those, alternating and shrinking: a larger swing wipes out the smaller ones. Beyond 64 the
/// innermost pair is given up.
pub struct Preisach;

/// Turning points that are kept.
const TURNS: usize = 64;
const DIRECTION: usize = 0;
const LAST: usize = 1;
const COUNT: usize = 2;
const FIRST: usize = 3;

/// `k` and the lists of weights and ranges.
#[inline]
fn split<T>(p: &[T]) -> (&[T], &[T]) {
    let lists = p.get(1..).unwrap_or_default();
    lists.split_at(lists.len() / 2)
}

/// Turning points in memory that displacement `x` does not wipe out, and whether `x` lies on the first branch.
///
/// The first turning point is the largest displacement so far; the mirrored one has the same magnitude.
#[inline]
fn kept(turns: &[f64], x: f64) -> usize {
    match turns.first() {
        // A displacement beyond all before is on the first branch again.
        Some(first) if x.abs() < first.abs() => {}
        _ => return 0,
    }
    let mut count = 1;
    while count + 1 < turns.len() && (x - turns[count]) * (x - turns[count + 1]) < 0.0 {
        count += 1;
    }
    // The last one stays if x lies between it and the one before.
    if count < turns.len() && (x - turns[count - 1]) * (x - turns[count]) < 0.0 {
        count += 1;
    }
    count
}

/// One operator with range `radius` at `x` after the turning points.
#[inline]
fn operator<T: Real>(turns: &[f64], x: T, radius: T) -> T {
    let square = T::c(2.0) * radius * radius;
    let clip = |at: f64| within(T::c(at), radius);
    let x = within(x, radius);
    let Some(&first) = turns.first() else {
        return x * x.abs() * T::c(2.0) / square;
    };
    let mut last = clip(first);
    let mut sum = last * last.abs() * T::c(2.0) / square;
    for &turn in &turns[1..] {
        let next = clip(turn);
        sum += (next - last) * (next - last).abs() / square;
        last = next;
    }
    sum + (x - last) * (x - last).abs() / square
}

#[inline]
fn effort<T: Real>(p: &[T], m: &[f64], x: T) -> T {
    let (weight, range) = split(p);
    let turns = turns(m);
    // A reversal that is not in the memory yet turns at the displacement of the last look.
    let ahead = x.re() - m[LAST];
    let mut y = p[0] * x;
    if ahead * m[DIRECTION] < 0.0 {
        let mut extended = [0.0; TURNS + 1];
        let count = kept(turns, m[LAST]);
        extended[..count].copy_from_slice(&turns[..count]);
        extended[count] = m[LAST];
        let left = kept(&extended[..=count], x.re());
        for j in 0..weight.len() {
            y += weight[j] * operator(&extended[..left], x, range[j]);
        }
        return y;
    }
    let left = kept(turns, x.re());
    for j in 0..weight.len() {
        y += weight[j] * operator(&turns[..left], x, range[j]);
    }
    y
}

/// The turning points in memory.
#[inline]
fn turns(m: &[f64]) -> &[f64] {
    let count = m.get(COUNT).map_or(0, |&count| count as usize).min(TURNS);
    m.get(FIRST..FIRST + count).unwrap_or_default()
}

/// Keeps `x` as a turning point, and no more than there is room for.
fn push(m: &mut [f64], x: f64) {
    let mut count = kept(turns(m), x);
    if count == TURNS {
        // The innermost pair is the smallest loop.
        count -= 2;
    }
    m[FIRST + count] = x;
    m[COUNT] = (count + 1) as f64;
}

impl Law for Preisach {
    const SPEC: LawSpec = LawSpec {
        name: "preisach",
        title: "Preisach hysteresis",
        equation: "F = k x + sum S_j P_j(x),  P_j the mean of the relays with thresholds within -R_j..R_j",
        source: "ruderman 3.12; Preisach 1935",
        params: &[
            ParamSpec::positive(
                "stiffness",
                "k",
                Kind::Stiffness,
                "Stiffness of the spring in parallel with the relays.",
            )
            .or_zero()
            .or(0.0)
            .typical(&[8e4]),
            ParamSpec::positive(
                "weight",
                "S_j",
                Kind::Effort,
                "Effort of the relays of each range, of any sign.",
            )
            .signed()
            .each()
            .typical(&[-1.0]),
            ParamSpec::positive("range", "R_j", Kind::Displacement, "Largest threshold of each range.")
                .each()
                .typical(&[2.5e-5]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: false,
            rate_independent: true,
            memory: Memory::NonLocal,
            drifts: false,
            ..Properties::BRISTLE
        },
    };

    fn states(_: usize) -> usize {
        1
    }

    fn memory(_: usize) -> usize {
        FIRST + TURNS
    }

    fn switches(_: usize) -> usize {
        1
    }

    #[inline]
    fn rate<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T {
        dz[0] = v;
        effort(p, m, z[0])
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, h: f64, z1: &mut [T]) -> T {
        z1[0] = z[0] + v * T::c(h);
        effort(p, m, z1[0])
    }

    fn commit(_: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let ahead = z[0] - m[LAST];
        if ahead * m[DIRECTION] < 0.0 {
            push(m, m[LAST]);
        }
        if ahead != 0.0 {
            m[DIRECTION] = sign(ahead);
        } else if m[DIRECTION] == 0.0 {
            m[DIRECTION] = if v < 0.0 { -1.0 } else { 1.0 };
        }
        let count = kept(turns(m), z[0]);
        m[COUNT] = count as f64;
        m[LAST] = z[0];
    }

    fn switching(_: &[f64], _: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        g[0] = m[DIRECTION] * v;
    }

    fn switch(_: &[f64], _: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        push(m, z[0]);
        m[LAST] = z[0];
        m[DIRECTION] = -m[DIRECTION];
        Some(Change::Reverses)
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(split(p).1.iter().copied().fold(f64::MIN_POSITIVE, f64::max));
    }

    /// The effort at the edge of the largest range on the first branch.
    fn steady(p: &[f64], v: f64) -> f64 {
        let (weight, range) = split(p);
        let edge = range.iter().copied().fold(0.0, f64::max);
        sign(v) * (p[0] * edge + weight.iter().sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Driven, Friction};

    fn drive(law: &mut Driven, dx: f64) -> f64 {
        law.run(dx / 50.0, 1.0, 50);
        law.effort()
    }

    /// RU-R9: the operator in closed form against a grid of relays: the mean of `gamma` over the triangle of
    /// thresholds, on a path with minor loops and wiping-out.
    #[test]
    fn closed_form_equals_relays() {
        let mut law = Driven::new(Friction::Preisach, &[0.0, 1.0, 1.0], 1).unwrap();
        let n = 200;
        let threshold = |k: i32| (f64::from(k) + 0.5) / f64::from(n) * 2.0 - 1.0;
        // The virgin state has the relays above the diagonal alpha = -beta down.
        let mut relays: Vec<(f64, f64, f64)> = (0..n)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| {
                let (alpha, beta) = (threshold(i), threshold(j));
                (
                    alpha,
                    beta,
                    if alpha + beta > 1e-9 {
                        -1.0
                    } else if alpha + beta < -1e-9 {
                        1.0
                    } else {
                        0.0
                    },
                )
            })
            .collect();
        let (mut x, mut last) = (0.0, 0.0);
        for dx in [0.5, -0.3, 0.2, -0.1, 0.15, -0.2, 0.4, -1.2, 0.7, -0.4, 0.3, 0.9, -0.2] {
            for _ in 0..50 {
                x += dx / 50.0;
                for (alpha, beta, state) in &mut relays {
                    if x >= *alpha {
                        *state = 1.0;
                    } else if x <= *beta {
                        *state = -1.0;
                    }
                }
                last = law.step(dx / 50.0, 1.0);
            }
            let mean = relays.iter().map(|relay| relay.2).sum::<f64>() / relays.len() as f64;
            assert!((last - mean).abs() < 0.02, "{x}: {last} {mean}");
        }
        assert!(last.abs() > 0.3);
    }

    /// Wiping-out and congruency: a minor loop closes and is forgotten, and its shape does not depend on the history.
    #[test]
    fn minor_loops_close_and_are_congruent() {
        let p = [50.0, -1.0, 0.05];
        let mut law = Driven::new(Friction::Preisach, &p, 1).unwrap();
        let mut plain = law.clone();
        let departed = drive(&mut law, 0.03);
        let low = drive(&mut law, -0.01);
        assert!((drive(&mut law, 0.01) - departed).abs() < 1e-12);
        drive(&mut plain, 0.03);
        assert!((drive(&mut law, 0.01) - drive(&mut plain, 0.01)).abs() < 1e-12);
        // The same loop on the way back from further out has the same height.
        drive(&mut law, -0.01);
        let upper = law.effort();
        let lower = drive(&mut law, -0.01);
        drive(&mut law, 0.01);
        assert!((law.effort() - lower - (departed - low)).abs() < 0.2 && upper > lower);
    }

    /// Negative weights with `k = 2 S/R` soften to the level `S` at the edge of the range (closed form).
    #[test]
    fn friction_form_reaches_its_level() {
        let p = [40.0, -1.0, 0.05];
        let mut law = Driven::new(Friction::Preisach, &p, 1).unwrap();
        assert!((drive(&mut law, 0.025) - 0.75).abs() < 1e-12);
        assert!((drive(&mut law, 0.025) - 1.0).abs() < 1e-12);
        assert!((Preisach::steady(&p, 1.0) - 1.0).abs() < 1e-12);
    }

    /// More turning points than there is room for do not break anything.
    #[test]
    fn too_many_turning_points() {
        let mut law = Driven::new(Friction::Preisach, &[0.0, 1.0, 1.0], 1).unwrap();
        law.step(0.9, 1.0);
        for k in 0..200 {
            let size = 1.7 * 0.99f64.powi(k);
            law.step(if k % 2 == 0 { -size } else { size }, 1.0);
        }
        assert!(law.effort().is_finite() && law.state().1[COUNT] <= TURNS as f64);
    }
}
