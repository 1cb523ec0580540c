//! The sorts of things that have names in a model, for the roles of fields.

use gelenk_file::role::Sort;

macro_rules! sorts {
    ($($(#[doc = $doc:literal])+ $name:ident = $sort:expr;)+) => {
        $( $(#[doc = $doc])+ pub const $name: Sort = $sort; )+
    };
}

sorts! {
    /// Named quantities.
    PARAMETER = Sort::new("parameter").in_expressions();
    /// Functions through points.
    CURVE = Sort::new("curve");
    /// Rigid bodies.
    BODY = Sort::new("body");
    /// Frames on bodies.
    FRAME = Sort::new("frame");
    /// What a joint or a frame stands on.
    CARRIER = Sort::any("body", &[BODY.noun, FRAME.noun]).with("ground");
    /// What a joint carries; only to be told that it cannot, the ground.
    CHILD = Sort::any("body", &[BODY.noun]).with("ground");
    /// What elements act on and between; a body stands for its own frame.
    PLACE = Sort::any("frame", &[FRAME.noun, BODY.noun]).with("ground");
    /// The frame of an inertia, which is on the body that has it, or that body.
    INERTIA_FRAME = Sort::any("frame", &[FRAME.noun, BODY.noun]);
    /// Joints.
    JOINT = Sort::new("joint");
    /// Coordinates; joints name them, too.
    COORDINATE = Sort::new("coordinate").in_expressions();
    /// Constraints.
    LOOP = Sort::new("loop");
    /// Forces and torques on bodies.
    FORCE = Sort::new("force");
    /// Shapes that are only seen.
    VISUAL = Sort::new("visual");
    /// Materials of surfaces.
    MATERIAL = Sort::new("material");
    /// Materials of both sides of a contact.
    SIDE = Sort::any("material", &[MATERIAL.noun]).with(crate::check::contacts::RIGID);
    /// What pairs of materials do together.
    PAIRING = Sort::new("pairing");
    /// What can be in contact with others.
    SURFACE = Sort::new("surface");
    /// Groups of surfaces, which their surfaces name.
    GROUP = Sort::new("group");
    /// What contacts join.
    SURFACE_OR_GROUP = Sort::any("surface or group", &[SURFACE.noun, GROUP.noun]);
    /// Contacts.
    CONTACT = Sort::new("contact");
    /// Measures between frames.
    MEASURE = Sort::new("measure").in_expressions();
    /// Friction elements.
    FRICTION = Sort::new("friction element");
    /// Signals.
    SIGNAL = Sort::new("signal").in_expressions();
    /// Switches.
    SWITCH = Sort::new("switch").in_expressions();
    /// Sensors.
    SENSOR = Sort::new("sensor").in_expressions();
    /// Controllers.
    CONTROLLER = Sort::new("controller").in_expressions();
    /// Recorded expressions.
    OUTPUT = Sort::new("output").in_expressions();
}
