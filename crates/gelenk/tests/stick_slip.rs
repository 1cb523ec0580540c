//! Stick-slip and sticking at large fixed steps, on the models of the cases.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run;
use gelenk_record::Recording;
use gelenk_solve::{Method, Options, Summary};
use gelenk_system::Nanos;

fn case(name: &str) -> Prepared {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name).join("model.toml");
    open::simulation(&model, &Overrides::default()).unwrap()
}

fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).unwrap()
}

/// A run of `until` seconds with a row every `output` seconds.
fn record(prepared: &Prepared, method: Method, until: f64, output: f64) -> (Recording, Summary) {
    let options = Options { until: nanos(until), output: nanos(output), method };
    run(&prepared.mechanism, &prepared.parameters.values(), &options).unwrap()
}

/// Beginnings of motion faster than 20 mm/s, as the workload counts them.
fn slips(x: &[f64], period: f64) -> usize {
    let fast: Vec<bool> = x.windows(2).map(|pair| (pair[1] - pair[0]) / period > 0.02).collect();
    fast.windows(2).filter(|pair| pair[1] && !pair[0]).count()
}

#[test]
fn probe() {
    let prepared = case("stick-slip");
    let method = Method::Dopri5 { rtol: 1e-8, atol: 1e-10, max_step: f64::INFINITY };
    let (exact, s) = record(&prepared, method, 40.0, 0.05);
    let exact = exact.column("x").unwrap();
    println!("exact {} {} steps {}", slips(exact, 0.05), exact[800], s.steps);
    for h in [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2] {
        for method in [
            Method::Stepped { step: nanos(h) },
            Method::Stepped2 { step: nanos(h) },
            Method::RealTime { step: nanos(h) },
        ] {
            let clock = std::time::Instant::now();
            let (r, s) = record(&prepared, method, 40.0, 0.05);
            let x = r.column("x").unwrap();
            let rms =
                (x.iter().zip(exact).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / x.len() as f64).sqrt();
            println!(
                "{:10} h {h:e} slips {} rms {:.3} mm steps {} rejected {} iterations {} evaluations {} residue {:.2e} {:?}",
                method.name(),
                slips(x, 0.05),
                1e3 * rms,
                s.steps,
                s.rejected,
                s.iterations,
                s.evaluations,
                s.energy.residue,
                clock.elapsed()
            );
        }
    }
}
