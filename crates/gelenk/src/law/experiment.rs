//! Experiments on laws that give one curve each.

use gelenk_laws::diagnose::{Scales, cycles, lag, path};
use gelenk_laws::{Driven, LawError};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_record::{Column, RecordError, Recording};
use thiserror::Error;

use super::block::BlockError;
use super::{Block, Subject};
use crate::run::RunError;

/// An experiment on laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Friction over displacement along a path with small loops.
    Presliding,
    /// Friction in steady sliding over velocity.
    Stribeck,
    /// Largest friction before a block breaks away, over the rate at which it is loaded.
    Breakaway,
    /// Friction over a velocity that rises and falls without changing sign.
    Lag,
    /// Where slow cycles between two forces below the level of sliding lead to.
    Drift,
    /// Friction over a velocity that changes sign.
    Reversal,
}

impl Experiment {
    /// All experiments.
    pub const ALL: [Self; 6] =
        [Self::Presliding, Self::Stribeck, Self::Breakaway, Self::Lag, Self::Drift, Self::Reversal];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Presliding => "presliding",
            Self::Stribeck => "stribeck",
            Self::Breakaway => "breakaway",
            Self::Lag => "lag",
            Self::Drift => "drift",
            Self::Reversal => "reversal",
        }
    }

    /// The experiment of this word.
    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.word() == word)
    }

    /// Title of its picture.
    pub fn title(self) -> &'static str {
        match self {
            Self::Presliding => "Friction along a path with small loops",
            Self::Stribeck => "Friction in steady sliding",
            Self::Breakaway => "Friction at break-away over the rate of loading",
            Self::Lag => "Friction while the speed rises and falls",
            Self::Drift => "Displacement over slow cycles of a biased load",
            Self::Reversal => "Friction through reversals of the velocity",
        }
    }
}

/// Conditions of an experiment; those that are not given follow from the laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Largest displacement (m, rad).
    pub amplitude: Option<f64>,
    /// Speed (m/s, rad/s).
    pub speed: Option<f64>,
    /// Frequency (Hz).
    pub frequency: Option<f64>,
    /// Whether units are those of a rotation.
    pub rotation: bool,
}

/// What an experiment gave.
#[derive(Clone, Debug)]
pub struct Curves {
    /// A recording with two columns beside time for each law.
    pub recordings: Vec<(String, Recording)>,
    /// Column of the horizontal axis.
    pub x: String,
    /// Column of the vertical axis.
    pub y: String,
    /// Laws without a curve, and why.
    pub missing: Vec<String>,
}

/// An experiment that failed.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// No law shows anything in it.
    #[error("{0}")]
    Nothing(String),
    /// Numbers that a law refuses.
    #[error(transparent)]
    Law(#[from] LawError),
    /// A block that cannot be simulated.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// A run that failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A recording that could not be made.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Multiple of the presliding distance at which a block has broken away.
const LEFT: f64 = 10.0;

/// One curve: time, x and y.
type Curve = [Vec<f64>; 3];

/// Performs an experiment on laws, all under the same conditions.
///
/// # Errors
/// No law shows anything in it, or a run failed.
pub fn perform(
    experiment: Experiment,
    subjects: &[Subject],
    conditions: &Conditions,
) -> Result<Curves, ExperimentError> {
    let scales: Vec<Scales> = subjects.iter().map(Subject::scales).collect::<Result<_, _>>()?;
    let most = |get: fn(&Scales) -> f64| scales.iter().map(get).fold(0.0, f64::max);
    let shared = Shared {
        distance: most(|s| s.distance),
        speed: most(|s| s.speed),
        slow: scales.iter().map(|s| s.slow).fold(f64::INFINITY, f64::min),
        conditions: *conditions,
    };
    let mut curves = Vec::new();
    let mut missing = Vec::new();
    for (subject, scales) in subjects.iter().zip(&scales) {
        let curve = match experiment {
            Experiment::Presliding => Some(shared.presliding(&mut subject.driven()?)),
            Experiment::Stribeck => Some(shared.stribeck(subject)),
            Experiment::Breakaway if !subject.law.spec().properties.sticks => None,
            Experiment::Breakaway => Some(shared.breakaway(subject, scales)?),
            Experiment::Lag => Some(shared.lag(&mut subject.driven()?)),
            Experiment::Drift => shared.drift(&mut subject.driven()?, scales),
            Experiment::Reversal => Some(shared.reversal(&mut subject.driven()?)),
        };
        match curve {
            Some(curve) => curves.push((subject.label.clone(), curve)),
            None => missing
                .push(format!("{} does not sustain a load at rest, so it has no curve here", subject.label)),
        }
    }
    if curves.is_empty() {
        return Err(ExperimentError::Nothing(missing.join("; ")));
    }
    let [x, y] = columns(experiment, conditions.rotation);
    let mut recordings = Vec::new();
    for (label, data) in curves {
        let columns = vec![Column::time(), x.clone(), y.clone()];
        recordings.push((label, Recording::from_data(columns, data.into())?));
    }
    Ok(Curves { recordings, x: x.name, y: y.name, missing })
}

/// The two columns of an experiment with their units.
fn columns(experiment: Experiment, rotation: bool) -> [Column; 2] {
    let kind = if rotation { CoordinateKind::Angle } else { CoordinateKind::Length };
    let unit = |quantity| super::unit_of(quantity, kind);
    use gelenk_laws::Kind::{Displacement, Effort, Rate};
    let displacement = Column::new("displacement", unit(Displacement), "position of the law");
    let velocity = Column::new("velocity", unit(Rate), "velocity of the law");
    let friction = Column::new("friction", unit(Effort), "positive against motion in positive direction");
    match experiment {
        Experiment::Presliding => [displacement, friction],
        Experiment::Stribeck | Experiment::Lag | Experiment::Reversal => [velocity, friction],
        Experiment::Breakaway => {
            let unit = if rotation { "N m/s" } else { "N/s" };
            let name = format!("lg(rate of loading in {unit})");
            [Column::new(name, "1", "decimal logarithm"), friction]
        }
        Experiment::Drift => [Column::new("cycle", "1", "cycles of the load"), displacement],
    }
}

/// Conditions that all laws of an experiment share.
struct Shared {
    distance: f64,
    speed: f64,
    slow: f64,
    conditions: Conditions,
}

impl Shared {
    fn presliding(&self, driven: &mut Driven) -> Curve {
        let a = self.conditions.amplitude.unwrap_or(2.0 * self.distance);
        let speed = self.conditions.speed.unwrap_or(self.slow.max(0.1 * self.speed));
        let turns = [1.0, -1.0, 0.4, -0.2, 0.4, 1.0].map(|x| x * a);
        transpose(path(driven, &turns, speed, 250).iter().map(|s| [s.t, s.x, s.force]))
    }

    fn stribeck(&self, subject: &Subject) -> Curve {
        let most = self.conditions.speed.unwrap_or(10.0 * self.speed);
        let points = (-400..=400).map(|k| {
            let v = most * f64::from(k) / 400.0;
            [f64::from(k + 400), v, subject.law.steady(&subject.parameters, v)]
        });
        transpose(points)
    }

    /// A block of 1 kg under a rising force: the largest friction until it has left the presliding range.
    fn breakaway(&self, subject: &Subject, scales: &Scales) -> Result<Curve, ExperimentError> {
        let mut rows = Vec::new();
        for step in 0..9 {
            // From a hundredth of the level a second to a hundred levels a second.
            let rate = scales.force * 10f64.powf(-2.0 + 0.5 * f64::from(step));
            // Under a rising force alone the block would have left at the cube root.
            let free = (6.0 * LEFT * scales.distance / rate).cbrt();
            let until = 1.5 * scales.force / rate + 1.5 * free;
            let stepped = subject.law.spec().modes.stepped;
            let block = Block {
                subject: subject.clone(),
                force: format!("{rate:e} [N/s] * t"),
                until,
                output: until / 4000.0,
                step: stepped.then_some(until / 4000.0),
                ..Block::default()
            };
            let (mechanism, options) = block.prepare()?;
            let (recording, _) = crate::run::run(&mechanism, &mechanism.parameters().values(), &options)?;
            let (x, force) =
                (recording.column(super::block::POSITION)?, recording.column(super::block::FRICTION)?);
            let inside = |x: f64| x.abs() < LEFT * scales.distance;
            let peak =
                x.iter().zip(force).take_while(|(x, _)| inside(**x)).map(|(_, f)| *f).fold(0.0, f64::max);
            rows.push([f64::from(step), rate.log10(), peak]);
        }
        Ok(transpose(rows.into_iter()))
    }

    fn lag(&self, driven: &mut Driven) -> Curve {
        let mean = self.conditions.speed.unwrap_or(3.0 * self.speed);
        let frequency = self.conditions.frequency.unwrap_or(0.05 * mean / self.distance);
        let loops = lag(driven, mean, 0.9 * mean, frequency, 4000);
        transpose(loops.cycle.iter().map(|s| [s.t, s.v, s.force]))
    }

    fn drift(&self, driven: &mut Driven, scales: &Scales) -> Option<Curve> {
        let forces = [0.35, 0.85].map(|share| share * scales.force);
        let turns = cycles::turning_points(driven, forces, 10, scales)?;
        Some(transpose(turns.iter().enumerate().map(|(k, x)| [k as f64, 0.5 * k as f64, *x])))
    }

    fn reversal(&self, driven: &mut Driven) -> Curve {
        let speed = self.conditions.speed.unwrap_or(3.0 * self.speed);
        let amplitude = self.conditions.amplitude.unwrap_or(5.0 * self.distance);
        let frequency = self.conditions.frequency.unwrap_or(speed / (2.0 * std::f64::consts::PI * amplitude));
        let loops = lag(driven, 0.0, speed, frequency, 8000);
        transpose(loops.cycle.iter().map(|s| [s.t, s.v, s.force]))
    }
}

fn transpose(rows: impl Iterator<Item = [f64; 3]>) -> Curve {
    let mut out = Curve::default();
    for row in rows {
        out.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    out
}
