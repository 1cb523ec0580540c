//! Impacts at several limits, and starts at them.

use gelenk_solve::{Method, SolveError};
use gelenk_testing::rig::{Outcome, run};

const METHODS: [Method; 2] = [
    Method::Dopri5 { rtol: 1e-9, atol: 1e-9, max_step: f64::INFINITY },
    Method::Stepped { step: gelenk_system::Nanos(1_000_000) },
];

/// A carriage of 2 kg runs at 1 m/s into its stop with a block of 1 kg that rests against a stop on the carriage; the
/// restitutions are 0.5 and 0.8.
fn carriage(law: &str, method: Method) -> Outcome {
    let model = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.carriage = {{ mass = "2 kg", inertia = [1, 1, 1] }}
        bodies.block = {{ mass = "1 kg", inertia = [1, 1, 1] }}
        [joints.a]
        type = "prismatic"
        parent = "ground"
        child = "carriage"
        axis = [1, 0, 0]
        coordinate = {{ start = "0.0505 m", rate = "-1 m/s", stop = {{ range = [0, inf], restitution = 0.5, law = "{law}" }} }}
        [joints.b]
        type = "prismatic"
        parent = "carriage"
        child = "block"
        axis = [1, 0, 0]
        coordinate = {{ stop = {{ range = [0, inf], restitution = 0.8, law = "{law}" }} }}
        "#
    );
    run(&model, method, 0.1, 1e-3).unwrap()
}

/// Newton's law looks at the velocities before the impact: the block rests on the carriage and stays so, and both leave
/// with 0.5 m/s. Poisson's gives back a share of the impulses of the compression, `L_a = 3 kg m/s` and `L_b = 1 kg m/s`:
/// `a = -1 + (1.5*3 - 1.8*1)/2 = 0.35 m/s` and `b = -(1.5*3)/2 + 1.8*1*(1/2 + 1/1) = 0.45 m/s` (closed forms).
#[test]
fn poisson_and_newton_differ_where_impulses_meet() {
    for method in METHODS {
        for (law, a, b) in [("newton", 0.5, 0.0), ("poisson", 0.35, 0.45)] {
            let outcome = carriage(law, method);
            let found = [outcome.last("a.rate"), outcome.last("b.rate")];
            let name = method.name();
            assert!((found[0] - a).abs() < 1e-9 && (found[1] - b).abs() < 1e-9, "{name} {law}: {found:?}");
        }
    }
}

/// A start behind a limit is refused by the name of the stop, whichever limit it is; one on the limit is none.
#[test]
fn a_start_behind_a_limit_is_refused() {
    let start = |start: &str, method: Method| {
        let model = format!(
            r#"
            schema = 1
            gravity = [0, 0, 0]
            bodies.block = {{ mass = "1 kg", inertia = [1, 1, 1] }}
            [joints.slide]
            type = "prismatic"
            parent = "ground"
            child = "block"
            axis = [1, 0, 0]
            coordinate = {{ name = "x", start = "{start}", stop = {{ range = ["-1 m", "2 m"], restitution = 0.5 }} }}
            "#
        );
        run(&model, method, 0.01, 0.01)
    };
    for method in METHODS {
        for inside in ["-1 m", "0 m", "2 m"] {
            assert!(start(inside, method).is_ok(), "{inside}");
        }
        for behind in ["-1.001 m", "2.001 m", "40 m"] {
            let Err(SolveError::Fault(fault)) = start(behind, method) else { panic!("{behind} is accepted") };
            let fault = fault.to_string();
            assert!(
                fault.contains("joints.slide.coordinate.stop") && fault.contains("beyond the limit"),
                "{fault}"
            );
        }
    }
}
