//! A run that goes on from a checkpoint gives the same bits as one that was never stopped.

use gelenk_solve::{Checkpoint, Observer, StopRun, resume, simulate};
use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::trial::{LOOKS, Way, prepared};

/// Keeps rows and the checkpoint of a certain number.
#[derive(Default)]
struct Rows {
    rows: Vec<Vec<f64>>,
    wanted: usize,
    seen: usize,
    kept: Option<Checkpoint>,
    looks: u64,
}

impl Observer for Rows {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn interrupted(&mut self, _: f64) -> bool {
        self.looks += 1;
        self.looks > LOOKS
    }

    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint) {
        if self.seen == self.wanted {
            self.kept = Some(make());
        }
        self.seen += 1;
    }
}

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let solver = dice.word(&[
        r#"{ method = "dopri5", rtol = 1e-7, atol = 1e-7 }"#,
        r#"{ method = "dop853", rtol = 1e-7, atol = 1e-7 }"#,
        r#"{ method = "bs23", rtol = 1e-5, atol = 1e-5 }"#,
        r#"{ method = "rk4", step = "1 ms" }"#,
        r#"{ method = "semi-implicit-euler", step = "1 ms" }"#,
        r#"{ method = "stepped2", step = "1 ms" }"#,
        r#"{ method = "stepped", step = "1 ms" }"#,
        r#"{ method = "real-time", step = "1 ms" }"#,
    ]);
    // Checkpoints come every 64 rows.
    let fine = Sketch { output: 0.001, ..sketch.clone() };
    let built = match prepared(&fine, &Way { solver, ..Way::default() }) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (mechanism, p) = (&built.mechanism, built.parameters.values());
    let wanted = dice.below((sketch.until / 0.064) as usize);
    let mut whole = Rows { wanted, ..Rows::default() };
    if let Err(error) = simulate(mechanism, &p, &built.options, &mut whole) {
        return Ok(Outcome::Refused(error.to_string()));
    }
    // Rows that dense output gives are no ends of steps, and have no checkpoints.
    let Some(checkpoint) = whole.kept.clone() else { return Ok(Outcome::Held) };
    let text = checkpoint.to_text();
    let Some(checkpoint) = Checkpoint::from_text(&text) else {
        return Err("the text is not read back".into());
    };
    let from = checkpoint.rows() as usize;
    let mut rest = Rows { wanted: usize::MAX, ..Rows::default() };
    resume(mechanism, &p, &built.options, &checkpoint, &mut rest)
        .map_err(|error| format!("{solver}: refused from row {from}: {error}"))?;
    let expected = &whole.rows[from..];
    if rest.rows.len() != expected.len() {
        return Err(format!(
            "{solver}: {} rows after row {from} instead of {}",
            rest.rows.len(),
            expected.len()
        ));
    }
    for (a, b) in expected.iter().zip(&rest.rows) {
        for (k, (x, y)) in a.iter().zip(b).enumerate() {
            if x.to_bits() != y.to_bits() {
                let name = if k == 0 { "t" } else { &mechanism_name(&built, k - 1) };
                return Err(format!("{solver}: {name} at {} s: {x:e} and resumed {y:e}", a[0]));
            }
        }
    }
    Ok(Outcome::Held)
}

fn mechanism_name(built: &gelenk::open::Prepared, k: usize) -> String {
    use gelenk_system::System;
    built.mechanism.channels()[k].name.clone()
}

#[test]
fn resumed() {
    guard("resumed", Wishes::ALL, 30, check);
}
