//! Simulate machines and bodies that move, touch, rub and are driven.
