//! Andrews' squeezing mechanism.

use gelenk_math::Real;
use gelenk_system::{Channel, Constrained, Fault, Hybrid, Layout, ParameterTable, Sampled, Stepped, System};

use super::ode::{channels, table};

/// Seven bodies in a plane with three loops, driven by a torque: the problem `andrews` of the test set for initial value problems
/// of Bari, in its own names. The unknowns are the angles `beta, Theta, gamma, Phi, delta, Omega, epsilon`.
#[derive(Debug)]
pub struct Andrews {
    parameters: ParameterTable,
    channels: Vec<Channel>,
}

const NAMES: [&str; 7] = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];
/// Masses (kg) and moments of inertia (kg m^2) of the bodies.
const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
/// Points of the frame (m).
const XA: f64 = -0.06934;
const YA: f64 = -0.00227;
const XB: f64 = -0.03635;
const YB: f64 = 0.03273;
const XC: f64 = 0.014;
const YC: f64 = 0.072;
/// Lengths of the bodies (m).
const D: f64 = 28e-3;
const DA: f64 = 115e-4;
const E: f64 = 2e-2;
const EA: f64 = 1421e-5;
const RR: f64 = 7e-3;
const RA: f64 = 92e-5;
const SS: f64 = 35e-3;
const SA: f64 = 1874e-5;
const SB: f64 = 1043e-5;
const SC: f64 = 18e-3;
const SD: f64 = 2e-2;
const TA: f64 = 2308e-5;
const TB: f64 = 916e-5;
const U: f64 = 4e-2;
const UA: f64 = 1228e-5;
const UB: f64 = 449e-5;
const ZF: f64 = 2e-2;
const ZT: f64 = 4e-2;
const FA: f64 = 1421e-5;
/// Unloaded length of the spring (m).
const L0: f64 = 7785e-5;
/// Rounds of Newton's method, and the size (m) at which a loop is closed.
const ROUNDS: usize = 20;
const CLOSED: f64 = 1e-15;

type Matrix<T> = [[T; 14]; 13];

impl Default for Andrews {
    fn default() -> Self {
        let parameters = table(&[("torque", 33e-3), ("stiffness", 4530.0)]);
        Self { parameters, channels: channels(&NAMES) }
    }
}

impl Andrews {
    /// End of the test (s).
    pub const END: f64 = 0.03;
    /// The angles there (rad).
    pub const AT_END: [f64; 7] = [
        0.158_107_711_962_990_4e2,
        -0.157_563_710_598_429_8e2,
        0.408_222_401_307_310_1e-1,
        -0.534_730_116_322_694_8,
        0.524_409_965_880_530_4,
        0.534_730_116_322_694_8,
        0.104_808_074_104_226_3e1,
    ];
    /// The angles at the start (rad), at rest.
    const START: [f64; 7] = [
        -0.061_713_890_014_276_45,
        0.0,
        0.455_279_819_163_070_4,
        0.222_668_390_165_885_9,
        0.487_364_979_543_842_6,
        -0.222_668_390_165_885_9,
        1.230_547_444_549_821_2,
    ];

    /// Six gaps (m), their rows, and what the squares of the rates add to their second derivatives: each gap is a sum of cosines
    /// or sines of sums of angles.
    fn loops<T: Real>(q: &[T], v: &[T]) -> ([T; 6], [[T; 7]; 6], [T; 6]) {
        // Length, the angles in the sum, and the quarter turns that make a cosine of the term in the upper row of a pair.
        type Term = (f64, &'static [usize], f64);
        const CRANK: [Term; 2] = [(RR, &[0], 0.0), (-D, &[0, 1], 0.0)];
        const REST: [(&[Term], [f64; 2]); 3] = [
            (&[(SS, &[2], 1.0)], [XB, YB]),
            (&[(E, &[3, 4], 1.0), (-ZT, &[4], 0.0)], [XA, YA]),
            (&[(-ZF, &[5, 6], 0.0), (U, &[6], 1.0)], [XA, YA]),
        ];
        let zero = T::c(0.0);
        let (mut gap, mut rows, mut bent) = ([zero; 6], [[zero; 7]; 6], [zero; 6]);
        for (pair, (terms, place)) in REST.iter().enumerate() {
            let [x, y] = [2 * pair, 2 * pair + 1];
            (gap[x], gap[y]) = (T::c(-place[0]), T::c(-place[1]));
            for (length, angles, turn) in CRANK.iter().chain(terms.iter()) {
                let sum = |of: &[T]| angles.iter().fold(zero, |sum, &k| sum + of[k]);
                let angle = sum(q) + T::c(turn * std::f64::consts::FRAC_PI_2);
                let (sin, cos) = (angle.sin() * T::c(*length), angle.cos() * T::c(*length));
                let square = sum(v) * sum(v);
                (gap[x], gap[y]) = (gap[x] + cos, gap[y] + sin);
                (bent[x], bent[y]) = (bent[x] - cos * square, bent[y] - sin * square);
                for &k in *angles {
                    (rows[x][k], rows[y][k]) = (rows[x][k] - sin, rows[y][k] + cos);
                }
            }
        }
        (gap, rows, bent)
    }

    /// The bordered mass matrix with room for a right side.
    fn bordered<T: Real>(q: &[T], rows: &[[T; 7]; 6]) -> Matrix<T> {
        let c = T::c;
        let mut k = [[c(0.0); 14]; 13];
        let (ee, zf) = (E - EA, ZF - FA);
        let (theta, phi, omega) = (q[1].cos(), q[3].sin(), q[5].sin());
        let mut put = |i: usize, j: usize, value: T| (k[i][j], k[j][i]) = (value, value);
        put(
            0,
            0,
            c(M[0] * RA * RA + M[1] * (RR * RR + DA * DA) + I[0] + I[1]) - theta * c(2.0 * M[1] * DA * RR),
        );
        put(0, 1, c(M[1] * DA * DA + I[1]) - theta * c(M[1] * DA * RR));
        put(1, 1, c(M[1] * DA * DA + I[1]));
        put(2, 2, c(M[2] * (SA * SA + SB * SB) + I[2]));
        put(3, 3, c(M[3] * ee * ee + I[3]));
        put(3, 4, c(M[3] * ee * ee + I[3]) + phi * c(M[3] * ZT * ee));
        let own = M[3] * (ZT * ZT + ee * ee) + M[4] * (TA * TA + TB * TB) + I[3] + I[4];
        put(4, 4, c(own) + phi * c(2.0 * M[3] * ZT * ee));
        put(5, 5, c(M[5] * zf * zf + I[5]));
        put(5, 6, c(M[5] * zf * zf + I[5]) - omega * c(M[5] * U * zf));
        let own = M[5] * (zf * zf + U * U) + M[6] * (UA * UA + UB * UB) + I[5] + I[6];
        put(6, 6, c(own) - omega * c(2.0 * M[5] * U * zf));
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, &entry)| put(7 + i, j, entry));
        }
        k
    }

    /// Torques on the angles: of the drive, of the spring, and of the squares of the rates.
    fn torques<T: Real>([torque, stiffness]: [T; 2], q: &[T], v: &[T]) -> [T; 7] {
        let c = T::c;
        let (sin, cos) = q[2].sin_cos();
        let (x, y) = (cos * c(SD) + sin * c(SC) + c(XB - XC), sin * c(SD) - cos * c(SC) + c(YB - YC));
        let length = (x * x + y * y).sqrt();
        let pull = -stiffness * (length - c(L0)) / length;
        let (a, b) = (c(M[1] * DA * RR) * q[1].sin(), c(M[3] * ZT * (E - EA)) * q[3].cos());
        let w = c(M[5] * U * (ZF - FA)) * q[5].cos();
        let two = c(2.0);
        [
            torque - a * v[1] * (v[1] + two * v[0]),
            a * v[0] * v[0],
            pull * (x * (cos * c(SC) - sin * c(SD)) + y * (cos * c(SD) + sin * c(SC))),
            b * v[4] * v[4],
            -b * v[3] * (v[3] + two * v[4]),
            -w * v[6] * v[6],
            w * v[5] * (v[5] + two * v[6]),
        ]
    }
}

/// Solves by elimination with pivots; the right side is the last column, and so is the answer.
fn solve<T: Real>(k: &mut Matrix<T>) {
    for column in 0..13 {
        let size = |row: &usize| k[*row][column].re().abs();
        let pivot = (column..13).fold(column, |best, row| if size(&row) > size(&best) { row } else { best });
        k.swap(column, pivot);
        for row in (0..13).filter(|&row| row != column) {
            let factor = k[row][column] / k[column][column];
            for entry in column..14 {
                k[row][entry] -= factor * k[column][entry];
            }
        }
    }
    (0..13).for_each(|row| k[row][13] /= k[row][row]);
}

impl System for Andrews {
    type Data<T: Real> = [T; 2];

    fn layout(&self) -> Layout {
        Layout { nq: 7, nv: 7, nc: 6, ..Layout::default() }
    }

    named!();

    fn data<T: Real>(&self) -> [T; 2] {
        let mut data = [T::c(0.0); 2];
        data.iter_mut().zip(self.parameters.values()).for_each(|(own, value)| *own = T::c(value));
        data
    }

    fn bind<T: Real>(&self, data: &mut [T; 2], p: &[T]) {
        data.copy_from_slice(p);
    }

    fn start(&self, _: &mut [f64; 2], x: &mut [f64], _: &mut [f64]) -> Result<(), Fault> {
        x.fill(0.0);
        x[..7].copy_from_slice(&Self::START);
        Ok(())
    }

    fn rates<T: Real>(&self, p: &mut [T; 2], _: T, x: &[T], _: &[f64], dx: &mut [T]) -> Result<(), Fault> {
        let (q, v) = x.split_at(7);
        let (_, rows, bent) = Self::loops(q, v);
        let mut k = Self::bordered(q, &rows);
        let right = Self::torques(*p, q, v).into_iter().chain(bent.map(|bent| -bent));
        k.iter_mut().zip(right).for_each(|(row, right)| row[13] = right);
        solve(&mut k);
        dx[..7].copy_from_slice(v);
        dx[7..].iter_mut().zip(&k).for_each(|(rate, row)| *rate = row[13]);
        Ok(())
    }
}

impl Constrained for Andrews {
    fn project(&self, _: &mut [f64; 2], _: f64, x: &mut [f64], _: &mut [f64]) -> Result<f64, Fault> {
        let (q, v) = x.split_at_mut(7);
        let mut drift = 0.0f64;
        for round in 0..ROUNDS {
            let (gap, rows, _) = Self::loops(q, v);
            let open = gap.iter().fold(0.0f64, |max, gap| max.max(gap.abs()));
            if round == 0 {
                drift = open;
            }
            let mut k = Self::bordered(q, &rows);
            if open <= CLOSED || round + 1 == ROUNDS {
                let along = |row: &[f64; 7]| row.iter().zip(&*v).map(|(row, v)| row * v).sum::<f64>();
                let along = rows.each_ref().map(along);
                (0..6).for_each(|i| k[7 + i][13] = -along[i]);
                solve(&mut k);
                v.iter_mut().zip(&k).for_each(|(v, row)| *v += row[13]);
                break;
            }
            (0..6).for_each(|i| k[7 + i][13] = -gap[i]);
            solve(&mut k);
            q.iter_mut().zip(&k).for_each(|(q, row)| *q += row[13]);
        }
        Ok(drift)
    }

    fn constraint_rows(&self, _: &mut [f64; 2], _: f64, q: &[f64], rows: &mut [f64]) {
        let (_, own, _) = Self::loops(q, &[0.0; 7]);
        rows.copy_from_slice(own.as_flattened());
    }

    fn gaps(&self, _: &mut [f64; 2], _: f64, x: &[f64], [gap, rate, gamma]: [&mut [f64]; 3]) {
        let (q, v) = x.split_at(7);
        let (open, rows, bent) = Self::loops(q, v);
        gap.copy_from_slice(&open);
        let along = |row: &[f64; 7]| row.iter().zip(v).map(|(row, v)| row * v).sum();
        rate.copy_from_slice(&rows.each_ref().map(along));
        gamma.copy_from_slice(&bent.map(|bent| -bent));
    }

    fn balance<T: Real>(
        &self,
        p: &mut [T; 2],
        (_, x, _): (T, &[T], &[f64]),
        [a, lambda]: [&[T]; 2],
        r: &mut [T],
    ) -> Result<(), Fault> {
        let (q, v) = x.split_at(7);
        let (_, rows, _) = Self::loops(q, v);
        let k = Self::bordered(q, &rows);
        let torques = Self::torques(*p, q, v);
        for (i, r) in r.iter_mut().enumerate() {
            let known = a.iter().chain(lambda);
            *r = k[i].iter().zip(known).fold(-torques[i], |sum, (&entry, &known)| sum + entry * known);
        }
        Ok(())
    }

    fn needs_projection(&self) -> bool {
        true
    }
}

impl Hybrid for Andrews {}
impl Sampled for Andrews {}
impl Stepped for Andrews {}
