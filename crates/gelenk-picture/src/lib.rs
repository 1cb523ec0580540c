//! Pictures of recordings: plots as SVG and PNG, scenes as images and videos, motions as animated glTF.
//!
//! Everything here is computed: no screen, no graphics card, no font of the machine. The same recording gives the same
//! bytes.
//!
//! | module | content |
//! |---|---|
//! | [`plot`](mod@plot) | columns over time or over each other |
//! | [`sketch`](mod@sketch) | curves without axes, for small pictures |
//! | [`drawing`] | lines and texts in a plane, before they become a file |
//! | [`svg`] | a drawing as SVG |
//! | [`paint`] | a drawing as pixels |
//! | [`pixels`] | pixels, PNG and animated PNG |
//! | [`quantise`] | fewer colours, for small files |
//! | [`scene`] | what recordings say about bodies |
//! | [`motion`] | poses at any time |
//! | [`solid`] | forms as triangles |
//! | [`figure`] | a scene in motion as surfaces |
//! | [`loads`] | forces and torques as arrows |
//! | [`colour_map`] | colours for numbers |
//! | [`gltf`] | a figure as animated glTF |
//! | [`render`] | a figure as pixels |
//! | [`film`] | pictures in a row: folders, animated PNG, videos |

pub mod colour_map;
pub mod drawing;
pub mod figure;
pub mod film;
pub mod gltf;
pub mod loads;
pub mod motion;
pub mod paint;
mod parts;
pub mod pixels;
pub mod plot;
pub mod quantise;
pub mod render;
pub mod scene;
mod skeleton;
pub mod sketch;
pub mod solid;
pub mod svg;
