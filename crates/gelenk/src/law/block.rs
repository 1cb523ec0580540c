//! A block under a law as an ordinary model: what a rig is made of.

use gelenk_model::parse_model;

use super::Subject;
use crate::open::{OpenError, Overrides, Prepared, prepare, read_log};

/// A block on a slide, under one law, perhaps held by a spring and moved by a force.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The law.
    pub subject: Subject,
    /// Mass (kg).
    pub mass: f64,
    /// Initial velocity (m/s).
    pub velocity: f64,
    /// Force on it as an expression in time `t`, position `x`, its rate `x.rate` and signals; SI.
    pub force: String,
    /// Further tables of the model, such as signals and outputs.
    pub tables: String,
    /// End of the run (s).
    pub until: f64,
    /// Sampling period (s).
    pub output: f64,
    /// The solver as a model file says it.
    pub solver: String,
}

impl Default for Block {
    /// A free block of 1 kg with viscous friction.
    fn default() -> Self {
        let subject = Subject {
            label: "viscous".into(),
            law: gelenk_laws::Friction::Viscous,
            parameters: vec![1.0],
            elements: 0,
        };
        Self {
            subject,
            mass: 1.0,
            velocity: 0.0,
            force: "0 N".into(),
            tables: String::new(),
            until: 1.0,
            output: 1e-3,
            solver: "{ method = \"auto\" }".into(),
        }
    }
}

/// The position in recordings.
pub const POSITION: &str = "x";
/// The velocity in recordings.
pub const VELOCITY: &str = "x.rate";
/// Friction in recordings.
pub const FRICTION: &str = "joints.slide.friction";

impl Block {
    /// The model file.
    pub fn text(&self) -> String {
        format!(
            "schema = 1\n\
             title = \"A block under {law} friction\"\n\
             gravity = [0, 0, 0]\n\n\
             [bodies.block]\n\
             mass = {mass:e}\n\
             shape = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\n\n\
             [joints.slide]\n\
             type = \"prismatic\"\n\
             parent = \"ground\"\n\
             child = \"block\"\n\
             axis = [1, 0, 0]\n\
             coordinate = {{ name = \"x\", rate = {velocity:e} }}\n\
             friction = {friction}\n\n\
             [drives.force]\n\
             on = \"x\"\n\
             force = \"{force}\"\n\n\
             {tables}\n\
             [simulate]\n\
             until = {until:e}\n\
             output = {output:e}\n\
             solver = {solver}\n",
            law = self.subject.law.spec().name,
            mass = self.mass,
            velocity = self.velocity,
            friction = self.subject.table(),
            force = self.force,
            tables = self.tables,
            until = self.until,
            output = self.output,
            solver = self.solver,
        )
    }

    /// The model, ready to run.
    ///
    /// # Errors
    /// What any model may be refused for; the report shows the text of the block.
    pub fn prepare(&self) -> Result<Prepared, OpenError> {
        let model = parse_model(&self.text(), None)?;
        let compiled = gelenk_model::compile(&model, &mut read_log)?;
        prepare(&model, None, compiled, &Overrides::default())
    }
}
