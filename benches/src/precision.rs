//! Work-precision diagrams: error against evaluations and against CPU time, for all methods on three problems.
//!
//! The error is the root mean square over the recorded rows of one position against a run of DOP853 at the tightest
//! tolerance. Fixed steps are halved from run to run, tolerances divided by ten. Runs that fail, or whose error is no
//! smaller than the motion itself, are left out.

use std::path::Path;

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::{Method, Observer, Options, StopRun, simulate};
use gelenk_system::{Nanos, System};

use crate::clock::cpu_time;
use crate::fourbar;
use crate::plot::{Curve, Panel, axis, svg};
use gelenk_testing::draft::Draft;

/// Runs of which the fastest counts.
const REPEATS: usize = 3;
/// Tolerance of the reference.
const REFERENCE: f64 = 1e-13;

struct Problem {
    name: &'static str,
    title: &'static str,
    mechanism: Mechanism,
    /// The position that is compared.
    channel: &'static str,
    until: f64,
    output: f64,
    /// Longest step, and how often it is halved: of explicit methods, of the stepped mode.
    explicit: (f64, i32),
    stepped: (f64, i32),
}

/// A family of runs.
struct Family {
    name: &'static str,
    colour: &'static str,
    kind: Kind,
}

/// What is varied in a family.
enum Kind {
    Explicit(fn(Nanos) -> Method),
    Stepped(fn(Nanos) -> Method),
    Tolerance(fn(f64) -> Method),
}

const FAMILIES: [Family; 11] = [
    Family { name: "euler", colour: "#999999", kind: Kind::Explicit(|step| Method::Euler { step }) },
    Family {
        name: "semi-implicit-euler",
        colour: "#555555",
        kind: Kind::Explicit(|step| Method::SemiImplicitEuler { step }),
    },
    Family { name: "heun", colour: "#e69f00", kind: Kind::Explicit(|step| Method::Heun { step }) },
    Family {
        name: "bs23, fixed step",
        colour: "#b8a100",
        kind: Kind::Explicit(|step| Method::FixedBs23 { step }),
    },
    Family { name: "rk4", colour: "#d55e00", kind: Kind::Explicit(|step| Method::Rk4 { step }) },
    Family {
        name: "bs23",
        colour: "#56b4e9",
        kind: Kind::Tolerance(|tol| Method::Bs23 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
    },
    Family {
        name: "dopri5",
        colour: "#0072b2",
        kind: Kind::Tolerance(|tol| Method::Dopri5 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
    },
    Family {
        name: "dop853",
        colour: "#009e73",
        kind: Kind::Tolerance(|tol| Method::Dop853 { rtol: tol, atol: tol, max_step: f64::INFINITY }),
    },
    Family { name: "stepped", colour: "#cc79a7", kind: Kind::Stepped(|step| Method::Stepped { step }) },
    Family { name: "stepped2", colour: "#7b2d5e", kind: Kind::Stepped(|step| Method::Stepped2 { step }) },
    Family { name: "real-time", colour: "#e7b8d0", kind: Kind::Stepped(|step| Method::RealTime { step }) },
];

fn problems() -> Result<[Problem; 3], String> {
    Ok([
        Problem {
            name: "pendulum",
            title: "pendulum released horizontally, 10 s",
            mechanism: pendulum(),
            channel: "phi",
            until: 10.0,
            output: 0.5,
            explicit: (0.05, 9),
            stepped: (0.05, 9),
        },
        Problem {
            name: "four-bar",
            title: "four-bar with projection, 2 s",
            mechanism: fourbar::mechanism(),
            channel: "crank_angle",
            until: 2.0,
            output: 0.1,
            explicit: (0.02, 8),
            stepped: (0.02, 8),
        },
        Problem {
            name: "stick-slip",
            title: "block on LuGre friction pulled through a spring, 20 s",
            mechanism: stick_slip()?,
            channel: "x",
            until: 20.0,
            output: 0.1,
            explicit: (1e-4, 5),
            stepped: (0.05, 11),
        },
    ])
}

/// The simple pendulum A01 of the IFToMM multibody benchmark library.
fn pendulum() -> Mechanism {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let phi = draft.coordinate("phi", 0.0, 0.0);
    let bob = draft.body("bob", 1.0, [-1.0, 0.0, 0.0], [0.0; 3]);
    let hinge = draft.revolute([0.0, 0.0, 1.0], phi);
    draft.joint("hinge", BodyRef::Ground, bob, [0.0; 3], hinge);
    draft.build()
}

/// The case `stick-slip`: 1 kg pulled with 0.1 m/s through 2 N/m (Canudas de Wit and others, IEEE Transactions on
/// Automatic Control 40 (1995) 419).
fn stick_slip() -> Result<Mechanism, String> {
    let mut draft = Draft::new([0.0; 3]);
    let x = draft.coordinate("x", 0.0, 0.0);
    let block = draft.body("block", 1.0, [0.0; 3], [0.01; 3]);
    let motion =
        JointMotion::Prismatic { axis: draft.numbers([1.0, 0.0, 0.0]), value: Scalar::Coordinate(x) };
    draft.joint("slide", BodyRef::Ground, block, [0.0; 3], motion);
    let effort = Expression::parse("2*(0.1*t - x)").map_err(|error| error.to_string())?;
    let element =
        Element::new("drives.spring", Acting::Drive, Attachment::Coordinate(x), &[]).with_inputs(&[effort]);
    draft.add(element);
    let law = Friction::by_name("lugre").ok_or("no law lugre")?;
    // In the order of the law: F_C, F_S, v_S, sigma0, sigma1, v_d, F_v; then exponents, damping ratio and mass.
    let values = [1.0, 1.5, 1e-3, 1e5, 1e5f64.sqrt(), f64::INFINITY, 0.4, 2.0, 1.0, 0.0, 0.0];
    let parameters = draft.numbers(values).to_vec();
    let element = Element::new("friction", law, Attachment::Coordinate(x), &parameters);
    draft.add(element);
    Ok(draft.build())
}

/// One column of a run.
struct Column {
    index: usize,
    values: Vec<f64>,
}

impl Observer for Column {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.values.push(row[self.index]);
        Ok(())
    }
}

/// A point of the diagram.
struct Point {
    setting: f64,
    error: f64,
    evaluations: f64,
    cpu: f64,
}

impl Problem {
    /// Values at the rows, evaluations, CPU time (s).
    fn run(&self, method: Method) -> Result<(Vec<f64>, f64, f64), String> {
        let nanos = |s: f64| Nanos::from_seconds(s).ok_or_else(|| format!("{s} s is no time"));
        let options = Options { until: nanos(self.until)?, output: nanos(self.output)?, method };
        let found = self.mechanism.channels().iter().position(|c| c.name == self.channel);
        let index = 1 + found.ok_or_else(|| format!("no channel {}", self.channel))?;
        let parameters = self.mechanism.parameters().values();
        let mut column = Column { index, values: Vec::new() };
        let start = cpu_time();
        let summary =
            simulate(&self.mechanism, &parameters, &options, &mut column).map_err(|e| e.to_string())?;
        Ok((column.values, summary.evaluations as f64, cpu_time() - start))
    }

    /// One point; `None` where the run fails or says nothing.
    fn point(&self, method: Method, setting: f64, reference: &[f64]) -> Option<Point> {
        let (values, evaluations, mut cpu) = self.run(method).ok()?;
        let error = distance(&values, reference);
        let size = distance(reference, &vec![reference[0]; reference.len()]);
        if !error.is_finite() || error > 0.5 * size {
            return None;
        }
        for _ in 1..REPEATS {
            cpu = cpu.min(self.run(method).ok()?.2);
        }
        Some(Point { setting, error, evaluations, cpu })
    }

    fn points(&self, family: &Family, reference: &[f64]) -> Vec<Point> {
        let halved = |(longest, halvings): (f64, i32), method: fn(Nanos) -> Method| {
            let steps = (0..=halvings).map(|k| longest * 0.5f64.powi(k));
            steps
                .filter_map(|step| self.point(method(Nanos::from_seconds(step)?), step, reference))
                .collect::<Vec<_>>()
        };
        match family.kind {
            Kind::Explicit(method) => halved(self.explicit, method),
            Kind::Stepped(method) => halved(self.stepped, method),
            Kind::Tolerance(method) => (2..=12)
                .map(|k| 10f64.powi(-k))
                .filter_map(|tolerance| self.point(method(tolerance), tolerance, reference))
                .collect(),
        }
    }
}

/// Root mean square of the difference.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    if a.len() == b.len() { (sum / a.len() as f64).sqrt() } else { f64::NAN }
}

/// Prints the tables and writes a picture for each problem.
pub(crate) fn print(folder: Option<&Path>) -> Result<(), String> {
    for problem in problems()? {
        let tight = |tol: f64| Method::Dop853 { rtol: tol, atol: tol, max_step: f64::INFINITY };
        let reference = problem.run(tight(REFERENCE))?.0;
        let other =
            problem.run(Method::Dopri5 { rtol: REFERENCE, atol: REFERENCE, max_step: f64::INFINITY })?.0;
        println!("{}; reference good to {:.0e}", problem.title, distance(&reference, &other));
        println!("  {:<21}{:>12}{:>12}{:>14}{:>12}", "method", "setting", "error", "evaluations", "CPU ms");
        let mut curves: [Vec<Curve>; 2] = Default::default();
        for family in &FAMILIES {
            let points = problem.points(family, &reference);
            for p in &points {
                println!(
                    "  {:<21}{:>12.2e}{:>12.2e}{:>14}{:>12.3}",
                    family.name,
                    p.setting,
                    p.error,
                    p.evaluations,
                    1e3 * p.cpu
                );
            }
            let curve = |of: fn(&Point) -> f64| Curve {
                name: family.name.into(),
                colour: family.colour,
                guide: false,
                points: points.iter().map(|p| (p.error, of(p))).collect(),
            };
            curves[0].push(curve(|p| p.evaluations));
            curves[1].push(curve(|p| 1e3 * p.cpu));
        }
        if let Some(folder) = folder {
            let path = folder.join(format!("precision-{}.svg", problem.name));
            let labels = ["evaluations", "CPU time, milliseconds"];
            let panels: Vec<Panel> =
                curves.into_iter().zip(labels).map(|(c, label)| panel(c, label)).collect();
            std::fs::write(&path, svg(&panels)).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

fn panel(curves: Vec<Curve>, work: &'static str) -> Panel {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let (x, y) = (axis("error (root mean square)", all().map(|p| p.0)), axis(work, all().map(|p| p.1)));
    Panel { x, y, curves }
}
