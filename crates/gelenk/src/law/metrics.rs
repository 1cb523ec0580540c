//! What a run of a rig comes down to: a few numbers a law (SP-R10).

use gelenk_model::rig::Rig;
use gelenk_record::{RecordError, Recording};

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Its name, such as `slip2.start`.
    pub name: String,
    /// Its value, SI.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// The columns of a run.
pub(super) struct Columns<'a> {
    pub(super) t: &'a [f64],
    pub(super) x: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) friction: &'a [f64],
    pub(super) pull: Option<&'a [f64]>,
    /// On a plane: the other coordinate, and the parts of friction.
    pub(super) plane: Option<[&'a [f64]; 3]>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(recording: &'a Recording) -> Result<Self, RecordError> {
        Ok(Self {
            t: recording.time(),
            x: recording.column("x")?,
            v: recording.column("v")?,
            friction: recording.column("friction")?,
            pull: recording.column("pull").ok(),
            plane: match ["y", "friction.x", "friction.y"].map(|name| recording.column(name)) {
                [Ok(y), Ok(fx), Ok(fy)] => Some([y, fx, fy]),
                _ => None,
            },
        })
    }

    /// Value of a column at a time, linear between rows.
    fn at(&self, column: &[f64], t: f64) -> f64 {
        gelenk_signal::sampling::resample(self.t, column, &[t]).first().copied().unwrap_or(f64::NAN)
    }

    fn last(column: &[f64]) -> f64 {
        column.last().copied().unwrap_or(f64::NAN)
    }
}

/// Units of length or angle, velocity and effort.
pub(super) struct Units {
    pub(super) x: &'static str,
    pub(super) v: &'static str,
    pub(super) effort: &'static str,
}

/// The numbers of a run. Those of a rig that is driven backwards are those of its mirror image: places and velocities have
/// the sign of the recording, efforts count along the direction of the drive.
pub(super) fn metrics(rig: &Rig, c: &Columns<'_>, units: &Units) -> Vec<Metric> {
    if !runs_backwards(rig, c) {
        return forward(rig, c, units);
    }
    let turned = |column: &[f64]| -> Vec<f64> { column.iter().map(|value| -value).collect() };
    let (x, v, friction) = (turned(c.x), turned(c.v), turned(c.friction));
    let pull = c.pull.map(turned);
    let plane = c.plane.map(|[y, fx, fy]| (y, turned(fx), fy));
    let mirrored = Columns {
        t: c.t,
        x: &x,
        v: &v,
        friction: &friction,
        pull: pull.as_deref(),
        plane: plane.as_ref().map(|(y, fx, fy)| [*y, fx.as_slice(), *fy]),
    };
    let mut list = forward(rig, &mirrored, units);
    for metric in list.iter_mut().filter(|metric| is_signed(&metric.name)) {
        metric.value = -metric.value;
    }
    list
}

/// Whether what drives a rig points backwards.
fn runs_backwards(rig: &Rig, c: &Columns<'_>) -> bool {
    let drive = match rig {
        Rig::Pulled(rig) => constant(&rig.speed),
        Rig::Plane(rig) => constant(&rig.speed),
        Rig::Slope(rig) => constant(&rig.load),
        Rig::Drift(rig) => constant(&rig.bias),
        Rig::Braking(_) => c.v.first().copied(),
        Rig::Breakaway(_) | Rig::Free(_) | Rig::Motion(_) => None,
    };
    drive.is_some_and(|drive| drive < 0.0)
}

/// Whether a number has a direction of its own: a place along the path, or a velocity that is no speed.
fn is_signed(name: &str) -> bool {
    const SIGNED: [&str; 9] = [
        "max_x",
        "final_x",
        "final_v",
        "drift",
        "drift_per_cycle",
        "creep",
        "min_v",
        "peak_friction.x",
        "peak_friction.v",
    ];
    SIGNED.contains(&name) || (name.starts_with("slip") && name.ends_with(".x"))
}

fn forward(rig: &Rig, c: &Columns<'_>, units: &Units) -> Vec<Metric> {
    let mut list = Metrics { list: Vec::new() };
    let magnitudes: Vec<f64> = c.friction.iter().map(|friction| friction.abs()).collect();
    let peak = largest(&magnitudes);
    list.add("peak_friction", magnitudes[peak], units.effort);
    list.add("peak_friction.time", c.t[peak], "s");
    list.add("peak_friction.x", c.x[peak], units.x);
    list.add("peak_friction.v", c.v[peak], units.v);
    list.add("max_speed", c.v.iter().fold(0.0, |most, v| v.abs().max(most)), units.v);
    list.add("max_x", c.x[largest(c.x)], units.x);
    list.add("final_x", Columns::last(c.x), units.x);
    list.add("final_v", Columns::last(c.v), units.v);
    match rig {
        Rig::Pulled(pulled) => {
            let end = c.pull.and_then(|_| constant(&pulled.speed)).map(f64::abs);
            let level = pulled.slip.as_ref().map(|s| s.value).or(end).unwrap_or(0.0);
            slips(&mut list, c, units, level, pulled.least.value);
            let stopped = pulled.stop.as_ref().and_then(|stop| constant(stop)).map(|stop| stop + 0.5);
            if let Some(rest) = pulled.rest.as_ref().map(|rest| rest.value).or(stopped) {
                list.add("drift", Columns::last(c.x) - c.at(c.x, rest), units.x);
            }
        }
        Rig::Plane(plane) => {
            let level = plane.slip.as_ref().map(|s| s.value).or(constant(&plane.speed)).unwrap_or(0.0).abs();
            slips(&mut list, c, units, level, 0.0);
            if let Some([_, fx, fy]) = c.plane {
                let most = |column: &[f64]| column.iter().fold(0.0f64, |most, value| most.max(value.abs()));
                list.add("peak_friction.fx", most(fx), units.effort);
                list.add("peak_friction.fy", most(fy), units.effort);
            }
        }
        Rig::Breakaway(breakaway) => {
            // The force at which the block moves at the given speed, or the largest friction.
            let speed = breakaway.speed.as_ref().map(|s| s.value);
            let found = speed.and_then(|speed| crossing(c.t, c.v, speed));
            match (speed, c.pull) {
                (Some(_), Some(pull)) => {
                    let at = found.unwrap_or(f64::NAN);
                    list.add("breakaway", c.at(pull, at), units.effort);
                    list.add("breakaway.time", at, "s");
                    list.add("breakaway.x", c.at(c.x, at), units.x);
                }
                _ => {
                    list.add("breakaway", c.friction[peak], units.effort);
                    list.add("breakaway.time", c.t[peak], "s");
                    list.add("breakaway.x", c.x[peak], units.x);
                }
            }
            if let (Some(force), Some(pull)) = (&breakaway.presliding, c.pull) {
                let at = crossing(c.t, pull, force.value).unwrap_or(f64::NAN);
                list.add("presliding.x", c.at(c.x, at), units.x);
            }
        }
        Rig::Drift(drift) => {
            if let Some(frequency) = constant(&drift.frequency) {
                let cycles = (Columns::last(c.t) * frequency * (1.0 + 1e-9)).floor();
                let mean = |k: f64| mean_between(c, k / frequency, (k + 1.0) / frequency);
                list.add("drift_per_cycle", mean(cycles - 1.0) - mean(cycles - 2.0), units.x);
            }
        }
        Rig::Slope(_) => {
            let middle = c.at(c.x, 0.5 * Columns::last(c.t));
            list.add("creep", Columns::last(c.x) - middle, units.x);
            let friction = Columns::last(c.friction);
            list.add("final_friction", friction, units.effort);
        }
        Rig::Braking(_) => {
            let stop = c.v.windows(2).position(|pair| pair[0] > 0.0 && pair[1] <= 0.0);
            let time = stop.map(|k| c.t[k] + (c.t[k + 1] - c.t[k]) * c.v[k] / (c.v[k] - c.v[k + 1]));
            list.add("stop_time", time.unwrap_or(f64::NAN), "s");
            list.add("spring_back", c.x[largest(c.x)] - Columns::last(c.x), units.x);
            list.add("min_v", c.v.iter().copied().fold(f64::INFINITY, f64::min), units.v);
        }
        Rig::Free(_) | Rig::Motion(_) => {
            // The swing that is left: over the last twentieth of the run.
            let from = 0.95 * Columns::last(c.t);
            let tail = c.x.iter().zip(c.t).filter(|(_, t)| **t >= from).map(|(x, _)| *x);
            let (low, high) = tail.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            list.add("swing", high - low, units.x);
        }
    }
    list.list
}

struct Metrics {
    list: Vec<Metric>,
}

impl Metrics {
    fn add(&mut self, name: impl Into<String>, value: f64, unit: &str) {
        self.list.push(Metric { name: name.into(), value, unit: unit.into() });
    }
}

/// Time before a slip in which the largest friction along x is looked for (s).
const SHORTLY: f64 = 0.02;

/// Times, speeds and places of slips: phases faster than `level` whose peak reaches `least`.
fn slips(list: &mut Metrics, c: &Columns<'_>, units: &Units, level: f64, least: f64) {
    let mut starts = Vec::new();
    let mut rows = Vec::new();
    let mut k = 1;
    while k < c.t.len() {
        if !(c.v[k - 1].abs() < level && c.v[k].abs() >= level) {
            k += 1;
            continue;
        }
        let start = between(c, k, level);
        let end = (k..c.t.len()).find(|&j| c.v[j].abs() < level).unwrap_or(c.t.len() - 1);
        let peak = c.v[k..=end].iter().fold(0.0f64, |most, v| most.max(v.abs()));
        if peak >= least {
            starts.push(start);
            rows.push((start, between(c, end, level), peak, end, k));
        }
        k = end + 1;
    }
    list.add("slips", starts.len() as f64, "1");
    if let [first, .., last] = starts[..] {
        list.add("period", (last - first) / (starts.len() - 1) as f64, "s");
    }
    if let (Some(pull), Some(first)) = (c.pull, starts.first()) {
        let after = || pull.iter().zip(c.t).filter(|(_, t)| *t >= first).map(|(f, _)| *f);
        list.add("pull_max", pull.iter().copied().fold(f64::NEG_INFINITY, f64::max), units.effort);
        list.add("pull_min", after().fold(f64::INFINITY, f64::min), units.effort);
    }
    for (number, (start, stop, speed, end, first)) in rows.into_iter().enumerate() {
        let name = |what: &str| format!("slip{}.{what}", number + 1);
        list.add(name("start"), start, "s");
        list.add(name("stop"), stop, "s");
        list.add(name("speed"), speed, units.v);
        list.add(name("x"), c.x[end], units.x);
        if let Some([y, fx, _]) = c.plane {
            list.add(name("y"), y[end], units.x);
            // What friction along x had come to before.
            let before = (0..=first).rev().take_while(|&j| c.t[j] > c.t[first] - SHORTLY);
            list.add(name("fx"), before.map(|j| fx[j]).fold(0.0, f64::max), units.effort);
        }
    }
}

/// When the speed crosses `level` between rows `k - 1` and `k`.
fn between(c: &Columns<'_>, k: usize, level: f64) -> f64 {
    let (a, b) = (c.v[k - 1].abs(), c.v[k].abs());
    if a == b { c.t[k] } else { c.t[k - 1] + (c.t[k] - c.t[k - 1]) * ((level - a) / (b - a)).clamp(0.0, 1.0) }
}

/// When a column first rises to a level.
fn crossing(t: &[f64], column: &[f64], level: f64) -> Option<f64> {
    let k = column.windows(2).position(|pair| pair[0] < level && pair[1] >= level)?;
    Some(t[k] + (t[k + 1] - t[k]) * (level - column[k]) / (column[k + 1] - column[k]))
}

fn mean_between(c: &Columns<'_>, from: f64, to: f64) -> f64 {
    let step = 0.5 * (to - from) / c.t.len().max(1) as f64;
    let inside = c.x.iter().zip(c.t).filter(|(_, t)| **t >= from - step && **t < to - step);
    let (sum, count) = inside.fold((0.0, 0.0), |(sum, count), (x, _)| (sum + x, count + 1.0));
    sum / count
}

/// Row of the largest value; zero where there is none.
fn largest(column: &[f64]) -> usize {
    let mut best = 0;
    for (k, value) in column.iter().enumerate() {
        if *value > column[best] {
            best = k;
        }
    }
    best
}

/// The value of a number without parameters.
fn constant(number: &gelenk_model::quantity::Number) -> Option<f64> {
    number.formula.expression.compile(&|_| None).ok()?.constant()
}
