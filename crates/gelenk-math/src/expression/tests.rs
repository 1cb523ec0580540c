use super::*;
use crate::spline::{Curve, LinearTable};
use crate::units::Dimension;
use crate::{Dual, Real, partial, seed};
use proptest::prelude::*;
use std::sync::Arc;

const NAMES: [&str; 3] = ["x", "y", "z"];

fn slot(name: &str) -> Option<usize> {
    NAMES.iter().position(|n| *n == name)
}

fn run<T: Real>(expression: &Expression, slots: &[T]) -> T {
    let program = expression.compile(&slot).unwrap();
    let mut scratch = vec![T::c(0.0); program.scratch_len()];
    program.eval(slots, &mut scratch)
}

fn value(text: &str) -> f64 {
    let expression = Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    run(&expression, &[2.0, 3.0, 5.0])
}

fn error(text: &str) -> ExpressionError {
    Expression::parse(text).expect_err(text)
}

#[test]
fn precedence_and_associativity() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24/4/2", 3.0),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^-x^2", 2f64.powi(-4)),
        ("-x*y", -6.0),
        ("- -x", 2.0),
        ("+x", 2.0),
        ("x - -y", 5.0),
        ("2*x^2", 8.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_have_their_usual_values() {
    for (text, expected) in [
        ("sin(pi/2)", 1.0),
        ("atan2(1, 1)", std::f64::consts::FRAC_PI_4),
        ("hypot(3, 4)", 5.0),
        ("pow(x, y)", 8.0),
        ("sqrt(16)", 4.0),
        ("ln(exp(1))", 1.0),
        ("log10(1000)", 3.0),
        ("abs(-3)", 3.0),
        ("sign(-3) + sign(0)", -1.0),
        ("step(0) + step(-1)", 1.0),
        ("min(x, y) + max(x, y)", 5.0),
        ("tanh(1000)", 1.0),
        ("if(x < y, 1, 2)", 1.0),
        ("if(x > y, 1, 2)", 2.0),
        ("if(x >= 2, 1, 2)", 1.0),
        ("if(x <= 1, 1, 2)", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn numbers_carry_units() {
    assert_eq!(value("2*x + 5 mm"), 4.005);
    assert_eq!(value("180 deg"), std::f64::consts::PI);
    assert_eq!(value("2.4e3 N m/rad"), 2400.0);
    assert_eq!(value("2 [N mm] + 1"), 1.002);
    assert_eq!(value("50 % * x"), 1.0);
    assert!(Expression::parse("0.25").unwrap().is_plain_number());
    assert!(Expression::parse("-1e-3").unwrap().is_plain_number());
    assert!(!Expression::parse("1 m").unwrap().is_plain_number());
    assert!(!Expression::parse("2*0.25").unwrap().is_plain_number());
}

/// A unit behind a quotient of plain numbers belongs to the quotient; parentheses keep it with its number.
#[test]
fn fractions_carry_their_unit() {
    use std::f64::consts::PI;
    for (text, expected) in [
        ("1/2 deg", PI / 360.0),
        ("1/4 rev", PI / 2.0),
        ("45/2 deg", PI / 8.0),
        ("-1/8 rev", -PI / 4.0),
        ("1/4096 rev", 2.0 * PI / 4096.0),
        ("1/2/4 rev", PI / 4.0),
        ("(1 + 2)/4 rev", 1.5 * PI),
        ("3*1/2 rev", 3.0 * PI),
        ("pi/2 rad", PI / 2.0),
        ("1/2 %", 0.005),
        ("1/2 [N mm]", 0.0005),
        ("3 + 1/2 mm", 3.0005),
        ("1/2 mm/2", 0.00025),
        ("x/2 mm", 1000.0),
        ("1/(2 mm)", 500.0),
        ("4 mm/2 mm", 2.0),
        ("2*3 mm", 0.006),
        ("1/2*3 mm", 0.0015),
    ] {
        assert!((value(text) - expected).abs() <= 1e-15 * expected.abs(), "{text}: {}", value(text));
    }
    let none = |_: &str| None;
    let dimension = |text: &str| Expression::parse(text).unwrap().dimension(&none).unwrap();
    assert_eq!(dimension("1/2 deg"), Dimension::ANGLE);
    assert_eq!(dimension("1/(2 s)"), Dimension::FREQUENCY);
    assert_eq!(error("2^3 mm").message, "a unit after a power is ambiguous");
    // An angle and an inverse angle are not the same.
    assert!(Expression::parse("1 rad + 1/(2 rad)").unwrap().dimension(&none).is_err());
}

#[test]
fn words_that_could_be_units_or_names_are_known() {
    let contested = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        let words: Vec<String> = expression.contested().map(|(word, _)| word.to_owned()).collect();
        words.join(" ")
    };
    for (text, words) in [
        ("10 N/g", "g"),
        ("10 N/g + 0", "g"),
        ("10 N*m", "m"),
        ("x + 10 N*m", "m"),
        ("10 N m", ""),
        ("10 N/(m s)", "m"),
        ("9.81 m/s^2", "s"),
        ("10 [N/g] + x", ""),
        ("x/g", ""),
        ("10/g", ""),
        ("5 mm", ""),
        ("10 N/x", ""),
    ] {
        assert_eq!(contested(text), words, "{text}");
    }
}

#[test]
fn errors_name_the_place_and_the_way_out() {
    for (text, span, message) in [
        ("2 +", 3..3, "the expression ends where an operand was expected"),
        ("(x + 1", 0..1, "this `(` is not closed"),
        ("x + 1)", 5..6, "this `)` was never opened"),
        ("2 mm^2 + x", 4..5, "this power is ambiguous"),
        ("2 N m + x", 4..5, "a compound unit in an expression must be in brackets"),
        ("x + 2 foo", 6..9, "unknown unit `foo`"),
        ("x y", 2..3, "an operator was expected here"),
        ("sni(x, y)", 0..3, "unknown function `sni`"),
        ("sin(x, y)", 0..9, "`sin` takes one argument, 2 found"),
        ("if(x, 1, 2)", 3..4, "a comparison was expected here"),
        ("x < y", 2..3, "a comparison can only be the first argument of `if`"),
        ("sin + 1", 0..3, "`sin` is a function; its arguments are missing"),
        ("x = 3", 2..3, "unexpected character `=`"),
        ("x + [N m]", 4..9, "a unit in brackets must follow a number"),
        ("", 0..0, "an expression is missing here"),
        ("2 [N foo]", 5..8, "unknown unit `foo`"),
        ("2 [N", 2..3, "this `[` is not closed"),
        ("1e999*x", 0..5, "this number is too large"),
    ] {
        let found = error(text);
        assert_eq!((found.span, found.message.as_str()), (span, message), "{text}");
    }
    assert_eq!(error("sni(x, y)").help.as_deref(), Some("did you mean `sin`?"));
    assert_eq!(error("2 N m + x").help.as_deref(), Some("put the whole unit in brackets, as in `[N m]`"));
}

#[test]
fn deep_and_long_formulas_are_refused_without_exhausting_the_stack() {
    assert!(error(&"(".repeat(100_000)).message.contains("nested"));
    assert!(error(&"-".repeat(100_000)).message.contains("nested"));
    assert!(error(&format!("x{}", "^x".repeat(100_000))).message.contains("nested"));
    assert!(error(&format!("x{}", "+x".repeat(100_000))).message.contains("terms"));
    let long = Expression::parse(&format!("x{}", "*x".repeat(1000))).unwrap();
    // The derivative of x^1001 at 1 is 1001.
    assert_eq!(run(&long.derivative("x"), &[1.0]), 1001.0);
}

#[test]
fn dimensions_are_checked() {
    let lookup = |name: &str| match name {
        "x" => Some(Dimension::LENGTH),
        "y" => Some(Dimension::ANGLE),
        "z" => Some(Dimension::TIME),
        _ => None,
    };
    let dimension = |text: &str| Expression::parse(text).unwrap().dimension(&lookup);
    for (text, expected) in [
        ("x + 5 mm", Dimension::LENGTH),
        ("x*0 + z", Dimension::TIME),
        ("x/z", Dimension::VELOCITY),
        ("sqrt(x^2)", Dimension::LENGTH),
        ("x^(1/2)*x^0.5*0 + x", Dimension::LENGTH),
        ("sin(y)", Dimension::NONE),
        ("max(x, 0)", Dimension::LENGTH),
        ("if(z < 1 s, x, 0)", Dimension::LENGTH),
        ("2 [N m/rad]*y", Dimension::TORQUE),
        ("atan2(x, 1 m)", Dimension::ANGLE),
    ] {
        match dimension(text) {
            Ok(found) => assert_eq!(found, expected, "{text}"),
            // Half powers of a length do not exist as dimensions.
            Err(error) => assert!(text.contains("0.5"), "{text}: {error}"),
        }
    }
    for (text, span, message) in [
        ("x + z", 0..5, "a length (m) and a time (s) cannot be added"),
        ("1 + sin(z)", 8..9, "`sin` needs an angle or a plain number, this is a time (s)"),
        ("x^y", 2..3, "the power of a length (m) must be a literal number, or its dimension is unknown"),
        ("2^x", 2..3, "a power must be a plain number, this is a length (m)"),
        ("if(x < z, 1, 2)", 0..15, "a length (m) and a time (s) cannot be compared"),
        ("if(x < 1 m, x, z)", 0..17, "the alternatives of `if` are a length (m) and a time (s)"),
        ("w", 0..1, "unknown name `w`"),
    ] {
        let found = dimension(text).expect_err(text);
        assert_eq!((found.span, found.message.as_str()), (span, message), "{text}");
    }
    let help = dimension("x + 5").unwrap_err().help;
    assert_eq!(help.as_deref(), Some("give the number a unit, as in `5 [m]`"));
    let help = dimension("sin(2*z)").unwrap_err().help;
    assert_eq!(help.as_deref(), Some("multiply it by a factor in 1/s, as in `2 [1/s]`"));
}

#[test]
fn derivatives_fold_and_drop_what_they_do_not_need() {
    let slope = Expression::parse("3*x + y^2 + sin(z)").unwrap().derivative("x");
    assert_eq!(slope.compile(&slot).unwrap().constant(), Some(3.0));
    assert_eq!(slope.variables().count(), 0);
    let none = Expression::parse("sqrt(y)*2").unwrap().derivative("x");
    assert_eq!(none.compile(&slot).unwrap().constant(), Some(0.0));
}

#[test]
fn programs_are_total() {
    let program = Expression::parse("ln(x) + y/z + asin(z)").unwrap().compile(&slot).unwrap();
    let mut scratch = vec![0.0; program.scratch_len()];
    assert!(program.eval(&[-1.0, 0.0, 0.0], &mut scratch).is_nan());
    assert!(program.eval(&[1.0], &mut scratch).is_nan());
    assert!(program.eval(&[1.0, 1.0, 1.0], &mut scratch[..1]).is_nan());
    assert_eq!(program.slots().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(Program::from_slot(4).slot(), Some(4));
    assert_eq!(Program::from_constant(4.0).constant(), Some(4.0));
}

#[test]
fn powers_at_zero_and_of_negative_numbers_have_slopes() {
    let slope = |text: &str, x: f64, y: f64| {
        let expression = Expression::parse(text).unwrap();
        let dual = run::<Dual>(&expression, &[seed(x, 0), Dual::c(y)]);
        (dual.re, partial(dual, 0))
    };
    assert_eq!(slope("x^1.5", 0.0, 0.0), (0.0, 0.0));
    assert_eq!(slope("x^3", -2.0, 0.0), (-8.0, 12.0));
    assert_eq!(slope("x^y", -2.0, 3.0), (-8.0, 12.0));
    assert_eq!(slope("x^y", 0.0, 2.0), (0.0, 0.0));
    assert_eq!(slope("atan2(x, y)", 1.0, 0.0), (std::f64::consts::FRAC_PI_2, 0.0));
    let (at_zero, steep) = slope("x^0.5", 0.0, 0.0);
    assert_eq!(at_zero, 0.0);
    assert!(!steep.is_finite());
}

/// Random formulas over x, y and z that are smooth where the test evaluates them.
fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("z".to_owned()),
        (1u32..50).prop_map(|n| format!("{}", f64::from(n) / 8.0)),
    ];
    leaf.prop_recursive(5, 48, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) + ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) - ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})/(2 + cos({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(1.5 + sin({a}))^(sin({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("atan2(({a}), 2 + sin({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("hypot(({a}), 1 + exp(sin({b})))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("max({a}, min({b}, x))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if({a} < {b}, {a}, {b}*y)")),
            (inner.clone(), 2u32..5).prop_map(|(a, n)| format!("sin({a})^{n}")),
            inner.clone().prop_map(|a| format!("tanh({a})")),
            inner.clone().prop_map(|a| format!("-abs({a})")),
            inner.clone().prop_map(|a| format!("sqrt(1 + ({a})^2)")),
            inner.clone().prop_map(|a| format!("ln(2 + sin({a}))")),
            inner.clone().prop_map(|a| format!("atan({a}) + asin(0.9*sin({a})) + acos(0.9*cos({a}))")),
            inner.clone().prop_map(|a| format!("log10(2 + cos({a})) + sinh(sin({a})) - cosh(sin({a}))")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn symbolic_derivatives_equal_duals_and_differences(
        text in formula(),
        at in proptest::array::uniform3(0.2f64..1.8),
    ) {
        let expression = Expression::parse(&text).unwrap();
        let duals = [seed(at[0], 0), seed(at[1], 1), seed(at[2], 2)];
        let dual = run::<Dual>(&expression, &duals);
        let plain = run::<f64>(&expression, &at);
        prop_assert!((dual.re - plain).abs() <= 1e-12 * (1.0 + plain.abs()), "{} {}", dual.re, plain);
        let (mut kinks, mut differences) = (0, Vec::new());
        for (lane, name) in NAMES.iter().enumerate() {
            let symbolic = run::<f64>(&expression.derivative(name), &at);
            let exact = partial(dual, lane);
            prop_assert!(
                (symbolic - exact).abs() <= 1e-9 * (1.0 + exact.abs()),
                "{text}: d/d{name} {symbolic} {exact}"
            );
            let h = 1e-6;
            let (mut up, mut down) = (at, at);
            up[lane] += h;
            down[lane] -= h;
            let (above, below) = (run::<f64>(&expression, &up), run::<f64>(&expression, &down));
            // One-sided slopes that differ show a kink or a jump between the points.
            let (right, left) = ((above - plain) / h, (plain - below) / h);
            if (right - left).abs() > 1e-3 * (1.0 + right.abs()) {
                kinks += 1;
            } else {
                differences.push(((above - below) / (2.0 * h), exact));
            }
        }
        for (difference, exact) in differences {
            // A central difference is right to h^2 times the third derivative plus rounding over h.
            prop_assert!(
                (difference - exact).abs() <= 1e-4 * (1.0 + exact.abs() + plain.abs()) || kinks > 0,
                "{text}: {difference} {exact}"
            );
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_inside_it(text in "[-+*/^()<>=,.0-9a-z \\[\\]µ²]{0,40}") {
        match Expression::parse(&text) {
            Err(error) => {
                prop_assert!(error.span.end <= text.len());
                prop_assert!(text.get(error.span).is_some());
            }
            Ok(expression) => {
                let _ = expression.dimension(&|_| Some(Dimension::LENGTH));
                let line = LinearTable::new(&[0.0, 1.0], &[0.0, 1.0]).unwrap();
                let line = Arc::new(Curve::from(line));
                let expression = expression.with_curves(&|_| Some(line.clone())).unwrap();
                let slope = expression.derivative("x");
                for e in [&expression, &slope] {
                    let program = e.compile(&|_| Some(0)).unwrap();
                    let mut scratch = vec![0.0; program.scratch_len()];
                    let _ = program.eval(&[0.0], &mut scratch);
                }
            }
        }
    }
}

proptest! {
    /// What is written as a fraction with a unit is the fraction of the unit.
    #[test]
    fn fractions_are_parts_of_the_unit(
        above in 1i32..10_000, below in 1i32..10_000, unit in proptest::sample::select(
            vec!["mm", "deg", "rev", "%", "kg", "ms", "rpm", "kN"]), sign in proptest::bool::ANY,
    ) {
        let sign = if sign { "-" } else { "" };
        let written = Expression::parse(&format!("{sign}{above}/{below} {unit}")).unwrap();
        let one = Expression::parse(&format!("1 {unit}")).unwrap();
        let none = |_: &str| None;
        prop_assert_eq!(written.dimension(&none).unwrap(), one.dimension(&none).unwrap());
        let fraction = f64::from(above)/f64::from(below)*if sign.is_empty() { 1.0 } else { -1.0 };
        let expected = fraction*run(&one, &[0.0; 3]);
        let found = run(&written, &[0.0; 3]);
        prop_assert!((found - expected).abs() <= 4e-16*expected.abs(), "{} {}", found, expected);
        // Written in brackets it is the same.
        let text = format!("{sign}{above}/{below} [{unit}]");
        prop_assert_eq!(run(&Expression::parse(&text).unwrap(), &[0.0; 3]), found);
    }
}
