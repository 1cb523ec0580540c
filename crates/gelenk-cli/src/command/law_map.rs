use gelenk::law::Subject;
use gelenk_laws::Friction;
use gelenk_laws::diagnose::map::{SHARES, presliding, steady};
use gelenk_laws::diagnose::{Presliding, Scales, Steady};

use super::law::short;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk law map lugre dahl
  gelenk law map lugre:sigma0=1e4 --json";

/// Arguments of `law map`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Map {
    /// Laws with typical numbers, or with others: `lugre:sigma0=1e4,stribeck="1 mm/s"` [default: all laws].
    laws: Vec<String>,
}

/// Prints presliding displacement, break-away force and steady friction of laws (K-R22).
pub fn run(args: &Map, out: &mut Console) -> super::Done {
    let named: Vec<String> = match args.laws.as_slice() {
        [] => Friction::ALL.iter().map(|law| law.spec().name.to_owned()).collect(),
        laws => laws.to_vec(),
    };
    let mut list = Vec::new();
    for text in &named {
        let subject = Subject::parse(text)?;
        let mut driven = subject.driven()?;
        let scales = Scales::of(&mut driven);
        let (before, map) = (presliding(&mut driven, &scales), steady(&driven, &scales));
        list.push(json(&subject.label, before, &map));
        print(out, &subject.label, before, &map);
    }
    out.set("laws", list);
    Ok(DONE)
}

fn print(out: &Console, label: &str, before: Option<Presliding>, map: &[Steady]) {
    say!(out, "{label}");
    match before {
        Some(found) => {
            let stiffness = match found.stiffness.is_finite() {
                true => format!("{} N/m or N m/rad", short(found.stiffness)),
                false => "rigid".into(),
            };
            say!(out, "  {:38} {stiffness}", "stiffness at rest");
            say!(out, "  {:38} {} N or N m", "break-away force of a slow pull", short(found.breakaway));
            for (share, x) in SHARES.into_iter().zip(found.displacements) {
                let what = format!("displacement at {} % of it", 100.0 * share);
                say!(out, "  {what:38} {} m or rad", short(x));
            }
        }
        None => say!(out, "  {:38} none: it sustains no load", "break-away force"),
    }
    say!(out, "  {:>22}  {:>12}  {:>12}", "steady [m/s, rad/s]", "forward [N]", "backward [N]");
    for point in map {
        say!(
            out,
            "  {:>22}  {:>12}  {:>12}",
            short(point.speed),
            short(point.forward),
            short(point.backward)
        );
    }
}

fn json(label: &str, before: Option<Presliding>, map: &[Steady]) -> serde_json::Value {
    let presliding = before.map(|found| {
        let points: Vec<_> = SHARES
            .into_iter()
            .zip(found.displacements)
            .map(|(share, x)| serde_json::json!({ "share_percent": 100.0 * share, "displacement": x }))
            .collect();
        // Null for a rigid law, whose stiffness is infinite.
        serde_json::json!({ "stiffness": found.stiffness, "breakaway": found.breakaway, "displacements": points })
    });
    let steady: Vec<_> = map
        .iter()
        .map(|s| serde_json::json!({ "speed": s.speed, "forward": s.forward, "backward": s.backward }))
        .collect();
    serde_json::json!({ "law": label, "presliding": presliding, "steady": steady })
}
