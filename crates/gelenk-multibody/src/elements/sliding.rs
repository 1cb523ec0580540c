//! Friction along a motion: reversals within a step, and laws that depend on the way.

use gelenk_laws::friction::planar::Vec2;
use gelenk_system::Fault;

use crate::blueprint::places;
use crate::data::Data;
use crate::elements::ElementInfo;
use crate::elements::{Attachment, Sight};
use crate::mechanism::Mechanism;

/// Share by which the acceleration may change in a step in which the motion reverses. In runs of a mass that comes to rest
/// on a Dahl law, steps above it have cycles of their own that creep for ever, and shorter steps never get there.
const UNRESOLVED: f64 = 0.25;
/// Share of the velocities that cancel in one below which it is rounding.
const ROUNDED: f64 = 1e-14;

fn dot(a: Vec2<f64>, b: Vec2<f64>) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn minus(a: Vec2<f64>, b: Vec2<f64>) -> Vec2<f64> {
    [a[0] - b[0], a[1] - b[1]]
}

impl Mechanism {
    /// Friction elements with a spring of the position in them: where they rest depends on the way there.
    fn following_position(&self) -> impl Iterator<Item = (usize, &ElementInfo)> {
        self.elements.iter().enumerate().filter(|(_, element)| element.kind.follows_position())
    }

    /// Friction that can hold a position at rest, by name, with the largest effort (N or N m) that it holds in the state that `d`
    /// was evaluated at last: around an equilibrium there is an interval of others.
    pub fn holding_friction<'a>(&'a self, d: &'a Data<f64>) -> impl Iterator<Item = (&'a str, f64)> {
        let named = |element: usize| {
            let level = self.sticking(d, element)?.breakaway;
            (level > 0.0).then_some((self.elements[element].name.as_str(), level))
        };
        (0..self.elements.len()).filter_map(named)
    }

    /// Names of the friction elements with a spring of the position in them: where they rest depends on the way there.
    pub fn laws_of_position(&self) -> impl Iterator<Item = &str> {
        self.following_position().map(|(_, element)| element.name.as_str())
    }

    /// Leads the laws of position from the start to the positions in `x`, on the straight way.
    pub(crate) fn lead_from_start(
        &self,
        d: &mut Data<f64>,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        if self.laws_of_position().next().is_none() {
            return Ok(());
        }
        let mut start = vec![0.0; self.layout.nx()];
        self.given_start(d, &mut start);
        self.close_start(d, &mut start)?;
        for (_, element) in self.following_position() {
            let Some(coordinate) = element.on.coordinate() else {
                let reason = format!(
                    "law {} needs a displacement that follows from the position, which friction between frames does \
                     not have; put it on a coordinate",
                    element.kind.spec().name
                );
                return Err(Fault::Refused { element: element.name.clone(), reason });
            };
            // The whole way at once: the laws do not depend on how fast it is.
            let (rest, mut way) = (Sight::default(), Sight::default());
            way.v[0] = x[coordinate] - start[coordinate];
            let (numbers, m) = ([d.elements.law.as_slice(), &d.elements.given], &mut m[element.m.clone()]);
            let zero = vec![0.0; element.z.len()];
            let z = &mut x[self.layout.z()][element.z.clone()];
            m.fill(0.0);
            element.kind.commit(&element.seen(&rest, numbers, &zero, &[]), m);
            element.advance(&element.seen(&way, numbers, &zero, m), 1.0, z);
            element.kind.commit(&element.seen(&way, numbers, z, &[]), m);
        }
        Ok(())
    }

    /// Whether a step of two stages follows all laws with states, see `System::resolves`.
    pub(crate) fn follows_reversals(&self, d: &mut Data<f64>, t: f64, q: &[f64], v: [&[f64]; 4]) -> bool {
        let friction = |element: &&ElementInfo| !element.z.is_empty() && element.kind.resists();
        self.elements.iter().filter(friction).all(|element| {
            let [start, first, between, end] = v.map(|v| match element.on.coordinate() {
                Some(coordinate) => [v[coordinate], 0.0],
                None => {
                    d.load(self, t, q, v);
                    self.kinematics(d);
                    let rate = self.sight(d, element).v;
                    [rate[0], rate[1]]
                }
            });
            let turns = dot(start, first) < 0.0 || dot(first, end) < 0.0;
            let (before, after) = (minus(first, start), minus(end, between));
            let change = minus(after, before);
            let most = dot(before, before).max(dot(after, after));
            !turns || dot(change, change) <= UNRESOLVED * UNRESOLVED * most
        })
    }

    /// A sliding velocity without rounding: what is a small share of the velocities that cancel in it does not tell a reversal.
    /// So a turn about an axis that no joint turns about, or a coordinate that loops lock, does not reverse without end.
    pub(crate) fn certain_sliding(&self, d: &Data<f64>, on: &Attachment, v: f64) -> f64 {
        let size = match *on {
            Attachment::Coordinate(_) => d.table[self.table.v..self.table.v + self.layout.nv]
                .iter()
                .fold(0.0f64, |max, v| max.max(v.abs())),
            Attachment::Along { between, .. } => {
                let [a, b] = places(between);
                let arm = (self.point(d, b) - self.point(d, a)).norm();
                let points = self.point_velocity(d, a).norm() + self.point_velocity(d, b).norm();
                points + arm * self.turn(d, a).norm()
            }
            Attachment::About { between, .. } => {
                let [a, b] = places(between);
                self.turn(d, a).norm() + self.turn(d, b).norm()
            }
            _ => 0.0,
        };
        if v.abs() <= ROUNDED * size { 0.0 } else { v }
    }
}
