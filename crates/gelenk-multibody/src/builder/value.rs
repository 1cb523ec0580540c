//! Numbers of a model that is built in code: a value, or a formula over parameters.

/// A number, SI.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A value.
    Number(f64),
    /// A formula over the parameters that [`Builder::parameter`](super::Builder::parameter) has declared.
    Formula(String),
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Value {
    fn from(formula: &str) -> Self {
        Self::Formula(formula.into())
    }
}

/// Mass, centre and inertia of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Mass {
    /// Mass (kg).
    pub mass: Value,
    /// Centre of mass in the body frame (m).
    pub centre: [Value; 3],
    /// Inertia about the centre of mass in body axes (kg m^2): xx, yy, zz, xy, xz, yz.
    pub inertia: [Value; 6],
}

impl Mass {
    /// A point mass at the origin of the body.
    pub fn point(mass: impl Into<Value>) -> Self {
        let none = || Value::Number(0.0);
        Self {
            mass: mass.into(),
            centre: std::array::from_fn(|_| none()),
            inertia: std::array::from_fn(|_| none()),
        }
    }

    /// A solid box with these edges (m) about the origin of the body: `m (b^2 + c^2)/12`.
    pub fn cuboid(mass: f64, [a, b, c]: [f64; 3]) -> Self {
        let about = |x: f64, y: f64| mass * (x * x + y * y) / 12.0;
        Self::point(mass).with_inertia([about(b, c), about(a, c), about(a, b)])
    }

    /// A solid sphere about the origin of the body: `2/5 m r^2`.
    pub fn sphere(mass: f64, radius: f64) -> Self {
        Self::point(mass).with_inertia([0.4 * mass * radius * radius; 3])
    }

    /// A solid cylinder along the z axis of the body, about its origin: `m r^2/2` about the axis, `m (3 r^2 + l^2)/12` across.
    pub fn cylinder(mass: f64, radius: f64, length: f64) -> Self {
        let across = mass * (3.0 * radius * radius + length * length) / 12.0;
        Self::point(mass).with_inertia([across, across, 0.5 * mass * radius * radius])
    }

    /// The same with its centre elsewhere in the body (m); the inertia stays that about the centre.
    pub fn at<V: Into<Value>>(mut self, centre: [V; 3]) -> Self {
        self.centre = centre.map(Into::into);
        self
    }

    /// The same with principal inertias about the centre, in body axes (kg m^2).
    pub fn with_inertia<V: Into<Value>>(mut self, principal: [V; 3]) -> Self {
        for (slot, value) in self.inertia.iter_mut().zip(principal) {
            *slot = value.into();
        }
        self
    }

    /// The same with products of inertia xy, xz and yz, as entries of the tensor (kg m^2).
    pub fn with_products<V: Into<Value>>(mut self, products: [V; 3]) -> Self {
        for (slot, value) in self.inertia.iter_mut().skip(3).zip(products) {
            *slot = value.into();
        }
        self
    }
}
