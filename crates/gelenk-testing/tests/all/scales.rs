//! Error control does not know units: the same machine in other sizes takes the same steps.

use gelenk_solve::Method;
use gelenk_testing::rig::{Outcome, run};

/// A block on a spring is dragged through LuGre friction by a slow push; all masses and forces are multiplied.
fn dragged(factor: f64, method: Method) -> Outcome {
    let model = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        parameters = {{ f = {factor:e} }}
        bodies.block = {{ mass = "1 kg*f", inertia = [1, 1, 1] }}
        [joints.slide]
        type = "prismatic"
        parent = "ground"
        child = "block"
        axis = [1, 0, 0]
        coordinate = {{ name = "x", spring = {{ stiffness = "f*40 [N/m]" }} }}
        friction = {{ law = "lugre", coulomb = "1 N*f", breakaway = "1.5 N*f", stribeck = "1 mm/s", sigma0 = "f*1e4 [N/m]", sigma1 = "f*20 [N s/m]" }}
        [drives.push]
        on = "x"
        force = "f*(3 N)*sin(4*t/(1 s))"
        "#
    );
    run(&model, method, 2.0, 0.01).unwrap()
}

/// With masses and forces a thousand million times smaller or larger the motion is the same, so error control has to
/// take the same steps: the state of the friction law, a force, is compared with its own scale, not with 1 N.
#[test]
fn forces_of_any_size_take_the_same_steps() {
    for method in [
        Method::Bs23 { rtol: 1e-6, atol: 1e-6, max_step: f64::INFINITY },
        Method::Dopri5 { rtol: 1e-6, atol: 1e-6, max_step: f64::INFINITY },
    ] {
        let one = dragged(1.0, method);
        for factor in [1e-9, 1e9] {
            let other = dragged(factor, method);
            let (steps, expected) = (other.summary.steps as f64, one.summary.steps as f64);
            assert!(
                (steps / expected - 1.0).abs() < 0.01,
                "{} {factor}: {steps}, not {expected}",
                method.name()
            );
            assert!((other.last("x") - one.last("x")).abs() < 1e-6, "{factor}");
        }
    }
}
