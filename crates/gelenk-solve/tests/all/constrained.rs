//! The constrained equations in residual form.

use gelenk_solve::problems::{Andrews, IndexThreePendulum};
use gelenk_system::Simulated;
use nalgebra::{DMatrix, DVector};

use super::common::{CONTROLLED, begin, nanos};

/// On a motion the gaps of position and velocity are closed, the accelerations meet the third one, and there are multipliers
/// with which they balance: what the residual leaves lies in the row space of the constraints.
#[test]
fn accelerations_balance() {
    holds(&IndexThreePendulum::default(), 0.4);
    holds(&Andrews::default(), 0.02);
}

fn holds<S: Simulated>(system: &S, t: f64) {
    let mut simulation = begin(system, CONTROLLED[2].1(1e-10));
    simulation.advance_to(nanos(t)).unwrap();
    let (x, layout) = (simulation.state().to_vec(), system.layout());
    let (nv, nc) = (layout.nv, layout.nc);
    let mut data = system.data::<f64>();
    let (mut dx, mut gaps) = (vec![0.0; layout.nx()], [vec![0.0; nc], vec![0.0; nc], vec![0.0; nc]]);
    system.rates(&mut data, t, &x, &[], &mut dx).unwrap();
    let a = &dx[layout.v()];
    system.gaps(&mut data, t, &x, gaps.each_mut().map(Vec::as_mut_slice));
    let mut rows = vec![0.0; nc * nv];
    system.constraint_rows(&mut data, t, &x[layout.q()], &mut rows);
    let rows = DMatrix::from_row_slice(nc, nv, &rows);
    let size = a.iter().fold(1.0f64, |max, a| max.max(a.abs()));
    let bent = &rows * DVector::from_column_slice(a) - DVector::from_column_slice(&gaps[2]);
    assert!(gaps[0].iter().all(|gap| gap.abs() < 1e-14), "{gaps:?}");
    assert!(gaps[1].iter().all(|rate| rate.abs() < 1e-10), "{gaps:?}");
    assert!(bent.amax() < 1e-12 * size, "{bent}");
    let mut r = vec![0.0; nv];
    system.balance(&mut data, (t, &x, &[]), [a, &vec![0.0; nc]], &mut r).unwrap();
    let open = DVector::from_column_slice(&r);
    let lambda = rows.transpose().svd(true, true).solve(&-&open, 1e-12).unwrap();
    system.balance(&mut data, (t, &x, &[]), [a, lambda.as_slice()], &mut r).unwrap();
    let left = DVector::from_column_slice(&r).amax();
    assert!(left < 1e-12 * open.amax(), "{left:e} of {:e}", open.amax());
}
