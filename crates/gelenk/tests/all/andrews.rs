//! Andrews' squeezing mechanism at its start.

use std::path::Path;

use gelenk::open::{Overrides, simulation};
use gelenk_system::System;

/// ST-R18: the consistent accelerations at the start, 14222.4439... and -10666.8329... rad/s^2 of the first two angles and
/// none of the others (Hairer and Wanner II, VII.7).
#[test]
fn accelerations_at_the_start() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/andrews/model.toml");
    let prepared = simulation(&path, &Overrides::default()).unwrap();
    let mechanism = &prepared.mechanism;
    let layout = mechanism.layout();
    let mut data = mechanism.data();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut m).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut data, 0.0, &x, &m, &mut dx).unwrap();
    let names: Vec<&str> = mechanism.coordinate_names().collect();
    for (name, acceleration) in names.iter().zip(&dx[layout.v()]) {
        let expected = match *name {
            "beta" => 14_222.443_919_954_114,
            "theta" => -10_666.832_939_965_585,
            _ => 0.0,
        };
        assert!((acceleration - expected).abs() < 1e-7, "{name}: {acceleration}");
    }
}
