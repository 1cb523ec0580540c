use gelenk_laws::Kind;
use gelenk_laws::friction::{POWER_STABILITY_LIMIT, power_stability, suggest_power};
use gelenk_math::units::{Dimension, Quantity};
use serde_json::json;

use crate::console::{Console, DONE, FAILED};

const EXAMPLES: &str = "\
Examples:
  gelenk law suggest --step \"10 ms\" --mass \"0.1 kg\" --coulomb \"1 N\"
  gelenk law suggest --step \"1 ms\" --mass \"2e-4 kg m^2\" --coulomb \"0.1 N m\" --breakaway \"0.15 N m\" --json";

/// Arguments of `law suggest`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Suggest {
    /// Step of the explicit solver, such as "10 ms".
    #[arg(long, allow_hyphen_values = true)]
    step: String,
    /// Moving mass or inertia, such as "0.1 kg" or "2e-4 kg m^2".
    #[arg(long, allow_hyphen_values = true)]
    mass: String,
    /// Level in fast sliding, such as "1 N" or "0.1 N m".
    #[arg(long, allow_hyphen_values = true)]
    coulomb: String,
    /// Largest level; without it there is no Stribeck part.
    #[arg(long, allow_hyphen_values = true)]
    breakaway: Option<String>,
    /// Viscous friction.
    #[arg(long, allow_hyphen_values = true)]
    viscous: Option<String>,
    /// Transition velocity to assess instead of the suggested one.
    #[arg(long, allow_hyphen_values = true)]
    transition: Option<String>,
}

/// Parameters of power-based friction that suit a step and a mass (SP-R12).
pub fn run(args: &Suggest, out: &mut Console) -> super::Done {
    // The unit of the mass says whether this is about a length or an angle.
    let turns = Quantity::parse(&args.mass).is_ok_and(|mass| mass.dimension.compatible(Dimension::INERTIA));
    let read = |option, text: &str, kind: Kind| super::law::quantity(option, text, kind.dimension(turns));
    let step = read("--step", &args.step, Kind::Time)?;
    let mass = read("--mass", &args.mass, Kind::Inertia)?;
    let coulomb = read("--coulomb", &args.coulomb, Kind::Effort)?;
    let optional = |option, text: &Option<String>, kind| {
        text.as_deref().map_or(Ok(0.0), |text| read(option, text, kind))
    };
    let breakaway = optional("--breakaway", &args.breakaway, Kind::Effort)?;
    let viscous = optional("--viscous", &args.viscous, Kind::Damping)?;
    let suggested = suggest_power(step, mass, coulomb, breakaway, viscous);
    let transition = match &args.transition {
        Some(text) => read("--transition", text, Kind::Rate)?,
        None => suggested.transition,
    };
    let (peak, time) = (2.0 * transition, suggested.time);
    let p = [coulomb, breakaway, transition, peak, viscous, time, peak];
    gelenk_laws::Friction::PowerLpv.validate(&p, 0)?;
    let table = format!(
        "friction = {{ law = \"power-lpv\", coulomb = {coulomb}, breakaway = {breakaway}, transition = {transition:.6e}, \
         peak = {peak:.6e}, viscous = {viscous}, time = {time}, filter = {peak:.6e} }}"
    );
    say!(out, "{table}");
    let stability = power_stability(&p, step, mass);
    say!(out, "h sqrt(k0/(m T_F)) = {stability:.3}; explicit steps are safe up to {POWER_STABILITY_LIMIT}");
    let stable = stability <= 1.001 * POWER_STABILITY_LIMIT;
    out.extend(json!({
        "law": "power-lpv",
        "in_a_model": table,
        "coulomb": coulomb,
        "breakaway": breakaway,
        "transition": transition,
        "peak": peak,
        "viscous": viscous,
        "time": time,
        "filter": peak,
        "stability_number": stability,
        "stability_limit": POWER_STABILITY_LIMIT,
        "stable": stable,
        "suggested_transition": suggested.transition,
    }));
    if !stable {
        out.warning(format_args!(
            "steps of {step} s are unstable with this transition velocity; {:.6e} or more is safe",
            suggested.transition
        ));
        return Ok(FAILED);
    }
    Ok(DONE)
}
