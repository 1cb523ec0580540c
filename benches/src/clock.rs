//! CPU time.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process (s).
pub(crate) fn cpu_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
