//! Bodies that rest on stops with restitution, and lift off.

use gelenk::open::Overrides;
use gelenk_solve::{Verdict, judge};

use super::support::{last, prepared, run};

fn on_a_stop(force: &str, method: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[joints.ja]\ntype = \"prismatic\"\n\
         parent = \"ground\"\nchild = \"a\"\ncoordinate = {{ name = \"x\", start = 0, stop = {{ range = [0, inf], restitution = 0 }} }}\n\
         [drives.d]\non = \"x\"\nforce = \"{force}\"\n[simulate]\nuntil = \"3 s\"\noutput = \"10 ms\"\n\
         solver = {{ method = \"{method}\"{} }}\n",
        if method == "stepped2" { ", step = \"1 ms\"" } else { "" }
    )
}

/// A mass that a force of 12 N sin(3 t/s) lifts off its stop, where its load passes zero: it fell back by less than rounding
/// and the run was given up. At 3 s it is at 0.204108 m (three methods that were not agree on it).
#[test]
fn lifting_off() {
    for method in ["dopri5", "dop853", "bs23", "stepped2"] {
        let (recording, _) = run(&on_a_stop("12 N*sin(3 [1/s]*t)", method)).unwrap();
        let x = last(&recording, "x");
        assert!((x - 0.204_108).abs() < 2e-5, "{method}: {x}");
    }
}

/// What rests exchanges no energy, and rounding is no reason to call the run a failure.
#[test]
fn resting_is_no_failure() {
    let prepared = prepared(&on_a_stop("5 N*sin(3 [1/s]*t)", "stepped2"), &Overrides::default()).unwrap();
    let p = prepared.parameters.values();
    let (_, summary) = gelenk::run::run(&prepared.mechanism, &p, &prepared.options).unwrap();
    let verdict = judge(&prepared.mechanism, &p, &prepared.options, &summary, prepared.limits);
    assert_eq!(verdict, Verdict::Good);
}
