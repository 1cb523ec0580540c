//! The points of a sweep.

use super::{Compiled, settings};
use crate::load::{Failure, Loaded};
use crate::quantity::Formula;
use crate::study_file::{Scale, StudyFile};
use crate::sweep_study::{MOST_POINTS, Over, Sampling};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_signal::random;
use gelenk_system::Param;

/// A parameter that a sweep varies.
#[derive(Clone, PartialEq, Debug)]
pub struct Swept {
    /// The parameter.
    pub param: Param,
    /// Its path.
    pub path: String,
    /// Its SI unit.
    pub unit: String,
}

/// What a sweep runs: parameters, and their values (SI) at every point.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    /// The parameters.
    pub swept: Vec<Swept>,
    /// Values of all of them, point by point.
    pub values: Vec<Vec<f64>>,
    /// Numbers of values of each where all combinations are run, else empty.
    pub grid: Vec<usize>,
}

/// Values of one parameter: given ones, or a range with a scale.
enum Values {
    Given(Vec<f64>),
    Range { lower: f64, upper: f64, logarithmic: bool },
}

impl Values {
    /// The value at a share of the range, from 0 to 1.
    fn at(&self, share: f64) -> f64 {
        match self {
            Self::Given(values) => {
                values.get((share * values.len() as f64) as usize).copied().unwrap_or(f64::NAN)
            }
            Self::Range { upper, .. } if share == 1.0 => *upper,
            Self::Range { lower, upper, logarithmic: true } => lower * (upper / lower).powf(share),
            Self::Range { lower, upper, logarithmic: false } => lower + share * (upper - lower),
        }
    }

    /// The values of a grid.
    fn list(&self, count: usize) -> Vec<f64> {
        match self {
            Self::Given(values) => values.clone(),
            Self::Range { .. } if count == 1 => vec![self.at(0.0)],
            Self::Range { .. } => (0..count).map(|k| self.at(k as f64 / (count - 1) as f64)).collect(),
        }
    }
}

impl Compiled {
    /// The points of a sweep.
    ///
    /// # Errors
    /// Unknown and structural paths, values of another dimension or outside the bounds, and too many points; each with its
    /// place in the study.
    pub fn points(&self, study: &Loaded<StudyFile>) -> Result<Points, Failure> {
        let mut report = Report::new();
        let (mut swept, mut values, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for over in &study.file.over {
            let param = match self.find(&over.path) {
                Ok(param) => param,
                Err(error) => {
                    report.push(Diagnostic::error(over.path.span, error.to_string()));
                    continue;
                }
            };
            let Some(found) = self.values(over, param, &mut report) else { continue };
            let unit = self.parameters.get(param).map(|entry| entry.unit.clone()).unwrap_or_default();
            let count = over.count.as_ref().map_or(1, |count| count.value as usize);
            swept.push(Swept { param, path: over.path.text.clone(), unit });
            counts.push(count);
            values.push(found);
        }
        settings::finish(report, study)?;
        let table = study.file.sweep.as_ref();
        let sampling = table.map_or(Sampling::Grid, |table| table.sampling.value);
        let many = table.and_then(|table| table.points.as_ref()).map_or(0, |points| points.value as usize);
        let seed = table.map_or(1, |table| table.seed.value as u64);
        let drawn = match sampling {
            Sampling::Grid | Sampling::List => {
                let lists = values.iter().zip(&counts).map(|(values, &count)| values.list(count)).collect();
                if sampling == Sampling::Grid { grid(lists) } else { list(&lists) }
            }
            Sampling::LatinHypercube => Ok(hypercube(&values, many, seed)),
            Sampling::Random => Ok(random_points(&values, many, seed)),
        };
        let mut report = Report::new();
        match drawn {
            Ok((values, grid)) => Ok(Points { swept, values, grid }),
            Err(message) => {
                let span = study.file.over.first().map_or(study.file.span, |over| over.span);
                report.push(Diagnostic::error(span, message));
                settings::finish(report, study).map(|()| Points {
                    swept,
                    values: Vec::new(),
                    grid: Vec::new(),
                })
            }
        }
    }

    fn values(&self, over: &Over, param: Param, report: &mut Report) -> Option<Values> {
        let mut number = |formula: &Formula| {
            let value = self.study_value(&over.path, formula, report)?;
            let entry = self.parameters.get(param)?;
            if value < entry.lower || value > entry.upper {
                report.push(Diagnostic::error(formula.span, entry.outside(value).to_string()));
                return None;
            }
            Some(value)
        };
        if let (Some(lower), Some(upper)) = (&over.lower, &over.upper) {
            let (low, high) = (number(&lower.formula), number(&upper.formula));
            let (low, high) = (low?, high?);
            let logarithmic = over.scale == Scale::Log;
            if low >= high {
                let message = "\"lower\" must be less than \"upper\"";
                report.push(Diagnostic::error(lower.formula.span, message));
                return None;
            }
            if logarithmic && low <= 0.0 {
                let message = "a logarithmic scale needs a \"lower\" greater than 0";
                report.push(Diagnostic::error(lower.formula.span, message));
                return None;
            }
            return Some(Values::Range { lower: low, upper: high, logarithmic });
        }
        let values: Vec<Option<f64>> = over.values.iter().map(|value| number(&value.formula)).collect();
        values.into_iter().collect::<Option<Vec<f64>>>().map(Values::Given)
    }
}

type Drawn = (Vec<Vec<f64>>, Vec<usize>);

/// All combinations, the last parameter fastest.
fn grid(lists: Vec<Vec<f64>>) -> Result<Drawn, String> {
    let counts: Vec<usize> = lists.iter().map(Vec::len).collect();
    let total = counts.iter().fold(1.0, |total, &count| total * count as f64);
    if total > MOST_POINTS {
        return Err(format!("the grid has {total:e} points; the limit is {MOST_POINTS:e}"));
    }
    let mut points = vec![Vec::new()];
    for list in &lists {
        points = points.iter().flat_map(|point| list.iter().map(move |&v| with(point, v))).collect();
    }
    Ok((points, counts))
}

fn with(point: &[f64], value: f64) -> Vec<f64> {
    point.iter().copied().chain([value]).collect()
}

/// The k-th values together.
fn list(lists: &[Vec<f64>]) -> Result<Drawn, String> {
    let count = lists.first().map_or(0, Vec::len);
    if lists.iter().any(|list| list.len() != count) {
        let counts: Vec<String> = lists.iter().map(|list| list.len().to_string()).collect();
        return Err(format!("a list needs equally many values of all paths, not {}", counts.join(", ")));
    }
    let point = |k: usize| lists.iter().map(|list| list[k]).collect();
    Ok(((0..count).map(point).collect(), Vec::new()))
}

fn random_points(values: &[Values], count: usize, seed: u64) -> Drawn {
    let dimensions = values.len() as u64;
    let share = |k: usize, d: usize| random::uniform(seed, k as u64 * dimensions + d as u64);
    let point = |k: usize| values.iter().enumerate().map(|(d, values)| values.at(share(k, d))).collect();
    ((0..count).map(point).collect(), Vec::new())
}

/// A Latin hypercube: every parameter has one point in each of `count` equal parts of its range, in random order and at a
/// random place in the part (McKay, Beckman, Conover, Technometrics 21 (1979) 239).
fn hypercube(values: &[Values], count: usize, seed: u64) -> Drawn {
    let mut points = vec![Vec::with_capacity(values.len()); count];
    for (d, values) in values.iter().enumerate() {
        let own = random::bits(seed, d as u64);
        let mut order: Vec<usize> = (0..count).collect();
        // Fisher and Yates.
        for k in (1..count).rev() {
            order.swap(k, (random::uniform(own, k as u64) * (k + 1) as f64) as usize);
        }
        for (k, (point, part)) in points.iter_mut().zip(order).enumerate() {
            let inside = random::uniform(own, (count + k) as u64);
            point.push(values.at((part as f64 + inside) / count as f64));
        }
    }
    (points, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Values {
        Values::Range { lower: 0.0, upper: 1.0, logarithmic: false }
    }

    #[test]
    fn a_grid_has_all_combinations_and_exact_ends() {
        let wide = Values::Range { lower: 1.0, upper: 100.0, logarithmic: true };
        let (points, counts) = grid(vec![vec![1.0, 2.0], wide.list(3)]).unwrap();
        assert_eq!(counts, [2, 3]);
        let second: Vec<f64> = points.iter().map(|point| point[1]).collect();
        assert_eq!(points.iter().map(|point| point[0]).collect::<Vec<_>>(), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert!(second.iter().zip([1.0, 10.0, 100.0, 1.0, 10.0, 100.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!((second[0], second[2]), (1.0, 100.0));
        assert!(grid(vec![vec![0.0; 5000], vec![0.0; 5000]]).unwrap_err().contains("the limit"));
        assert!(list(&[vec![1.0], vec![1.0, 2.0]]).unwrap_err().contains("not 1, 2"));
    }

    /// By definition: each of the parts of each range has one point.
    #[test]
    fn a_latin_hypercube_has_every_part_once() {
        let (points, _) = hypercube(&[unit(), unit(), unit()], 50, 7);
        for d in 0..3 {
            let mut parts: Vec<usize> = points.iter().map(|point| (point[d] * 50.0) as usize).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..50).collect::<Vec<_>>());
        }
        assert_ne!(points[0][0], points[0][1]);
        assert_eq!(points, hypercube(&[unit(), unit(), unit()], 50, 7).0);
    }

    /// The mean of even numbers is one half, with a standard error of `1/sqrt(12 n)`.
    #[test]
    fn random_points_are_even() {
        let (points, _) = random_points(&[unit(), unit()], 4000, 3);
        for d in 0..2 {
            let mean = points.iter().map(|point| point[d]).sum::<f64>() / 4000.0;
            assert!((mean - 0.5).abs() < 5.0 / (12.0f64 * 4000.0).sqrt(), "{mean}");
        }
    }
}
