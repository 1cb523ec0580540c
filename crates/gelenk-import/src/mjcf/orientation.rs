//! The five ways to write a rotation.

use super::settings::Settings;
use crate::values::{View, unit};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::rotation::{about_axis, from_quaternion};
use gelenk_math::spatial::{Mat3, Pose, Vec3};

/// `pos` and the rotation of an element.
pub(super) fn pose(view: &View<'_>, settings: &Settings, report: &mut Report) -> Pose<f64> {
    let position = view.vector("pos", report).unwrap_or_else(Vec3::zeros);
    Pose::new(rotation(view, settings, report), position)
}

/// The rotation of an element: `axisangle`, `xyaxes`, `zaxis`, `euler` or `quat`.
pub(super) fn rotation(view: &View<'_>, settings: &Settings, report: &mut Report) -> Mat3<f64> {
    let given = given(view, settings, report);
    if let Some(Err(name)) = given
        && let Some(attribute) = view.get(name)
    {
        report.push(Diagnostic::error(attribute.span, format!("\"{name}\" defines no direction")));
    }
    given.and_then(Result::ok).unwrap_or_else(Mat3::identity)
}

/// The rotation, if one is given, or the attribute that fails to give one.
fn given(
    view: &View<'_>,
    settings: &Settings,
    report: &mut Report,
) -> Option<Result<Mat3<f64>, &'static str>> {
    if let Some([x, y, z, angle]) = view.fixed::<4>("axisangle", report) {
        let axis = unit(&Vec3::new(x, y, z)).ok_or("axisangle");
        return Some(axis.map(|axis| about_axis(&axis, angle * settings.angle)));
    }
    if let Some([a, b, c, d, e, f]) = view.fixed::<6>("xyaxes", report) {
        return Some(from_axes(&Vec3::new(a, b, c), &Vec3::new(d, e, f)).ok_or("xyaxes"));
    }
    if let Some(axis) = view.vector("zaxis", report) {
        return Some(unit(&axis).map(|axis| from_z(&axis)).ok_or("zaxis"));
    }
    if let Some(angles) = view.fixed::<3>("euler", report) {
        return Some(Ok(from_euler(settings.euler, angles.map(|angle| angle * settings.angle))));
    }
    let quaternion = view.fixed::<4>("quat", report)?;
    // Scaling first keeps squares from overflow.
    let largest = quaternion.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let rotation = from_quaternion(quaternion.map(|x| x / largest));
    Some(if rotation.iter().all(|x| x.is_finite()) { Ok(rotation) } else { Err("quat") })
}

/// Axes x and y, the second made perpendicular to the first.
fn from_axes(x: &Vec3<f64>, y: &Vec3<f64>) -> Option<Mat3<f64>> {
    let x = unit(x)?;
    let y = unit(y)?;
    let y = unit(&(y - x * x.dot(&y)))?;
    Some(Mat3::from_columns(&[x, y, x.cross(&y)]))
}

/// The smallest rotation that turns z to a unit vector; a half turn is made about x.
pub(crate) fn from_z(axis: &Vec3<f64>) -> Mat3<f64> {
    let across = Vec3::z().cross(axis);
    let sine = across.norm();
    let about = if sine < 1e-10 { Vec3::x() } else { across / sine };
    about_axis(&about, sine.atan2(axis.z))
}

/// Three turns; small letters about moving axes, capital ones about fixed axes.
fn from_euler(sequence: [char; 3], angles: [f64; 3]) -> Mat3<f64> {
    let mut rotation = Mat3::identity();
    for (letter, angle) in sequence.into_iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vec3::x(),
            'y' => Vec3::y(),
            _ => Vec3::z(),
        };
        let turn = about_axis(&axis, angle);
        rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The angles of moving axes in one order are those of fixed axes in the other.
    #[test]
    fn moving_and_fixed_axes_mirror_each_other() {
        let moving = from_euler(['x', 'y', 'z'], [0.3, -0.8, 1.2]);
        let fixed = from_euler(['Z', 'Y', 'X'], [1.2, -0.8, 0.3]);
        assert!((moving - fixed).norm() < 1e-15);
    }

    #[test]
    fn z_is_turned_to_the_axis_on_the_shortest_way() {
        for axis in [Vec3::new(0.6, 0.0, 0.8), -Vec3::z(), Vec3::z(), Vec3::new(0.0, -1.0, 0.0)] {
            assert!((from_z(&axis) * Vec3::z() - axis).norm() < 1e-15);
        }
        let trace = from_z(&Vec3::new(0.6, 0.0, 0.8)).trace();
        assert!((trace - (1.0 + 2.0 * 0.8)).abs() < 1e-15);
    }
}
