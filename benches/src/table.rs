//! The comparison on one model.

use std::path::Path;

use crate::ALGORITHMS;
use crate::ours::Ours;
use crate::peer::Peer;

/// Measures and prints: microseconds a call of everyone, and ours by the fastest peer's.
pub(crate) fn print(folder: &Path, model: &str, peers: &[&str], blocks: usize) -> Result<(), String> {
    let mut ours = Ours::new(folder, model);
    let path = folder.join(model);
    let mut peers = peers.iter().map(|program| Peer::start(program, &path)).collect::<Result<Vec<_>, _>>()?;
    let mut best = vec![[f64::INFINITY; ALGORITHMS.len()]; 1 + peers.len()];
    for _ in 0..blocks {
        for (k, algorithm) in ALGORITHMS.iter().enumerate() {
            best[0][k] = best[0][k].min(ours.time(algorithm).map_err(|fault| fault.to_string())?);
            for (peer, best) in peers.iter_mut().zip(&mut best[1..]) {
                best[k] = best[k].min(peer.time(algorithm)?);
            }
        }
    }
    println!("{model:<12}{}", ALGORITHMS.map(|name| format!("{name:>10}")).concat());
    let names = std::iter::once("gelenk").chain(peers.iter().map(|peer| peer.name.as_str()));
    for (name, best) in names.zip(&best) {
        println!("  {name:<10}{}  us", best.map(|time| format!("{:>10.3}", 1e6 * time)).concat());
    }
    if !peers.is_empty() {
        let ratio = |k: usize| best[0][k] / best[1..].iter().map(|b| b[k]).fold(f64::INFINITY, f64::min);
        println!("  {:<10}{}", "ratio", [0, 1, 2].map(|k| format!("{:>10.2}", ratio(k))).concat());
    }
    Ok(())
}
