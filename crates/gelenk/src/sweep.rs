//! Contacts pose by pose: one position of a model goes through a range. Loops stay closed, from pose to pose on the same
//! branch; what they leave free stands still.

use gelenk_multibody::branch::Branch;
use gelenk_record::{Column, Event, Recording};
use gelenk_system::{Fault, Hybrid, System};

use crate::open::Prepared;

/// A range of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseSweep {
    /// The position: a coordinate, or a component of a free joint such as `ball.z`.
    pub over: String,
    /// First and last value (SI).
    pub range: [f64; 2],
    /// Number of poses.
    pub poses: usize,
}

/// Evaluates a model at every pose of a sweep, at rest and with its loops closed (H-R49). The time of the recording counts
/// the poses.
///
/// # Errors
/// A position that the model does not have, with the closest one; loops that do not let it move so far; what the model
/// refuses at a pose.
pub fn sweep(prepared: &Prepared, sweep: &PoseSweep) -> Result<Recording, Box<dyn std::error::Error>> {
    let mechanism = &prepared.mechanism;
    let layout = mechanism.layout();
    let positions = &mechanism.channels()[..layout.nq.min(mechanism.channels().len())];
    let Some(place) = positions.iter().position(|channel| channel.name == sweep.over) else {
        let known = positions.iter().map(|channel| channel.name.as_str());
        let near = gelenk_math::suggest::closest(&sweep.over, known.clone());
        let hint = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("available: {}", known.collect::<Vec<_>>().join(", ")),
        };
        return Err(format!("the model has no position \"{}\"; {hint}", sweep.over).into());
    };
    let mut data = mechanism.data();
    mechanism.bind(&mut data, &prepared.parameters.values());
    mechanism.check(&data, false)?;
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut m)?;
    x[layout.v()].fill(0.0);
    // Positions are named as they are recorded; those of free joints belong to origins.
    let (q, rest) = x.split_at_mut(layout.nq);
    mechanism.state_to_origin(&data, q, &mut rest[..layout.nv]);
    let mut seen = x[layout.q()].to_vec();
    let mut columns = vec![Column::new("t", "s", "number of the pose")];
    columns.extend(mechanism.channels().iter().map(|c| Column::new(&c.name, &c.unit, &c.meaning)));
    let mut recording = Recording::new(columns)?;
    let mut row = vec![0.0; mechanism.channels().len() + 1];
    let [from, to] = sweep.range;
    let held = mechanism.velocities_at(place);
    let moves: Vec<bool> = (0..layout.nv).map(|k| !held.contains(&k)).collect();
    let start = seen.clone();
    let coordinate = place < mechanism.coordinate_names().count();
    // The position itself counts as the time of the way through the range.
    let mut given = |at: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]| {
        q.copy_from_slice(&start);
        q[place] = at;
        v.fill(0.0);
        a.fill(0.0);
        if coordinate {
            v[place] = 1.0;
        }
    };
    let (mut rates, mut gaps) = (vec![0.0; 2 * layout.nv], vec![0.0; mechanism.loop_count()]);
    let mut branch = Branch::new(moves);
    let mut go = |data: &mut _, branch: &mut Branch, seen: &mut [f64], to: f64| {
        let (v, a) = rates.split_at_mut(layout.nv);
        let followed = mechanism.follow_branch(data, branch, to, &mut given, seen, v, a, &mut gaps);
        seen[place] = to;
        followed.map_err(|fault| at_pose(fault, &sweep.over, None))
    };
    let closes = layout.nc > 0;
    if closes {
        let begin = seen[place];
        go(&mut data, &mut branch, &mut seen, begin)?;
        go(&mut data, &mut branch, &mut seen, from)?;
        mechanism.passed_on_branch(&mut branch);
    }
    for i in 0..sweep.poses {
        let share = if sweep.poses > 1 { i as f64 / (sweep.poses - 1) as f64 } else { 0.0 };
        let at = from + (to - from) * share;
        if closes {
            go(&mut data, &mut branch, &mut seen, at)?;
            for (element, at) in mechanism.passed_on_branch(&mut branch) {
                let pose = (at - from) / (to - from) * (sweep.poses - 1) as f64;
                let what = "passes a singular position".to_owned();
                recording.push_event(Event { t: pose, element: element.to_owned(), what });
            }
        }
        seen[place] = at;
        let (q, rest) = x.split_at_mut(layout.nq);
        q.copy_from_slice(&seen);
        mechanism.origin_to_state(&data, q, &mut rest[..layout.nv]);
        row[0] = i as f64;
        mechanism.settle(&mut data, 0.0, &x, &mut m);
        let evaluated = mechanism.outputs(&mut data, 0.0, &x, &m, &mut row[1..]);
        evaluated.map_err(|fault| at_pose(fault, &sweep.over, Some(at)))?;
        recording.push(&row)?;
    }
    Ok(recording)
}

/// A fault, with the position instead of the time.
fn at_pose(fault: Fault, over: &str, at: Option<f64>) -> String {
    match fault {
        Fault::Singular { element, t } => format!(
            "loop {element} is at a singular position at {over} = {} (SI), where its motion can branch and is not \
             determined; sweep a shorter range, or use another number of poses",
            at.unwrap_or(t)
        ),
        fault => fault.to_string(),
    }
}
