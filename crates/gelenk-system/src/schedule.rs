//! When something samples, and when its result arrives.

use crate::clock::Nanos;

/// Parts of a nanosecond in which a period is counted.
const PARTS: u128 = 1 << 32;

/// Sampling instants `t_k = k T + j_k` and the arrival of the result at `t_k + delay`.
///
/// The period need not be a whole number of nanoseconds: samples are counted, and each stands on the first grid time that is
/// not before `k T`, so that no error adds up.
///
/// The jitter `j_k` is uniform from zero to less than `jitter`, which is shorter than the period; it depends on the seed
/// and on `k` alone, so runs repeat. The first sample is always at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Period `T`, without what it has beyond whole nanoseconds.
    pub period: Nanos,
    /// The rest of the period in parts of `2^-32` ns.
    pub rest: u32,
    /// Time from sampling to the arrival of the result.
    pub delay: Nanos,
    /// Upper bound of the jitter.
    pub jitter: Nanos,
    /// Seed of the jitter.
    pub seed: u64,
}

impl Schedule {
    /// Without delay and jitter.
    pub fn every(period: Nanos) -> Self {
        Self { period, rest: 0, delay: Nanos::ZERO, jitter: Nanos::ZERO, seed: 0 }
    }

    /// The same with a period in seconds; `None` if it is negative, not finite or out of range.
    pub fn with_period(self, seconds: f64) -> Option<Self> {
        let nanos = seconds * 1e9;
        // A period that is whole but for rounding is meant so.
        if (nanos - nanos.round()).abs() <= 4.0 * f64::EPSILON * nanos {
            return Some(Self { period: Nanos::from_seconds(seconds)?, rest: 0, ..self });
        }
        let period = (0.0..1.8e19).contains(&nanos).then_some(Nanos(nanos as u64))?;
        Some(Self { period, rest: (nanos.fract() * PARTS as f64) as u32, ..self })
    }

    /// The period in seconds.
    pub fn period_seconds(&self) -> f64 {
        match self.rest {
            0 => self.period.seconds(),
            rest => (self.period.0 as f64 + f64::from(rest) / PARTS as f64) / 1e9,
        }
    }

    /// The period in parts of a nanosecond.
    fn parts(&self) -> u128 {
        u128::from(self.period.0) * PARTS + u128::from(self.rest)
    }

    /// Whole periods in a time (ns); `None` for a period of zero.
    fn periods(&self, time: u64) -> Option<u64> {
        u64::try_from((u128::from(time) * PARTS).checked_div(self.parts())?).ok()
    }

    /// Instant of sample `k`; `None` past the range of the clock.
    pub fn instant(&self, k: u64) -> Option<Nanos> {
        let jitter = match (k, self.jitter.0) {
            (0, _) | (_, 0) => 0,
            (_, span) => scramble(self.seed ^ scramble(k)) % span,
        };
        let exact = u128::from(k).checked_mul(self.parts())?;
        u64::try_from(exact.div_ceil(PARTS)).ok()?.checked_add(jitter).map(Nanos)
    }

    /// Number of the sample that is due at `now`.
    pub fn due(&self, now: Nanos) -> Option<u64> {
        let k = self.periods(now.0)?;
        (self.instant(k) == Some(now)).then_some(k)
    }

    /// Number of the last sample whose result has arrived at `now`.
    pub fn arrived(&self, now: Nanos) -> Option<u64> {
        let sampled = now.0.checked_sub(self.delay.0)?;
        let k = self.periods(sampled)?;
        if self.instant(k)?.0 <= sampled { Some(k) } else { k.checked_sub(1) }
    }

    /// The first instant after `now` at which a sample is due or a result arrives.
    pub fn next(&self, now: Nanos) -> Option<Nanos> {
        let sample = self.after(now.0);
        let arrival = match now.0.checked_sub(self.delay.0) {
            Some(sampled) => self.after(sampled)?.0.checked_add(self.delay.0).map(Nanos),
            None => Some(self.delay),
        };
        [sample, arrival].into_iter().flatten().min()
    }

    /// Samples that are on their way at most, the one that has arrived included.
    pub fn in_flight(&self) -> usize {
        let span = self.delay.0.saturating_add(self.jitter.0);
        usize::try_from(span.checked_div(self.period.0).unwrap_or(0)).unwrap_or(usize::MAX).saturating_add(2)
    }

    /// The first sampling instant after a time (ns).
    fn after(&self, time: u64) -> Option<Nanos> {
        let k = self.periods(time)?;
        let here = self.instant(k)?;
        if here.0 > time { Some(here) } else { self.instant(k.checked_add(1)?) }
    }
}

/// Mixes the bits of a number (the finaliser of SplitMix64; Steele, Lea and Flood, 2014).
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of a sample and a time (ns).
    type Moments = Vec<(u64, u64)>;

    /// Walks along a schedule and collects samples and arrivals.
    fn walk(schedule: &Schedule, until: u64) -> (Moments, Moments) {
        let (mut samples, mut arrivals) = (Vec::new(), Vec::new());
        let mut now = Nanos::ZERO;
        while now.0 <= until {
            samples.extend(schedule.due(now).map(|k| (k, now.0)));
            let last = arrivals.last().map(|&(k, _): &(u64, u64)| k);
            arrivals.extend(schedule.arrived(now).filter(|&k| Some(k) != last).map(|k| (k, now.0)));
            match schedule.next(now) {
                Some(next) => now = next,
                None => break,
            }
        }
        (samples, arrivals)
    }

    #[test]
    fn results_arrive_after_their_delay() {
        for (delay, jitter) in [(0, 0), (7, 0), (10, 0), (25, 0), (0, 6), (23, 9)] {
            let schedule =
                Schedule { period: Nanos(10), delay: Nanos(delay), jitter: Nanos(jitter), seed: 5, rest: 0 };
            let (samples, arrivals) = walk(&schedule, 10_000);
            assert!(samples.len() > 990, "{delay} {jitter}: {}", samples.len());
            for (n, &(k, t)) in samples.iter().enumerate() {
                assert_eq!(n as u64, k);
                assert!(t >= 10 * k && t < 10 * k + jitter.max(1), "{delay} {jitter}: sample {k} at {t}");
            }
            for (&(k, t), &(sampled, at)) in arrivals.iter().zip(&samples) {
                assert_eq!((k, t), (sampled, at + delay), "{delay} {jitter}");
                let flying = samples.iter().filter(|s| s.1 <= t && s.0 >= k).count();
                assert!(flying <= schedule.in_flight());
            }
        }
    }

    /// Samples are counted: after 20 s at 44.1 kHz there have been 882,000, where periods in whole nanoseconds gave 881,989. No
    /// sample is early, and none is late by a nanosecond.
    #[test]
    fn periods_between_nanoseconds_do_not_drift() {
        for rate in [44_100u64, 3000, 900, 300, 70, 7, 1000] {
            let schedule = Schedule::every(Nanos::ZERO).with_period(1.0 / rate as f64).unwrap();
            let end = 20 * rate;
            let exact = |k: u64| (u128::from(k) * 1_000_000_000).div_ceil(u128::from(rate));
            for k in (0..=end).step_by(997).chain([end]) {
                let at = schedule.instant(k).unwrap();
                assert!(exact(k).abs_diff(u128::from(at.0)) <= 1, "{rate}: sample {k} at {at}");
                assert_eq!(schedule.due(at), Some(k), "{rate}");
                assert!(k == 0 || schedule.after(at.0 - 1) == Some(at));
            }
            let count = (0..).take_while(|&k| schedule.instant(k).is_some_and(|at| at.0 < 20_000_000_000));
            assert_eq!(count.count() as u64, end, "{rate}");
            assert!((schedule.period_seconds() * rate as f64 - 1.0).abs() < 1e-13);
        }
        assert_eq!(Schedule::every(Nanos::ZERO).with_period(3e-4).unwrap(), Schedule::every(Nanos(300_000)));
        assert!(Schedule::every(Nanos::ZERO).with_period(f64::NAN).is_none());
    }

    #[test]
    fn jitter_is_even() {
        let schedule = Schedule { period: Nanos(1000), jitter: Nanos(1000), ..Schedule::every(Nanos(1000)) };
        let shifts = (1..=10_000u64).filter_map(|k| Some(schedule.instant(k)?.0 - 1000 * k));
        let mean = shifts.sum::<u64>() as f64 / 10_000.0;
        // The mean of ten thousand even numbers lies within four standard errors, 1000/sqrt(12)/100, of the middle.
        assert!((mean - 499.5).abs() < 4.0 * 2.89, "{mean}");
    }
}
