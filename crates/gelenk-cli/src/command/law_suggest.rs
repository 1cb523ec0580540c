use std::process::ExitCode;

use gelenk_laws::Kind;
use gelenk_laws::friction::{POWER_STABILITY_LIMIT, power_stability, suggest_power};
use gelenk_math::units::{Dimension, Quantity};

/// Arguments of `law suggest`.
#[derive(clap::Args)]
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
    /// Largest level; none for no Stribeck part.
    #[arg(long, allow_hyphen_values = true)]
    breakaway: Option<String>,
    /// Viscous friction.
    #[arg(long, allow_hyphen_values = true)]
    viscous: Option<String>,
    /// Transition velocity to look at instead of the suggested one.
    #[arg(long, allow_hyphen_values = true)]
    transition: Option<String>,
}

/// Parameters of power-based friction that suit a step and a mass (SP-R12).
pub fn run(args: &Suggest) -> super::Done {
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
    say!(
        "friction = {{ law = \"power-lpv\", coulomb = {coulomb}, breakaway = {breakaway}, transition = {transition:.6e}, \
         peak = {peak:.6e}, viscous = {viscous}, time = {time}, filter = {peak:.6e} }}"
    );
    let stability = power_stability(&p, step, mass);
    say!("h sqrt(k0/(m T_F)) = {stability:.3}; explicit steps are safe up to {POWER_STABILITY_LIMIT}");
    if stability > 1.001 * POWER_STABILITY_LIMIT {
        tell!(
            "warning: steps of {step} s are unstable with this transition velocity; {:.6e} or more is safe",
            suggested.transition
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
