//! Random motions, and a free mass under a load, for any law.

use gelenk_laws::{Friction, Stance};
use gelenk_testing::random::Random;

/// How many motions a test tries: a hundred, or ten thousand with `GELENK_FULL=1`.
pub(crate) fn motions() -> u64 {
    if std::env::var_os("GELENK_FULL").is_some_and(|value| value == "1") { 10_000 } else { 100 }
}

/// Velocities and steps at random over three decades each: around the typical Stribeck velocity of 1 mm/s, with travels from
/// far below to far beyond the typical presliding of 10 um.
pub(crate) fn motion(random: &mut Random, steps: usize) -> Vec<(f64, f64)> {
    (0..steps).map(|_| (random.sign() * random.decades(-4.5, -1.5), random.decades(-4.0, -0.5))).collect()
}

/// A free mass under a load: `m dv/dt = f - y`, in implicit steps on the law's own form.
pub(crate) struct Mass {
    law: Friction,
    p: Vec<f64>,
    z: Vec<f64>,
    z1: Vec<f64>,
    m: Vec<f64>,
    pub(crate) mass: f64,
    pub(crate) x: f64,
    pub(crate) v: f64,
}

impl Mass {
    pub(crate) fn new(law: Friction, mass: f64) -> Self {
        let (p, elements) = law.spec().typical();
        let z = vec![0.0; law.states(elements)];
        let mut m = vec![0.0; law.memory(elements)];
        law.commit(&p, &z, 0.0, &mut m);
        Self { law, p, z1: z.clone(), z, m, mass, x: 0.0, v: 0.0 }
    }

    pub(crate) fn step(&mut self, f: f64, h: f64) {
        let v = if self.law.sticking(&self.p).is_some() { self.held(f, h) } else { self.free(f, h) };
        self.v = v;
        self.x += h * v;
    }

    /// A law that sticks: rest while the load is below the break-away level, else sliding until it comes to rest.
    fn held(&mut self, f: f64, h: f64) -> f64 {
        let Some(sticking) = self.law.sticking(&self.p) else { return 0.0 };
        if self.v == 0.0 && f.abs() <= sticking.breakaway {
            self.m[0] = Stance::Stuck.memory();
            return 0.0;
        }
        let sign = if self.v == 0.0 { f.signum() } else { self.v.signum() };
        self.m[0] = Stance::Sliding(sign).memory();
        let y = self.law.rate(&self.p, &self.z, &self.m, self.v, &mut self.z1);
        let v = self.v + h * (f - y) / self.mass;
        if v * sign <= sticking.band { 0.0 } else { v }
    }

    fn residual(&mut self, v: f64, f: f64, h: f64) -> f64 {
        let y = self.law.advance(&self.p, &self.z, &self.m, v, h, &mut self.z1);
        self.mass * (v - self.v) - h * (f - y)
    }

    /// One implicit Euler step by a bracketed secant.
    fn free(&mut self, f: f64, h: f64) -> f64 {
        let start = self.residual(self.v, f, h);
        let (mut a, mut fa) = (self.v, start);
        let mut reach = (start / self.mass).abs().max(1e-12);
        let (mut b, mut fb) = (a, fa);
        for _ in 0..60 {
            b = self.v - reach * start.signum();
            fb = self.residual(b, f, h);
            if fb * fa <= 0.0 {
                break;
            }
            (a, fa) = (b, fb);
            reach *= 4.0;
        }
        for _ in 0..60 {
            if fb == 0.0 || (b - a).abs() < 1e-14 + 1e-12 * b.abs() {
                break;
            }
            let mut c = b - fb * (b - a) / (fb - fa);
            if !c.is_finite() {
                c = 0.5 * (a + b);
            }
            let fc = self.residual(c, f, h);
            if fc * fb < 0.0 {
                (a, fa) = (b, fb);
            } else {
                fa *= 0.5;
            }
            (b, fb) = (c, fc);
        }
        // A jump of the law has no root: the step is then that of the effort at its start.
        if fb.abs() > 1e-6 * h * (f.abs() + 1e-3) {
            b = self.v - start / self.mass;
        }
        self.law.advance(&self.p, &self.z, &self.m, b, h, &mut self.z1);
        std::mem::swap(&mut self.z, &mut self.z1);
        self.law.commit(&self.p, &self.z, b, &mut self.m);
        b
    }
}
