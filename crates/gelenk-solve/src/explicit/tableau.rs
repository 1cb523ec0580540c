//! Runge-Kutta methods as data.

pub(super) use super::dop853::DOP853;

/// One stage: its place in the step, and the weights of the rates before it.
pub(crate) struct Stage {
    pub(crate) c: f64,
    pub(crate) a: &'static [f64],
}

/// How the error of a step is estimated. The weights run over the rates of the stages and the rate at the end.
pub(crate) enum Estimate {
    /// The method has a fixed step only.
    None,
    /// Difference to the embedded method of the order below.
    Embedded(&'static [f64]),
    /// DOP853: differences to two methods of orders 5 and 3, joined so that the estimate has order 7.
    Pair {
        /// Difference to order 5.
        fifth: &'static [f64],
        /// Difference to order 3.
        third: &'static [f64],
    },
}

/// Coefficients of an explicit Runge-Kutta method.
///
/// The rates are kept in this order: the stages, the rate at the end of the step, the extra stages of the dense output.
pub(crate) struct Tableau {
    pub(super) order: u32,
    pub(crate) stages: &'static [Stage],
    pub(crate) b: &'static [f64],
    pub(super) estimate: Estimate,
    /// Stages that only the dense output needs.
    pub(super) extra: &'static [Stage],
    /// Coefficients of the dense output beyond those of cubic Hermite interpolation, as weights of all rates.
    pub(super) dense: &'static [&'static [f64]],
}

impl Tableau {
    /// Number of rates that are kept.
    pub(super) fn rates(&self) -> usize {
        self.stages.len() + 1 + self.extra.len()
    }

    /// Order of the error estimate plus one: the power of the step by which the estimate falls.
    pub(super) fn estimate_power(&self) -> f64 {
        f64::from(self.order)
    }
}

/// Explicit Euler.
pub(super) const EULER: Tableau = Tableau {
    order: 1,
    stages: &[Stage { c: 0.0, a: &[] }],
    b: &[1.0],
    estimate: Estimate::None,
    extra: &[],
    dense: &[],
};

/// Heun's method: the trapezoidal rule with Euler's end.
pub(super) const HEUN: Tableau = Tableau {
    order: 2,
    stages: &[Stage { c: 0.0, a: &[] }, Stage { c: 1.0, a: &[1.0] }],
    b: &[0.5, 0.5],
    estimate: Estimate::None,
    extra: &[],
    dense: &[],
};

/// The classical method of Runge and Kutta.
pub(super) const RK4: Tableau = Tableau {
    order: 4,
    stages: &[
        Stage { c: 0.0, a: &[] },
        Stage { c: 0.5, a: &[0.5] },
        Stage { c: 0.5, a: &[0.0, 0.5] },
        Stage { c: 1.0, a: &[0.0, 0.0, 1.0] },
    ],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    estimate: Estimate::None,
    extra: &[],
    dense: &[],
};

/// Bogacki and Shampine's pair of order 3(2), Applied Mathematics Letters 2 (1989) 321. Cubic Hermite interpolation
/// keeps its order.
pub(super) const BS23: Tableau = Tableau {
    order: 3,
    stages: &[Stage { c: 0.0, a: &[] }, Stage { c: 0.5, a: &[0.5] }, Stage { c: 0.75, a: &[0.0, 0.75] }],
    b: &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0],
    estimate: Estimate::Embedded(&[-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0]),
    extra: &[],
    dense: &[],
};

/// Dormand and Prince's pair of order 5(4); dense output of order 4 (Hairer, Norsett, Wanner I, II.5 and II.6).
pub(super) const DOPRI5: Tableau = Tableau {
    order: 5,
    stages: &[
        Stage { c: 0.0, a: &[] },
        Stage { c: 0.2, a: &[0.2] },
        Stage { c: 0.3, a: &[3.0 / 40.0, 9.0 / 40.0] },
        Stage { c: 0.8, a: &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0] },
        Stage { c: 8.0 / 9.0, a: &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0] },
        Stage {
            c: 1.0,
            a: &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        },
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    estimate: Estimate::Embedded(&[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ]),
    extra: &[],
    dense: &[&[
        -12715105075.0 / 11282082432.0,
        0.0,
        87487479700.0 / 32700410799.0,
        -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0,
        -1453857185.0 / 822651844.0,
        69997945.0 / 29380423.0,
    ]],
};

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&Tableau; 6] = [&EULER, &HEUN, &RK4, &BS23, &DOPRI5, &DOP853];

    /// Largest violation of the conditions `sum b c^k = 1/(k+1)` for the weights `b` of the places `c`, up to `order`.
    fn quadrature(b: &[f64], c: &[f64], order: u32) -> f64 {
        let sum = |k: i32| b.iter().zip(c).map(|(b, c)| b * c.powi(k)).sum::<f64>();
        (0..order as i32).map(|k| (sum(k) - 1.0 / f64::from(k + 1)).abs()).fold(0.0, f64::max)
    }

    /// Places of all rates.
    fn places(tableau: &Tableau) -> Vec<f64> {
        let inner = tableau.stages.iter().map(|s| s.c);
        inner.chain([1.0]).chain(tableau.extra.iter().map(|s| s.c)).collect()
    }

    /// Rows of the Runge-Kutta matrix of all rates.
    fn rows(tableau: &Tableau) -> Vec<&'static [f64]> {
        let inner = tableau.stages.iter().map(|s| s.a);
        inner.chain([tableau.b]).chain(tableau.extra.iter().map(|s| s.a)).collect()
    }

    /// Every stage stands where its weights say: `sum_j a_ij = c_i` (Hairer, Norsett, Wanner I, II.1).
    #[test]
    fn rows_add_up_to_the_places() {
        for tableau in ALL {
            for (row, c) in rows(tableau).iter().zip(places(tableau)) {
                assert!((row.iter().sum::<f64>() - c).abs() < 2e-13, "order {}: {c}", tableau.order);
            }
        }
    }

    /// Conditions of bushy trees, and with one inner knot: `sum b_i c_i^m a_ij c_j^k = 1/((k+1)(k+m+2))`, and with two
    /// inner knots `sum b_i a_ij a_jl c_l^k = 1/((k+1)(k+2)(k+3))` (Hairer, Norsett, Wanner I, II.2).
    #[test]
    fn weights_satisfy_order_conditions() {
        for tableau in ALL {
            let (c, a, order) = (places(tableau), rows(tableau), tableau.order as i32);
            let worst = quadrature(tableau.b, &c, tableau.order);
            assert!(worst < 1e-14, "order {order}: {worst:e}");
            let inner = |i: usize, k: i32| a[i].iter().zip(&c).map(|(a, c)| a * c.powi(k)).sum::<f64>();
            for k in 1..order {
                for m in 0..order - 1 - k {
                    let sum: f64 =
                        (0..tableau.b.len()).map(|i| tableau.b[i] * c[i].powi(m) * inner(i, k)).sum();
                    let exact = 1.0 / f64::from((k + 1) * (k + m + 2));
                    assert!(
                        (sum - exact).abs() < 1e-14,
                        "order {order}, k = {k}, m = {m}: {sum} not {exact}"
                    );
                }
            }
            for k in 1..order - 2 {
                let two = |i: usize| (0..a[i].len()).map(|j| a[i][j] * inner(j, k)).sum::<f64>();
                let sum: f64 = (0..tableau.b.len()).map(|i| tableau.b[i] * two(i)).sum();
                let exact = 1.0 / f64::from((k + 1) * (k + 2) * (k + 3));
                assert!((sum - exact).abs() < 1e-14, "order {order}, k = {k}: {sum} not {exact}");
            }
        }
    }

    /// The embedded weights `b - e` have the order that they are said to have, and not one more.
    #[test]
    fn estimates_have_their_order() {
        let check = |tableau: &Tableau, error: &[f64], order: u32| {
            let c = places(tableau);
            let weights: Vec<f64> =
                error.iter().enumerate().map(|(i, e)| tableau.b.get(i).unwrap_or(&0.0) - e).collect();
            assert!(quadrature(&weights, &c, order) < 1e-14, "{order} of {}", tableau.order);
            assert!(quadrature(&weights, &c, order + 1) > 1e-6, "{order} of {}", tableau.order);
        };
        for tableau in ALL {
            match tableau.estimate {
                Estimate::None => {}
                Estimate::Embedded(error) => check(tableau, error, tableau.order - 1),
                Estimate::Pair { fifth, third } => {
                    check(tableau, fifth, 5);
                    check(tableau, third, 3);
                }
            }
        }
    }

    /// The dense output integrates `t^k` exactly inside the step as far as its order goes: 3 for Hermite's cubic on
    /// methods of order 3 and more, 4 for DOPRI5, 7 for DOP853.
    #[test]
    fn dense_output_has_its_order() {
        for (tableau, order) in [(&RK4, 3), (&BS23, 3), (&DOPRI5, 4), (&DOP853, 7)] {
            let c = places(tableau);
            let last = tableau.stages.len();
            for k in 0..order {
                let rate: Vec<f64> = c.iter().map(|c| c.powi(k)).collect();
                let rise: f64 = tableau.b.iter().zip(&rate).map(|(b, r)| b * r).sum();
                let bend = rate[0] - rise;
                let mut terms = vec![rise, bend, rise - rate[last] - bend];
                terms.extend(
                    tableau.dense.iter().map(|row| row.iter().zip(&rate).map(|(w, r)| w * r).sum::<f64>()),
                );
                for theta in [0.2f64, 0.5, 0.9] {
                    let value = super::super::dense::nested(terms.iter().copied(), theta);
                    let exact = theta.powi(k + 1) / f64::from(k + 1);
                    assert!((value - exact).abs() < 2e-14, "{} k = {k}: {value} {exact}", tableau.order);
                }
            }
        }
    }
}
