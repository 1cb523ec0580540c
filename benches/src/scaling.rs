//! Cost of an evaluation against the number of bodies: chain, tree, and a closed chain of loops.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;
use std::hint::black_box;

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_system::{Constrained, System};

use crate::clock::cpu_time;
use crate::plot::{Curve, Panel, axis, svg};
use gelenk_testing::draft::Draft;

/// Numbers of bodies, about three for each power of ten.
const SIZES: [usize; 10] = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/// A family of mechanisms.
struct Family {
    name: &'static str,
    colour: &'static str,
    build: fn(usize) -> Mechanism,
}

const FAMILIES: [Family; 3] = [
    Family { name: "chain", colour: "#0072b2", build: chain },
    Family { name: "tree", colour: "#009e73", build: tree },
    Family { name: "closed chain of loops", colour: "#d55e00", build: loops },
];

/// Every body hangs on the one before it, by hinges about changing axes.
fn chain(bodies: usize) -> Mechanism {
    hinges(bodies, |k| k.checked_sub(1))
}

/// Every body carries two others.
fn tree(bodies: usize) -> Mechanism {
    hinges(bodies, |k| k.checked_sub(1).map(|k| k / 2))
}

fn hinges(bodies: usize, parent: impl Fn(usize) -> Option<usize>) -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    for k in 0..bodies {
        let body = rod(&mut draft, k);
        let coordinate = draft.coordinate(&format!("q{k}"), 0.3, 0.2);
        let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]][k % 2];
        let motion = draft.revolute(axis, coordinate);
        let parent = parent(k).map_or(BodyRef::Ground, |k| BodyId::nth(k).into());
        draft.joint(&format!("j{k}"), parent, body, [0.0, 0.0, -0.1], motion);
    }
    draft.build()
}

fn rod(draft: &mut Draft, k: usize) -> BodyId {
    draft.body(&format!("b{k}"), 0.1, [0.0, 0.0, -0.05], [1e-3, 1e-3, 1e-4])
}

/// Parallelograms, each on the coupler of the one before it, and the last coupler tied to the ground.
fn loops(bodies: usize) -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut base = BodyRef::Ground;
    for cell in 0..bodies.div_ceil(3) {
        let [crank, rocker, coupler] = [0, 1, 2].map(|k| rod(&mut draft, 3 * cell + k));
        let lean = if cell % 2 == 0 { 0.4 } else { -0.4 };
        let mut hinge = |name: &str, parent: BodyRef, child: BodyId, at: [f64; 3], angle: f64| {
            let coordinate = draft.coordinate(&format!("{name}{cell}"), angle, 0.0);
            let motion = draft.revolute([0.0, 1.0, 0.0], coordinate);
            draft.joint(&format!("{name}{cell}_joint"), parent, child, at, motion);
        };
        hinge("crank", base, crank, [0.0, 0.0, -0.02], lean);
        hinge("rocker", base, rocker, [0.1, 0.0, -0.02], lean);
        hinge("coupler", BodyRef::Body(crank), coupler, [0.0, 0.0, -0.1], -lean);
        let ends = [(coupler, [0.1, 0.0, 0.0]), (rocker, [0.0, 0.0, -0.1])];
        let frames = ends.map(|(body, at)| frame(&mut draft, BodyRef::Body(body), at, -FRAC_PI_2));
        draft.add(Loop { name: format!("cell{cell}"), kind: LoopKind::Revolute(frames) });
        base = BodyRef::Body(coupler);
    }
    let cells = bodies.div_ceil(3) as f64;
    let side = if cells % 2.0 == 1.0 { -0.1 * f64::sin(0.4) } else { 0.0 };
    let end = frame(&mut draft, base, [0.0; 3], 0.0);
    let down = -(0.1 * f64::cos(0.4) + 0.02) * cells;
    let anchor = frame(&mut draft, BodyRef::Ground, [side, 0.0, down], 0.0);
    draft.add(Loop { name: "end".into(), kind: LoopKind::Plane([anchor, end]) });
    draft.build()
}

/// A frame turned about x.
fn frame(draft: &mut Draft, body: BodyRef, at: [f64; 3], turn: f64) -> FrameId {
    let (position, orientation) = (draft.numbers(at), draft.numbers([turn, 0.0, 0.0]));
    let name = format!("f{}", draft.blueprint.frames.len());
    draft.add(Frame { name, body, position, orientation })
}

/// CPU times (s) of one evaluation of the rates, and of one projection onto the loops where there are any.
fn times(mechanism: &Mechanism, bodies: usize) -> Result<(f64, f64), String> {
    let layout = mechanism.layout();
    let mut d = mechanism.data();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut d, &mut x, &mut m).map_err(|fault| fault.to_string())?;
    let mut dx = vec![0.0; layout.nx()];
    let calls = (20_000 / bodies).max(2);
    let (mut rates, mut closing) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        let start = cpu_time();
        for _ in 0..calls {
            mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).map_err(|fault| fault.to_string())?;
            black_box(dx[layout.nq]);
        }
        rates = rates.min((cpu_time() - start) / calls as f64);
        let start = cpu_time();
        for _ in 0..calls {
            let mut moved = x.clone();
            moved[0] += 1e-7;
            mechanism.project(&mut d, 0.0, &mut moved, &mut m).map_err(|fault| fault.to_string())?;
        }
        closing = closing.min((cpu_time() - start) / calls as f64);
    }
    Ok((rates, closing))
}

/// Prints the table and writes the picture.
pub(crate) fn print(picture: Option<&str>) -> Result<(), String> {
    println!("microseconds a body: evaluation of the rates (projection onto the loops)");
    println!("{:>8}{}", "bodies", FAMILIES.each_ref().map(|family| format!("{:>26}", family.name)).concat());
    let mut curves: [Vec<(f64, f64)>; FAMILIES.len()] = Default::default();
    for bodies in SIZES {
        let mut line = format!("{bodies:>8}");
        for (family, curve) in FAMILIES.iter().zip(&mut curves) {
            let mechanism = (family.build)(bodies);
            let count = mechanism.body_count();
            let (rates, closing) = times(&mechanism, count)?;
            let each = |time: f64| 1e6 * time / count as f64;
            let reported = match mechanism.constraint_count() {
                0 => format!("{:.3}", each(rates)),
                _ => format!("{:.3} ({:.3})", each(rates), each(closing)),
            };
            let _ = write!(line, "{reported:>26}");
            curve.push((count as f64, 1e6 * rates));
        }
        println!("{line}");
    }
    match picture {
        Some(path) => std::fs::write(path, draw(&curves)).map_err(|error| format!("{path}: {error}")),
        None => Ok(()),
    }
}

/// Both axes by powers of ten; a straight line with slope one is a linear cost.
fn draw(curves: &[Vec<(f64, f64)>; FAMILIES.len()]) -> String {
    let curve = |name: &str, colour, guide, points| Curve { name: name.into(), colour, guide, points };
    let mut drawn: Vec<Curve> = FAMILIES
        .iter()
        .zip(curves)
        .map(|(family, points)| curve(family.name, family.colour, false, points.clone()))
        .collect();
    drawn.push(curve("dashed: proportional to the bodies", "#777", true, vec![(10.0, 3.0), (1e4, 3000.0)]));
    let all = || drawn.iter().flat_map(|curve| &curve.points);
    let x = axis("bodies", all().map(|p| p.0));
    let y = axis("evaluation, microseconds", all().map(|p| p.1));
    svg(&[Panel { x, y, curves: drawn }])
}
