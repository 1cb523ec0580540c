//! Sticking, impacts and rest of whole models, in continuous mode.

use std::fmt::Write;

use gelenk::open::{Overrides, simulation};
use gelenk::run::run;
use gelenk_record::Recording;
use gelenk_solve::Summary;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn simulate(model: &str) -> (Recording, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    std::fs::write(&path, model).unwrap();
    let prepared = simulation(&path, &Overrides::default()).map_err(|e| e.to_string()).unwrap();
    run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap()
}

fn head(until: f64, gravity: f64) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, {gravity}]\n[simulate]\nuntil = {until}\noutput = 0.01\n\
         solver = {{ method = \"dopri5\", rtol = 1e-10, atol = 1e-10 }}\n"
    )
}

fn slider(out: &mut String, name: &str, parent: &str, mass: f64, more: &str) {
    write!(
        out,
        "[bodies.{name}]\nmass = {mass}\ninertia = [1, 1, 1]\n[joints.{name}]\ntype = \"prismatic\"\n\
         parent = \"{parent}\"\nchild = \"{name}\"\naxis = [1, 0, 0]\n{more}\n"
    )
    .unwrap();
}

fn event(recording: &Recording, element: &str, what: &str) -> f64 {
    let found = recording.events().iter().find(|e| e.element == element && e.what == what);
    found.unwrap_or_else(|| unreachable!("no {what} of {element}: {:?}", recording.events())).t
}

/// Two blocks on each other and a rising pull on the upper one. Closed form: the lower one breaks away from the ground at
/// `F_1`; the upper one slides on it once `f - F_2 = m_2 (F_2 - F_1)/m_1`. Several hold at once, and one lets go.
#[test]
fn stacked_blocks_break_away_one_after_the_other() {
    let mut model = head(4.0, 0.0);
    slider(&mut model, "lower", "ground", 2.0, "friction = { law = \"coulomb\", coulomb = 1 }");
    slider(&mut model, "upper", "lower", 1.0, "friction = { law = \"coulomb\", coulomb = 2 }");
    model += "[forces.pull]\non = \"upper\"\nforce = [\"1 N * t / (1 s)\", 0, 0]\n";
    let (recording, summary) = simulate(&model);
    assert!((event(&recording, "joints.lower.friction", "slips forward") - 1.0).abs() < 1e-9);
    assert!((event(&recording, "joints.upper.friction", "slips forward") - 2.5).abs() < 1e-9);
    assert!(summary.energy.relative_residue() < 1e-8, "{:?}", summary.energy);
    let upper = recording.column("upper").unwrap();
    assert!(recording.time().iter().zip(upper).all(|(&t, &x)| t > 2.5 || x == 0.0), "sticking is exact");
}

/// Two sliders tied by a coupling, each with 1 N: together they hold 2 N, whichever of them the reaction is given to.
/// With ten sliders the loop is carried by the articulated bodies, with two it is bordered to the mass matrix.
#[test]
fn tied_sliders_share_the_friction() {
    for sliders in [2, 10] {
        let mut model = head(4.0, 0.0);
        let law = "friction = { law = \"coulomb\", coulomb = 1 }";
        for i in 0..sliders {
            slider(&mut model, &format!("s{i}"), "ground", 1.0 + i as f64, if i < 2 { law } else { "" });
        }
        model += "[loops.tie]\ntype = \"coupling\"\nequation = \"s0 - s1\"\n";
        model += "[drives.pull]\non = \"s0\"\nforce = \"1 N * t / (1 s)\"\n";
        let (recording, summary) = simulate(&model);
        let last: f64 = *recording.column("s1").unwrap().last().unwrap();
        // From t = 2 s on: 3 kg x'' = t - 2, so x = (t - 2)^3/18.
        assert!((last - 8.0 / 18.0).abs() < 1e-8, "{sliders}: {last}");
        for (&t, &x) in recording.time().iter().zip(recording.column("s0").unwrap()) {
            // While the last of the two holds, the other one follows through the loop.
            assert!(t > 2.0 || x.abs() < 1e-14, "{sliders}: {x} at {t}");
        }
        assert!(summary.energy.relative_residue() < 1e-8);
    }
}

/// Two tied sliders hit their stops at once, with redundant contacts: both come back with `e` of their speed, by either
/// law, and the account of the stops holds the loss (closed form `(1 - e^2) m v^2/2`).
#[test]
fn two_impacts_at_once() {
    for law in ["newton", "poisson"] {
        let mut model = head(2.0, 0.0);
        let stop = format!(
            "coordinate = {{ start = 1, rate = -1, stop = {{ range = [0, inf], restitution = 0.5, law = \"{law}\" }} }}"
        );
        slider(&mut model, "a", "ground", 1.0, &stop);
        slider(&mut model, "b", "ground", 3.0, &stop);
        model += "[loops.tie]\ntype = \"coupling\"\nequation = \"a - b\"\n";
        let (recording, summary) = simulate(&model);
        for name in ["a", "b"] {
            let rate = *recording.column(&format!("{name}.rate")).unwrap().last().unwrap();
            assert!((rate - 0.5).abs() < 1e-12, "{law}: {rate}");
        }
        let work: f64 = summary.energy.works.iter().filter(|w| w.name.contains("stop")).map(|w| w.work).sum();
        assert!((work + 0.75 * 2.0).abs() < 1e-12, "{law}: {work}");
    }
}

/// ST-R16: rest and release. A block is pressed into its stop, comes to rest there, and leaves as the push turns: closed
/// form, the push `cos t` changes its sign at `pi/2`.
#[test]
fn rests_until_the_push_turns() {
    let mut model = head(3.0, 0.0);
    slider(&mut model, "a", "ground", 1.0, "stop = { range = [0, inf], restitution = 0.2 }");
    model += "[drives.push]\non = \"a\"\nforce = \"-1 N * cos(t / (1 s))\"\n";
    let (recording, _) = simulate(&model);
    let opens = event(&recording, "joints.a.stop", "contact opens");
    assert!((opens - std::f64::consts::FRAC_PI_2).abs() < 1e-9, "{opens}");
    let last = *recording.column("a").unwrap().last().unwrap();
    // x'' = -cos t from rest at pi/2: x = cos t + t - pi/2.
    assert!((last - (3.0f64.cos() + 3.0 - std::f64::consts::FRAC_PI_2)).abs() < 1e-8, "{last}");
}

/// RU-R2: Karnopp's law goes to the set-valued one as its band vanishes; the friction oscillator comes to rest at
/// 0.682178936724 m (closed form), with a band off by what the band takes from the last swings.
#[test]
fn karnopp_goes_to_coulomb() {
    let rest = |band: f64| {
        let mut model = head(30.0, 0.0);
        let more = format!(
            "coordinate = {{ start = 12, rate = 6 }}\nspring = {{ stiffness = 1 }}\n\
             friction = {{ law = \"karnopp\", coulomb = 1, band = {band} }}"
        );
        slider(&mut model, "x", "ground", 1.0, &more);
        let (recording, _) = simulate(&model);
        assert_eq!(*recording.column("x.rate").unwrap().last().unwrap(), 0.0);
        (recording.column("x").unwrap().last().unwrap() - 0.682178936724f64).abs()
    };
    let errors = [rest(1e-1), rest(1e-2), rest(1e-3)];
    assert!(errors[0] > 10.0 * errors[1] && errors[1] > 10.0 * errors[2] && errors[2] < 1e-5, "{errors:?}");
}

/// Pins of a four-bar in the x-z plane, closed by a point loop; friction in three of them and a stop at the crank.
fn four_bar(levels: [f64; 3], restitution: f64, law: &str, start: f64) -> String {
    let mut model = head(3.0, -9.81);
    let links =
        [("crank", "ground", 1.0f64, 0.0), ("coupler", "crank", 1.8, 1.0), ("rocker", "ground", 1.5, 0.0)];
    for (i, (name, parent, length, at)) in links.into_iter().enumerate() {
        let place = if name == "rocker" { 1.5 } else { at };
        let stop = if i == 0 {
            format!(", stop = {{ range = [-0.4, 2.5], restitution = {restitution}, law = \"{law}\" }}")
        } else {
            String::new()
        };
        let friction = if levels[i] > 0.0 {
            format!("friction = {{ law = \"coulomb\", coulomb = {} }}", levels[i])
        } else {
            String::new()
        };
        let angle = [start, 0.3 - start, 1.0][i];
        write!(
            model,
            "[bodies.{name}]\nmass = {length}\ncentre = [{}, 0, 0]\ninertia = [0.01, {}, {}]\n\
             [joints.{name}]\ntype = \"revolute\"\nparent = \"{parent}\"\nchild = \"{name}\"\n\
             axis = [0, -1, 0]\nposition = [{place}, 0, 0]\n\
             coordinate = {{ name = \"{name}\", start = {angle}{stop} }}\n{friction}\n",
            length / 2.0,
            length.powi(3) / 12.0,
            length.powi(3) / 12.0
        )
        .unwrap();
    }
    model += "[frames.tip]\nbody = \"coupler\"\nposition = [1.8, 0, 0]\n[frames.pin]\nbody = \"rocker\"\n\
              position = [1.5, 0, 0]\n[loops.pin]\ntype = \"point\"\nbetween = [\"tip\", \"pin\"]\n";
    model
}

/// The rocker of a four-bar turns at its dead point while the crank moves on. No effort could hold it there, so it neither
/// sticks nor is it stopped, and the ledger closes to the tolerance of the run.
#[test]
fn a_pin_passes_its_dead_point() {
    let (recording, summary) = simulate(&four_bar([9.7036, 1.0408, 9.1777], 0.0, "newton", 0.41572));
    let turns: Vec<&str> = recording
        .events()
        .iter()
        .filter(|e| e.element == "joints.rocker.friction" && e.t > 0.1 && e.t < 0.4)
        .map(|e| e.what.as_str())
        .collect();
    assert_eq!(turns, ["reverses"]);
    assert!(summary.energy.residue.abs() < 1e-9, "{:?}", summary.energy);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    /// Chains of links with stops by impulses: no impact gains energy, no limit is passed, and the ledger closes.
    #[test]
    fn impacts_never_gain_energy(
        links in 1..4usize,
        restitution in proptest::collection::vec(0.0..1.0f64, 3),
        start in proptest::collection::vec(-0.9..0.9f64, 3),
        poisson in any::<bool>(),
    ) {
        let law = if poisson { "poisson" } else { "newton" };
        let mut model = head(2.0, -9.81);
        for i in 0..links {
            let parent = if i == 0 { "ground".to_owned() } else { format!("l{}", i - 1) };
            write!(
                model,
                "[bodies.l{i}]\nmass = 1\ncentre = [0.5, 0, 0]\ninertia = [0.01, 0.1, 0.1]\n[joints.l{i}]\n\
                 type = \"revolute\"\nparent = \"{parent}\"\nchild = \"l{i}\"\naxis = [0, 1, 0]\n\
                 position = [{}, 0, 0]\ncoordinate = {{ start = {}, stop = {{ range = [-1, 1], restitution = {}, law = \"{law}\", rest = 1e-3 }} }}\n",
                if i == 0 { 0 } else { 1 }, start[i], restitution[i]
            ).unwrap();
        }
        let (recording, summary) = simulate(&model);
        let stored = recording.column("energy.stored").unwrap();
        let kinetic = recording.column("energy.kinetic").unwrap();
        let mut last = f64::INFINITY;
        for (s, k) in stored.iter().zip(kinetic) {
            prop_assert!(s + k <= last + 1e-6, "{} after {last}", s + k);
            last = s + k;
        }
        // One stop may push while another one brakes; together they take.
        let works = summary.energy.works.iter().filter(|w| w.name.contains("stop")).map(|w| w.work);
        prop_assert!(works.sum::<f64>() <= 1e-9, "{:?}", summary.energy);
        prop_assert!(summary.energy.relative_residue() < 1e-6, "{:?}", summary.energy);
        for i in 0..links {
            let (low, high) = recording.extremes(&format!("l{i}")).unwrap().unwrap();
            prop_assert!(low >= -1.0 - 1e-9 && high <= 1.0 + 1e-9, "{low} {high}");
        }
    }

    /// Four-bars with friction in their pins and a stop: once everything sticks, nothing moves by a bit, the loop stays
    /// closed, and no energy is made on the way.
    #[test]
    fn sticking_with_a_loop_is_exact(
        levels in proptest::array::uniform3(0.5..20.0f64),
        restitution in 0.0..1.0f64,
        poisson in any::<bool>(),
        start in 0.3..1.2f64,
    ) {
        let law = if poisson { "poisson" } else { "newton" };
        let (recording, summary) = simulate(&four_bar(levels, restitution, law, start));
        let rate = recording.column("crank.rate").unwrap();
        let crank = recording.column("crank").unwrap();
        for i in 1..rate.len() {
            if rate[i - 1] == 0.0 && rate[i] == 0.0 {
                let moved = (crank[i] - crank[i - 1]).abs();
                // Two rows at rest with a motion between them are no sticking.
                let events = recording.events().iter().filter(|e| e.t >= recording.time()[i - 1] && e.t <= recording.time()[i]);
                prop_assert!(moved == 0.0 || events.count() > 0, "{moved}");
            }
        }
        let mut last = f64::INFINITY;
        let energy = recording.column("energy.stored").unwrap().iter().zip(recording.column("energy.kinetic").unwrap());
        for (s, k) in energy {
            prop_assert!(s + k <= last + 1e-6, "{} after {last}", s + k);
            last = s + k;
        }
        // Six hundred random cases at this tolerance have at most 5.3e-9 J.
        let allowed = 1e-9 + 2e-9 * summary.energy.scale;
        prop_assert!(summary.drift < 1e-8 && summary.energy.residue.abs() < allowed, "{summary:?}");
    }
}
