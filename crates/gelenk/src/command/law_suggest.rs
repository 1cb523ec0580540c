use std::process::ExitCode;

use gelenk_laws::friction::{POWER_STABILITY_LIMIT, power_stability, suggest_power};
use gelenk_math::units::Quantity;

/// Arguments of `law suggest`.
#[derive(clap::Args)]
pub struct Suggest {
    /// Step of the explicit solver, such as "10 ms".
    #[arg(long)]
    step: String,
    /// Moving mass or inertia, such as "0.1 kg" or "2e-4 kg m^2".
    #[arg(long)]
    mass: String,
    /// Level in fast sliding, such as "1 N" or "0.1 N m".
    #[arg(long)]
    coulomb: String,
    /// Largest level; none for no Stribeck part.
    #[arg(long)]
    breakaway: Option<String>,
    /// Viscous friction.
    #[arg(long)]
    viscous: Option<String>,
    /// Transition velocity to look at instead of the suggested one.
    #[arg(long)]
    transition: Option<String>,
}

/// Parameters of power-based friction that suit a step and a mass (SP-R12).
pub fn run(args: &Suggest) -> super::Done {
    let [step, mass, coulomb] =
        [("--step", &args.step), ("--mass", &args.mass), ("--coulomb", &args.coulomb)].map(
            |(option, text)| match number(option, text) {
                Ok(value) if value > 0.0 => Ok(value),
                Ok(_) => Err(format!("{option} {text}: it must be greater than 0")),
                Err(error) => Err(error),
            },
        );
    let (step, mass, coulomb) = (step?, mass?, coulomb?);
    let optional = |option, text: Option<&String>| text.map_or(Ok(0.0), |text| number(option, text));
    let breakaway = optional("--breakaway", args.breakaway.as_ref())?;
    let viscous = optional("--viscous", args.viscous.as_ref())?;
    let suggested = suggest_power(step, mass, coulomb, breakaway, viscous);
    let transition = match &args.transition {
        Some(text) => number("--transition", text)?,
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
        eprintln!(
            "warning: steps of {step} s are unstable with this transition velocity; {:.6e} or more is safe",
            suggested.transition
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// A quantity from the command line, in SI.
fn number(option: &str, text: &str) -> Result<f64, String> {
    let value = Quantity::parse(text).map_err(|error| format!("{option} {text}: {error}"))?.value;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("{option} {text}: it must be at least 0"))
    }
}
