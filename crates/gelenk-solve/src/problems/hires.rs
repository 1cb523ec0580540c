//! High irradiance responses of photomorphogenesis.

use gelenk_math::Real;

use super::Ode;

/// Eight species, moderately stiff (Schaefer 1975; test set for initial value problems, Mazzia and Magherini, Bari).
#[derive(Clone, Copy, Debug)]
pub struct Hires;

impl Hires {
    /// The species at `t = 321.8122` (the same test set).
    pub const AT_END: [f64; 8] = [
        0.737_131_257_332_566_8e-3,
        0.144_248_572_631_618_5e-3,
        0.588_872_974_096_757_5e-4,
        0.117_565_134_328_314_9e-2,
        0.238_635_619_883_133_1e-2,
        0.623_896_825_274_279_6e-2,
        0.284_999_839_518_576_9e-2,
        0.285_000_160_481_423_1e-2,
    ];
    /// That time (s).
    pub const END: f64 = 321.8122;
}

impl Ode for Hires {
    const STATES: &'static [&'static str] = &["y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"];
    const PARAMETERS: &'static [(&'static str, f64)] = &[];

    fn start(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057]
    }

    fn rates<T: Real>(&self, _: &[T], _: T, y: &[T], dy: &mut [T]) {
        let c = T::c;
        let bound = c(280.0) * y[5] * y[7];
        dy[0] = c(-1.71) * y[0] + c(0.43) * y[1] + c(8.32) * y[2] + c(0.0007);
        dy[1] = c(1.71) * y[0] - c(8.75) * y[1];
        dy[2] = c(-10.03) * y[2] + c(0.43) * y[3] + c(0.035) * y[4];
        dy[3] = c(8.32) * y[1] + c(1.71) * y[2] - c(1.12) * y[3];
        dy[4] = c(-1.745) * y[4] + c(0.43) * (y[5] + y[6]);
        dy[5] = c(0.69) * (y[3] + y[6]) + c(1.71) * y[4] - c(0.43) * y[5] - bound;
        dy[6] = bound - c(1.81) * y[6];
        dy[7] = -dy[6];
    }
}
