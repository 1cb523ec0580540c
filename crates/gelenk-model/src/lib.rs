//! Model and study files: reading, units, errors with lines, compiling to a system.
