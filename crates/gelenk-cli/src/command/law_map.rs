use std::process::ExitCode;

use gelenk::law::Subject;
use gelenk_laws::Friction;
use gelenk_laws::diagnose::map::{SHARES, presliding, steady};
use gelenk_laws::diagnose::{Presliding, Scales, Steady};

use super::law::short;

/// Arguments of `law map`.
#[derive(clap::Args)]
pub struct Map {
    /// Laws with typical numbers, or with others: `lugre:sigma0=1e4,stribeck="1 mm/s"`; all laws where none are named.
    laws: Vec<String>,
    /// Print the numbers as JSON.
    #[arg(long)]
    json: bool,
}

/// Prints presliding displacement, break-away force and steady friction of laws (K-R22).
pub fn run(args: &Map) -> super::Done {
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
        if args.json {
            list.push(json(&subject.label, before, &map));
        } else {
            print(&subject.label, before, &map);
        }
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&list)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(label: &str, before: Option<Presliding>, map: &[Steady]) {
    say!("{label}");
    match before {
        Some(found) => {
            let stiffness = match found.stiffness.is_finite() {
                true => format!("{} N/m or N m/rad", short(found.stiffness)),
                false => "rigid".into(),
            };
            say!("  {:38} {stiffness}", "stiffness at rest");
            say!("  {:38} {} N or N m", "break-away force of a slow pull", short(found.breakaway));
            for (share, x) in SHARES.into_iter().zip(found.displacements) {
                let what = format!("displacement at {} % of it", 100.0 * share);
                say!("  {what:38} {} m or rad", short(x));
            }
        }
        None => say!("  {:38} none: it holds no load", "break-away force"),
    }
    say!("  {:>22}  {:>12}  {:>12}", "steady [m/s, rad/s]", "forward [N]", "backward [N]");
    for point in map {
        say!("  {:>22}  {:>12}  {:>12}", short(point.speed), short(point.forward), short(point.backward));
    }
}

fn json(label: &str, before: Option<Presliding>, map: &[Steady]) -> serde_json::Value {
    let presliding = before.map(|found| {
        let points: Vec<_> = SHARES
            .into_iter()
            .zip(found.displacements)
            .map(|(share, x)| serde_json::json!({ "share": share, "displacement": x }))
            .collect();
        // A rigid law has no stiffness that JSON could say.
        let stiffness = Some(found.stiffness).filter(|stiffness| stiffness.is_finite());
        serde_json::json!({ "stiffness": stiffness, "breakaway": found.breakaway, "displacements": points })
    });
    let steady: Vec<_> = map
        .iter()
        .map(|s| serde_json::json!({ "speed": s.speed, "forward": s.forward, "backward": s.backward }))
        .collect();
    serde_json::json!({ "law": label, "presliding": presliding, "steady": steady })
}
