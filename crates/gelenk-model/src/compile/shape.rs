//! Inertia of simple shapes of uniform density about their centre.

use crate::model_file::Shape;

/// Formulas for the moments xx, yy, zz over `m` (mass) and the sizes of the shape, which have these names:
/// box `x y z`; cylinder and capsule `r l`; sphere `r`; mesh `v` and its moments.
///
/// A capsule is a cylinder of length `l` with half spheres of radius `r`. With the shares
/// `m_c = m l/(l + 4r/3)` and `m_s = m - m_c`, and a half sphere having `2/5 r^2` about its flat side with its
/// centre of mass `3r/8` above it: `I_xx = m_c (l^2/12 + r^2/4) + m_s (2r^2/5 + l^2/4 + 3lr/8)`.
pub(super) fn moments(shape: &Shape) -> [&'static str; 3] {
    const ROUND: &str = "m*(3*r^2 + l^2)/12";
    const BALL: &str = "0.4*m*r^2";
    const CAPSULE: &str = "m*(l*(l^2/12 + r^2/4) + 4*r/3*(0.4*r^2 + l^2/4 + 3*l*r/8))/(l + 4*r/3)";
    match shape {
        Shape::Box(_) => ["m*(y^2 + z^2)/12", "m*(x^2 + z^2)/12", "m*(x^2 + y^2)/12"],
        Shape::Cylinder(_) => [ROUND, ROUND, "m*r^2/2"],
        Shape::Sphere(_) => [BALL; 3],
        Shape::Capsule(_) => [CAPSULE, CAPSULE, "m*(l*r^2/2 + 4*r/3*0.4*r^2)/(l + 4*r/3)"],
        // Over its volume `v` and its moments for density 1.
        Shape::Mesh(_) => ["m/v*xx", "m/v*yy", "m/v*zz"],
    }
}

/// The formula for the volume over the same sizes.
pub(super) fn volume(shape: &Shape) -> &'static str {
    match shape {
        Shape::Box(_) => "x*y*z",
        Shape::Cylinder(_) => "pi*r^2*l",
        Shape::Sphere(_) => "4/3*pi*r^3",
        Shape::Capsule(_) => "pi*r^2*(l + 4*r/3)",
        Shape::Mesh(_) => "v",
    }
}

#[cfg(test)]
mod tests {
    use gelenk_math::expression::Expression;

    fn value(formula: &str, (m, r, l): (f64, f64, f64)) -> f64 {
        let lookup = |name: &str| ["m", "r", "l"].iter().position(|n| *n == name);
        let program = Expression::parse(formula).unwrap().compile(&lookup).unwrap();
        program.eval(&[m, r, l], &mut vec![0.0; program.scratch_len()])
    }

    /// Integrates `x^2 + y^2` or `y^2 + z^2` over a capsule by slices along z.
    fn by_slices(about_z: bool, (m, r, l): (f64, f64, f64)) -> f64 {
        let n = 200_000;
        let (mut volume, mut moment) = (0.0, 0.0);
        let height = l + 2.0 * r;
        let dz = height / f64::from(n);
        for i in 0..n {
            let z = -height / 2.0 + (f64::from(i) + 0.5) * dz;
            let beyond = (z.abs() - l / 2.0).max(0.0);
            let square = r * r - beyond * beyond;
            let slice = std::f64::consts::PI * square * dz;
            volume += slice;
            // A disc has r^2/2 about its axis and r^2/4 about a diameter.
            moment += slice * if about_z { square / 2.0 } else { square / 4.0 + z * z };
        }
        m * moment / volume
    }

    #[test]
    fn capsule_matches_an_integral_over_slices() {
        use gelenk_file::read::Read;
        let sizes = (2.0, 0.3, 0.7);
        let text = "x = { capsule = { radius = 0.3, length = 0.7 } }";
        let mut sources = gelenk_file::source::Sources::default();
        let file = sources.add("", text);
        let mut report = gelenk_file::report::Report::new();
        let node = gelenk_file::document::parse(&sources, file, &mut report).unwrap();
        let mut reader = gelenk_file::read::Reader::new(&mut report);
        let shape = crate::model_file::Shape::read(&node.get("x").unwrap().node, &mut reader).unwrap();
        let [xx, _, zz] = super::moments(&shape);
        assert!((value(xx, sizes) - by_slices(false, sizes)).abs() < 1e-8);
        assert!((value(zz, sizes) - by_slices(true, sizes)).abs() < 1e-8);
    }
}
