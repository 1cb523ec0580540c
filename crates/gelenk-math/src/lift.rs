//! Functions of numbers lifted to any scalar: their derivatives by central differences.

use std::any::TypeId;

use crate::Real;

/// Numbers that fit without a place on the heap.
const ROOM: usize = 64;
/// Share of a value by which it is moved, near the cube root of the rounding.
const MOVED: f64 = 6e-6;

/// Evaluates `f(inputs, outputs)`, which knows numbers only, and carries the derivatives of the inputs to the outputs:
/// `y = f(x) + sum df/dx_k (x_k - re(x_k))`. Both are lists of lists; `f` sees their entries one after the other. Inputs without
/// derivatives are not differentiated, so plain numbers cost one evaluation, and nothing is put on the heap then up to 64
/// inputs and outputs.
pub fn lift<T: Real>(inputs: &[&[T]], outputs: &mut [&mut [T]], f: &mut dyn FnMut(&[f64], &mut [f64])) {
    let count = inputs.iter().map(|list| list.len()).sum::<usize>();
    let width = outputs.iter().map(|list| list.len()).sum::<usize>();
    let (mut near, mut far) = ([[0.0; ROOM]; 2], [Vec::new(), Vec::new()]);
    let ([near_x, near_y], [far_x, far_y]) = (&mut near, &mut far);
    let (x, y) = (room(near_x, far_x, count), room(near_y, far_y, width));
    let seen = || inputs.iter().flat_map(|list| list.iter().copied());
    x.iter_mut().zip(seen()).for_each(|(x, input)| *x = input.re());
    f(x, y);
    let each = outputs.iter_mut().flat_map(|list| list.iter_mut());
    each.zip(y.iter()).for_each(|(output, &y)| *output = T::c(y));
    if TypeId::of::<T>() == TypeId::of::<f64>() {
        return;
    }
    let mut above = vec![0.0; width];
    for (k, input) in seen().enumerate() {
        let value = x[k];
        if input.is(value) {
            continue;
        }
        let step = MOVED * (1.0 + value.abs());
        x[k] = value + step;
        let upper = x[k];
        f(x, &mut above);
        x[k] = value - step;
        let width = upper - x[k];
        f(x, y);
        x[k] = value;
        let moved = input - T::c(value);
        let each = outputs.iter_mut().flat_map(|list| list.iter_mut());
        for ((output, above), below) in each.zip(&above).zip(y.iter()) {
            *output += moved * T::c((above - below) / width);
        }
    }
}

/// Room for `count` numbers, on the heap only where there are many.
fn room<'a>(near: &'a mut [f64; ROOM], far: &'a mut Vec<f64>, count: usize) -> &'a mut [f64] {
    match near.get_mut(..count) {
        Some(room) => room,
        None => {
            far.resize(count, 0.0);
            far
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dual, partial, seed};

    /// Products and sines have the derivatives of the calculus, and a number has none.
    #[test]
    fn derivatives_by_differences() {
        let mut f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[1], x[0].sin());
        let mut y = [0.0; 2];
        lift(&[&[0.7], &[-2.0]], &mut [&mut y], &mut f);
        assert_eq!(y, [-1.4, 0.7f64.sin()]);
        let mut y = [Dual::c(0.0); 2];
        lift(&[&[seed(0.7, 0), seed(-2.0, 1)]], &mut [&mut y], &mut f);
        for (value, expected) in
            [(partial(y[0], 0), -2.0), (partial(y[0], 1), 0.7), (partial(y[1], 0), 0.7f64.cos())]
        {
            assert!((value - expected).abs() < 1e-9, "{value} instead of {expected}");
        }
        assert_eq!(partial(y[1], 1), 0.0);
    }
}
