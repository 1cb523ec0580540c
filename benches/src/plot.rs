//! Diagrams with both axes by powers of ten, as SVG.

use std::fmt::Write;

/// Size of a panel, and its margins.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// Room for the names of the curves, right of all panels.
const LEGEND: f64 = 230.0;

/// An axis: what it shows, and its range in powers of ten.
pub(crate) struct Axis {
    pub(crate) label: &'static str,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// An axis that holds all the values, in whole powers of ten.
pub(crate) fn axis(label: &'static str, values: impl Iterator<Item = f64>) -> Axis {
    let powers = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10);
    let (low, high) = powers.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    if low > high {
        return Axis { label, from: 0.0, to: 1.0 };
    }
    Axis { label, from: low.floor(), to: high.ceil().max(low.floor() + 1.0) }
}

/// A line through points.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) colour: &'static str,
    /// Dashed lines without marks are guides.
    pub(crate) guide: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

/// One diagram.
pub(crate) struct Panel {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) curves: Vec<Curve>,
}

/// Diagrams of the same curves beside each other, and the names of the curves.
pub(crate) fn svg(panels: &[Panel]) -> String {
    let width = WIDTH * panels.len() as f64 + LEGEND;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (k, panel) in panels.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate({} 0)\">", WIDTH * k as f64);
        draw(panel, &mut out);
        out += "</g>\n";
    }
    let names = panels.first().map(|panel| panel.curves.iter()).into_iter().flatten();
    for (k, curve) in names.enumerate() {
        let (x, y) = (width - LEGEND, TOP + 16.0 + 20.0 * k as f64);
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{}\">{}</text>", curve.colour, curve.name);
    }
    out + "</svg>\n"
}

fn draw(panel: &Panel, out: &mut String) {
    let place = |axis: &Axis, value: f64| (value.log10() - axis.from) / (axis.to - axis.from);
    let x = |value: f64| LEFT + place(&panel.x, value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - place(&panel.y, value) * (HEIGHT - TOP - BOTTOM);
    // Writing to a string does not fail.
    let mut text = |at: (f64, f64), attributes: &str, words: &str| {
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\" {attributes}>{words}</text>", at.0, at.1);
    };
    for power in ticks(&panel.x) {
        text((x(10f64.powi(power)), HEIGHT - 30.0), "text-anchor=\"middle\"", &format!("1e{power}"));
    }
    for power in ticks(&panel.y) {
        text((LEFT - 6.0, y(10f64.powi(power)) + 4.0), "text-anchor=\"end\"", &format!("1e{power}"));
    }
    text((WIDTH / 2.0, HEIGHT - 8.0), "text-anchor=\"middle\"", panel.x.label);
    let turned = format!("transform=\"rotate(-90 18 {0})\" text-anchor=\"middle\"", HEIGHT / 2.0);
    text((18.0, HEIGHT / 2.0), &turned, panel.y.label);
    let mut line = |points: &str, style: &str| {
        let _ = writeln!(out, "<polyline points=\"{points}\" fill=\"none\" {style}/>");
    };
    for power in ticks(&panel.x) {
        let x = x(10f64.powi(power));
        line(&format!("{x:.1},{TOP} {x:.1},{}", HEIGHT - BOTTOM), "stroke=\"#ddd\"");
    }
    for power in ticks(&panel.y) {
        let y = y(10f64.powi(power));
        line(&format!("{LEFT},{y:.1} {},{y:.1}", WIDTH - RIGHT), "stroke=\"#ddd\"");
    }
    for curve in &panel.curves {
        let inside: Vec<(f64, f64)> = curve
            .points
            .iter()
            .filter(|(a, b)| a.is_finite() && b.is_finite() && *a > 0.0 && *b > 0.0)
            .map(|&(a, b)| (x(a), y(b)))
            .collect();
        let points: Vec<String> = inside.iter().map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
        let dashes = if curve.guide { " stroke-dasharray=\"4 4\"" } else { " stroke-width=\"2\"" };
        line(&points.join(" "), &format!("stroke=\"{}\"{dashes}", curve.colour));
    }
    for curve in panel.curves.iter().filter(|curve| !curve.guide) {
        for &(a, b) in
            curve.points.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0 && a.is_finite() && b.is_finite())
        {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{}\"/>",
                x(a),
                y(b),
                curve.colour
            );
        }
    }
}

/// Whole powers of ten on an axis, at most about ten of them.
fn ticks(axis: &Axis) -> impl Iterator<Item = i32> {
    let (from, to) = (axis.from.ceil() as i32, axis.to.floor() as i32);
    (from..=to).step_by(1 + (to - from).unsigned_abs() as usize / 10)
}
