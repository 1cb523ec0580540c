//! Loops that are closed at the start.

use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_model::{LogColumns, compile, parse_model};
use gelenk_multibody::{Data, Mechanism};
use gelenk_system::System;

use super::super::scale::{Dim, Scale};
use super::super::sketch::{Term, Value, table};
use super::{Draft, expression, text};

/// Types of loops with their numbers of equations.
const TYPES: [(&str, usize); 13] = [
    ("point", 3),
    ("parallel", 2),
    ("perpendicular", 1),
    ("orientation", 3),
    ("distance", 1),
    ("plane", 1),
    ("ellipsoid", 1),
    ("revolute", 5),
    ("cylindrical", 4),
    ("prismatic", 5),
    ("universal", 4),
    ("rigid", 6),
    ("coupling", 1),
];

impl Draft {
    /// The model so far at its start; `None` where the program refuses it.
    fn start(&self) -> Option<(Mechanism, Data<f64>, Vec<f64>)> {
        let text = self.sketch.text(&Scale::default());
        let model = parse_model(&text, None).ok()?;
        let mut log = |_: &_| -> Result<LogColumns, String> {
            Ok(LogColumns { time: vec![0.0, 1.0], value: vec![0.0, 0.0] })
        };
        let mechanism = compile(&model, &mut log).ok()?.build().ok()?;
        let mut data = mechanism.data::<f64>();
        mechanism.bind(&mut data, &mechanism.parameters().values());
        let layout = mechanism.layout();
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut data, &mut x, &mut m).ok()?;
        mechanism.set_state(&mut data, 0.0, &x[layout.q()], &x[layout.v()]).ok()?;
        Some((mechanism, data, x))
    }

    /// The poses of frames or bodies at the start, and the number of freedoms; `None` where the program refuses what
    /// there is so far.
    pub(super) fn poses(&self, names: &[&str]) -> Option<(Vec<Pose<f64>>, usize)> {
        let (mechanism, data, _) = self.start()?;
        let layout = mechanism.layout();
        let pose = |name: &&str| Some(mechanism.pose_of(&data, &mechanism.place(name)?));
        Some((names.iter().map(pose).collect::<Option<_>>()?, layout.nv - layout.nc.min(layout.nv)))
    }

    /// Up to two loops.
    pub(super) fn loops(&mut self) {
        if !self.wishes.loops || self.dice.chance(60) {
            return;
        }
        for k in 0..1 + self.dice.below(2) {
            let before = self.sketch.clone();
            self.closed(k);
            if !self.wishes.locked && self.locks() {
                self.sketch = before;
            }
        }
    }

    /// Whether some velocity vanishes in all motions that the loops admit: it is a combination of their rows.
    fn locks(&self) -> bool {
        let Some((mechanism, mut data, x)) = self.start() else { return true };
        let layout = mechanism.layout();
        let dense = mechanism.constraints(&mut data, 0.0, &x[layout.q()], &x[layout.v()]).rows.dense();
        // Rows made orthonormal one after the other; what depends on others vanishes.
        let mut basis: Vec<Vec<f64>> = vec![];
        for row in dense.chunks(layout.nv.max(1)) {
            let mut row = row.to_vec();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let size = dot(&row, &row).sqrt();
            for known in basis.iter().chain(&basis) {
                let share = dot(&row, known);
                row.iter_mut().zip(known).for_each(|(slot, value)| *slot -= share * value);
            }
            let left = dot(&row, &row).sqrt();
            if left > 1e-9 * size {
                row.iter_mut().for_each(|value| *value /= left);
                basis.push(row);
            }
        }
        (0..layout.nv).any(|k| basis.iter().map(|row| row[k] * row[k]).sum::<f64>() > 1.0 - 1e-6)
    }

    fn closed(&mut self, k: usize) {
        let name = format!("c{k}");
        let Some((_, freedoms)) = self.poses(&[]) else { return };
        let fitting: Vec<&str> =
            TYPES.into_iter().filter(|(_, rows)| *rows < freedoms).map(|(name, _)| name).collect();
        let Some(kind) = self.dice.pick(&fitting).copied() else { return };
        if kind == "coupling" {
            return self.coupling(&name);
        }
        let pair = self.pair();
        let Some((poses, _)) = self.poses(&[&pair[0], &pair[1]]) else { return };
        let mut value = table([
            ("type", Value::word(kind)),
            ("between", Value::List(pair.clone().map(Value::Word).into())),
        ]);
        let away = poses[1].position - poses[0].position;
        match kind {
            "distance" => value.set("length", Value::Number(away.norm(), Dim::LENGTH)),
            "ellipsoid" => {
                let local = poses[0].rotation.tr_mul(&away);
                // A point on the sphere through it, stretched along one axis.
                let radius = local.norm();
                let stretch = 1.2;
                let rest = (radius * radius - local.z * local.z).max(1e-4);
                let z = local.z.abs() * stretch + 0.05;
                let share = 1.0 - (local.z / z).powi(2);
                let across = (rest / share).sqrt();
                value.set("radii", Value::vector([across, across, z], Dim::LENGTH));
            }
            _ => self.bring(&pair[1], &poses, kind),
        }
        self.add("loops", &name, value);
    }

    /// Brings the second frame to where the first one is.
    fn bring(&mut self, name: &str, poses: &[Pose<f64>], kind: &str) {
        let Some(body) = self.frames.iter().find(|(frame, _)| frame == name).map(|(_, body)| body.clone())
        else {
            return;
        };
        let Some((on, _)) = self.poses(&[&body]) else { return };
        let mut rotation = on[0].rotation.tr_mul(&poses[0].rotation);
        if kind == "perpendicular" {
            rotation *= Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
        }
        let position: Vec3<f64> = on[0].rotation.tr_mul(&(poses[0].position - on[0].position));
        let entry = self.sketch.entries.iter_mut().find(|e| e.group == "frames" && e.name == name);
        if let Some(entry) = entry {
            entry.value.set("position", Value::vector(position.into(), Dim::LENGTH));
            entry.value.set("orientation", Value::vector(cardan(&rotation), Dim::ANGLE));
        }
    }

    fn coupling(&mut self, name: &str) {
        let (Some(a), Some(b)) = (self.coordinate(), self.coordinate()) else { return };
        if a.name == b.name {
            return;
        }
        let slope = self.dice.signed(0.3, 2.0);
        let pieces = [
            text(format!("{} - ", a.name)),
            Term::Number(slope, a.dim().over(b.dim())),
            text(format!("*{} - ", b.name)),
            Term::Number(a.start - slope * b.start, a.dim()),
        ];
        self.add("loops", name, table([("type", Value::word("coupling")), ("equation", expression(pieces))]));
    }
}

/// Cardan x-y-z angles of a rotation.
pub(super) fn cardan(r: &Mat3<f64>) -> [f64; 3] {
    let b = r[(0, 2)].clamp(-1.0, 1.0).asin();
    [(-r[(1, 2)]).atan2(r[(2, 2)]), b, (-r[(0, 1)]).atan2(r[(0, 0)])]
}
