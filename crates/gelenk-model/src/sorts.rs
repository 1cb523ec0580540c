//! The sorts of things that have names in a model, for the roles of fields.

use gelenk_file::role::Sort;

macro_rules! sorts {
    ($($(#[doc = $doc:literal])+ $name:ident = $sort:expr;)+) => {
        $( $(#[doc = $doc])+ pub const $name: Sort = $sort; )+
    };
}

sorts! {
    /// Named quantities.
    PARAMETER = Sort::new("parameter");
    /// Functions through points.
    CURVE = Sort::new("curve");
    /// Rigid bodies.
    BODY = Sort::new("body");
    /// Frames on bodies.
    FRAME = Sort::new("frame");
    /// What a joint, a frame or an element can stand on: a body, a frame, or the ground.
    PLACE = Sort::with("body or frame", "ground");
    /// Joints.
    JOINT = Sort::new("joint");
    /// Coordinates; joints name them, too.
    COORDINATE = Sort::new("coordinate");
    /// Constraints.
    LOOP = Sort::new("loop");
    /// Forces and torques on bodies.
    FORCE = Sort::new("force");
    /// Materials of surfaces.
    MATERIAL = Sort::with("material", crate::check::contacts::RIGID);
    /// What pairs of materials do together.
    PAIRING = Sort::new("pairing");
    /// What can touch others.
    SURFACE = Sort::new("surface");
    /// Groups of surfaces; naming a surface's group makes it.
    GROUP = Sort::new("group");
    /// Contacts.
    CONTACT = Sort::new("contact");
    /// Measures between frames.
    MEASURE = Sort::new("measure");
    /// Friction elements.
    FRICTION = Sort::new("friction element");
    /// Signals.
    SIGNAL = Sort::new("signal");
    /// Switches.
    SWITCH = Sort::new("switch");
    /// Sensors.
    SENSOR = Sort::new("sensor");
    /// Controllers.
    CONTROLLER = Sort::new("controller");
    /// Drives.
    DRIVE = Sort::new("drive");
    /// Recorded expressions.
    OUTPUT = Sort::new("output");
    /// Elements of the registry.
    ELEMENT = Sort::new("element");
}
