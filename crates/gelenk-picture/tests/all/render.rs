//! Pictures of a small scene whose places in the picture are known.

use gelenk_math::spatial::Vec3;
use gelenk_picture::figure::{Figure, FigurePart};
use gelenk_picture::pixels::Pixels;
use gelenk_picture::render::{RenderOptions, Renderer, View};
use gelenk_picture::scene::Scene;
use gelenk_record::{Column, Recording};

fn take(options: RenderOptions, t: f64) -> Pixels {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let figures = Figure::all(&recording).unwrap();
    Renderer::new(&figures, options).unwrap().picture(t).unwrap()
}

fn small() -> RenderOptions {
    RenderOptions { size: (160, 120), view: View::Front, ..RenderOptions::default() }
}

/// Whether a pixel is orange rather than grey: the second body's colour.
fn orange([r, _, b]: [u8; 3]) -> bool {
    i32::from(r) - i32::from(b) > 50
}

fn blue([r, _, b]: [u8; 3]) -> bool {
    i32::from(b) - i32::from(r) > 50
}

/// The followed ball is in the middle. From the front it is round; its radius is 0.15 m in a picture whose shorter side
/// covers 1.5 of the mechanism's size.
#[test]
fn a_followed_body_is_in_the_middle() {
    let options = RenderOptions { follow: Some("bob".into()), ..small() };
    for t in [0.0, 1.05, 2.0] {
        let picture = take(options.clone(), t);
        assert!(orange(picture.at(80, 60)), "{:?} at {t}", picture.at(80, 60));
        let across = (0..160).filter(|&x| orange(picture.at(x, 60))).count();
        let down = (0..120).filter(|&y| orange(picture.at(80, y))).count();
        assert!(across > 8 && across.abs_diff(down) <= 2, "{across} x {down}");
    }
}

/// With x to the right the ball, at x = 0.8 m, is right of the arm; from behind it is left of it; from ahead it covers
/// the arm.
#[test]
fn views_are_where_they_say() {
    let middle = |picture: &Pixels, wanted: fn([u8; 3]) -> bool| {
        let all = (0..160).flat_map(|x| (0..120).map(move |y| (x, y)));
        let hits: Vec<u32> = all.filter(|&(x, y)| wanted(picture.at(x, y))).map(|(x, _)| x).collect();
        assert!(!hits.is_empty());
        hits.iter().sum::<u32>() as f64 / hits.len() as f64
    };
    let front = take(small(), 0.0);
    assert!(middle(&front, orange) > middle(&front, blue) + 10.0);
    let behind = take(RenderOptions { view: "90,0".parse().unwrap(), ..small() }, 0.0);
    assert!(middle(&behind, orange) < middle(&behind, blue) - 10.0);
    let same = take(RenderOptions { view: "-90,0".parse().unwrap(), ..small() }, 0.0);
    assert_eq!(same, front);
}

/// What is nearer covers what is farther: from ahead (+x) the ball of 0.15 m hides all of the arm's middle behind it when
/// the camera aims at the ball; from behind the arm is seen.
#[test]
fn nearer_surfaces_cover_others() {
    let options = RenderOptions { follow: Some("bob".into()), ..small() };
    let ahead = take(RenderOptions { view: View::Side, ..options.clone() }, 0.0);
    assert!(orange(ahead.at(80, 60)));
    let behind =
        take(RenderOptions { view: "180,14".parse().unwrap(), follow: Some("arm".into()), ..small() }, 0.0);
    assert!(blue(behind.at(80, 60)), "{:?}", behind.at(80, 60));
}

/// The same recording gives the same bytes; another time and a trace give others.
#[test]
fn pictures_are_the_same_every_time() {
    let first = take(small(), 0.4);
    assert_eq!(first, take(small(), 0.4));
    assert_ne!(first, take(small(), 0.5));
    let traced = take(RenderOptions { traces: vec!["all".into()], ..small() }, 0.4);
    assert_ne!(first, traced);
    let bare = take(RenderOptions { ground: false, ..small() }, 0.4);
    assert_ne!(first, bare);
}

#[test]
fn mistakes_are_answered_with_the_way_out() {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let figures = Figure::all(&recording).unwrap();
    let fail = |options: RenderOptions| Renderer::new(&figures, options).unwrap_err().to_string();
    let message = fail(RenderOptions { follow: Some("amr".into()), ..small() });
    assert_eq!(message, "there is no body `amr`; did you mean `arm`?");
    for size in [(0, 10), (10, 0), (100_000, 100_000)] {
        assert!(fail(RenderOptions { size, ..small() }).contains("cannot be made"), "{size:?}");
    }
    for zoom in [0.0, f64::NAN, 1e9] {
        assert!(fail(RenderOptions { zoom, ..small() }).contains("zoom"), "{zoom}");
    }
    for view in ["left", "1", "1,2,3", "0,100", "nan,0"] {
        assert!(view.parse::<View>().unwrap_err().to_string().contains("unknown view"), "{view}");
    }
}

/// Damaged descriptions are refused with the place.
#[test]
fn damaged_scenes_are_refused() {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let good = recording.meta()["scene"].clone();
    assert!(Scene::parse(&good).is_ok());
    for (from, to, place) in [
        ("\"version\":1", "\"version\":7", "version 7"),
        ("\"child\":\"arm\"", "\"child\":\"amr\"", "`amr`"),
        ("\"up\":[0.0,0.0,1.0]", "\"up\":[0.0,0.0,9.0]", "`up`"),
        ("\"between\":[0,1]", "\"between\":[0,5]", "a number of a frame"),
        ("\"kind\":\"sphere\"", "\"kind\":\"cone\"", "`kind`"),
        ("\"mass\":0.5", "\"mass\":null", "`mass`"),
    ] {
        let text = good.replace(from, to);
        assert_ne!(text, good, "{from}");
        let message = Scene::parse(&text).unwrap_err().to_string();
        assert!(message.contains(place), "{message}");
    }
    assert!(Scene::parse("{").is_err());
}

/// Counts pixels of a colour.
fn count(picture: &Pixels, wanted: impl Fn([u8; 3]) -> bool) -> usize {
    (0..picture.width())
        .flat_map(|x| (0..picture.height()).map(move |y| (x, y)))
        .filter(|&(x, y)| wanted(picture.at(x, y)))
        .count()
}

/// The contact force of [`crate::common::touched`] points up from the origin of the ground; it is seen through the arm, which
/// covers it, and is gone without loads and where the force is zero.
#[test]
fn loads_are_seen_through_bodies() {
    let recording = crate::common::touched();
    let figures = Figure::all(&recording).unwrap();
    let small = || RenderOptions { size: (480, 360), ..small() };
    let pink = |[r, g, b]: [u8; 3]| i32::from(r) - i32::from(g) > 90 && i32::from(b) > i32::from(g);
    let taken = |options: RenderOptions, t: f64| {
        count(&Renderer::new(&figures, options).unwrap().picture(t).unwrap(), pink)
    };
    assert!(taken(small(), 2.0) > 20, "{}", taken(small(), 2.0));
    assert_eq!(taken(RenderOptions { loads: false, ..small() }, 2.0), 0);
    assert_eq!(taken(small(), 0.0), 0);
}

/// The same motion backwards, over the first: at the start its arm is 1 m higher. About half of a pixel is the colour of the
/// second figure, a reddish orange, and half what is behind it. All of the first figure is blue, the colour of the first run, and
/// the second one covers nothing of it.
#[test]
fn a_second_figure_is_pale() {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let mut data: Vec<Vec<f64>> =
        (0..recording.columns().len()).map(|k| recording.values(k).unwrap().to_vec()).collect();
    data.iter_mut().skip(1).for_each(|column| column.reverse());
    let mut backwards = Recording::from_data(recording.columns().to_vec(), data).unwrap();
    *backwards.meta_mut() = recording.meta().clone();
    let mut figures = Figure::all(&recording).unwrap();
    figures.extend(Figure::all(&backwards).unwrap());
    let one = take(small(), 0.0);
    let two = Renderer::new(&figures, small()).unwrap().picture(0.0).unwrap();
    let pale = |[r, g, b]: [u8; 3]| r > 190 && (40..110).contains(&(i32::from(r) - i32::from(b))) && r > g;
    assert!(count(&two, pale) > count(&one, pale) + 100, "{} {}", count(&two, pale), count(&one, pale));
    let pixels = (0..one.width()).flat_map(|x| (0..one.height()).map(move |y| (x, y)));
    let lost = pixels.filter(|&(x, y)| blue(one.at(x, y)) && !blue(two.at(x, y))).count();
    assert_eq!(lost, 0);
    assert!(count(&two, blue) > count(&one, blue));
}

/// The elements of [`crate::common::touched`]: one triangle with the largest pressure has the last colour of the map, and the scale
/// stands in the corner. H-R57 (pressure).
#[test]
fn contact_elements_have_the_colours_of_their_pressures() {
    let recording = crate::common::touched();
    let figures = Figure::all(&recording).unwrap();
    let elements = crate::common::elements();
    let options = RenderOptions { view: View::Top, loads: false, size: (480, 360), ..small() };
    let taken = |t: f64, options: &RenderOptions| {
        Renderer::new(&figures, options.clone()).unwrap().with_elements(&elements).picture(t).unwrap()
    };
    let yellow = |[r, g, b]: [u8; 3]| r > 235 && g > 220 && b < 80;
    let (without, with) = (taken(0.0, &options), taken(1.0, &options));
    // A part of the scale is yellow, too.
    assert!(count(&with, yellow) > count(&without, yellow) + 100, "{}", count(&with, yellow));
    assert!(count(&without, yellow) > 0);
    let none = taken(1.0, &RenderOptions { elements: "none".parse().unwrap(), ..options });
    assert_eq!(count(&none, yellow), 0);
    assert!("stress".parse::<gelenk_picture::render::Quantity>().is_err());
}

/// A plate that reaches behind the camera is seen up to it: from a low point over the middle of the plate of
/// [`crate::common::touched`], 2 m wide, with the camera close by, the lower half of the picture is the plate's grey.
#[test]
fn what_reaches_behind_the_camera_is_cut() {
    let recording = crate::common::touched();
    let figures = Figure::all(&recording).unwrap();
    let options =
        RenderOptions { zoom: 12.0, view: "-90,10".parse().unwrap(), loads: false, ground: false, ..small() };
    let picture = Renderer::new(&figures, options).unwrap().picture(0.0).unwrap();
    let grey = |[r, g, b]: [u8; 3]| r.abs_diff(g) < 25 && g.abs_diff(b) < 25 && r < 225;
    for x in [5, 60, 100, 155] {
        assert!(grey(picture.at(x, 117)), "{x}: {:?}", picture.at(x, 117));
    }
}

/// A mechanism that slides 40 m along a rail on the ground is followed as a whole: arm and ball stay in the picture, although
/// the rail is much longer.
#[test]
fn what_travels_stays_in_the_picture() {
    let still = crate::common::recording([0.0, 0.0, 1.0]);
    let mut data: Vec<Vec<f64>> =
        (0..still.columns().len()).map(|k| still.values(k).unwrap().to_vec()).collect();
    let time = still.time().to_vec();
    for (column, values) in still.columns().iter().zip(&mut data) {
        if column.name.starts_with("bodies.") && column.name.ends_with(".x") {
            values.iter_mut().zip(&time).for_each(|(x, t)| *x += 20.0 * t);
        }
    }
    let mut moving = Recording::from_data(still.columns().to_vec(), data).unwrap();
    let rail = still.meta()["scene"].replace("\"type\":\"revolute\"", "\"type\":\"prismatic\"");
    let rail = rail.replace("\"axis\":[0.0,1.0,0.0]", "\"axis\":[1.0,0.0,0.0]");
    assert!(rail.contains("prismatic") && rail.contains("[1.0,0.0,0.0]"));
    moving.meta_mut().insert("scene".into(), rail);
    let figures = Figure::all(&moving).unwrap();
    let renderer = Renderer::new(&figures, small()).unwrap();
    for t in [0.0, 0.9, 2.0] {
        let picture = renderer.picture(t).unwrap();
        assert!(count(&picture, blue) > 40 && count(&picture, orange) > 20, "at {t} s");
    }
}

/// ST-R53, in part (coordinates and constraints are not drawn): bodies, joints, springs, forces, measured markers, axes of frames and what stands on the ground are parts of one
/// figure, which is made once; a time only moves them. The hinge is carried by the arm, which rises by 0.5 m/s; the marker
/// goes 0.2 m/s along x and is not seen after 1.5 s.
#[test]
fn everything_is_shown_and_moves_without_being_made_anew() {
    let bare = crate::common::touched();
    let mut columns = bare.columns().to_vec();
    columns.extend(["x", "y", "z"].map(|axis| Column::new(format!("markers.heel.{axis}"), "m", "")));
    let mut data: Vec<Vec<f64>> =
        (0..bare.columns().len()).map(|k| bare.values(k).unwrap().to_vec()).collect();
    let seen = |speed: f64| bare.time().iter().map(move |&t| if t > 1.5 { f64::NAN } else { speed * t });
    data.extend([0.2, 0.0, 0.0].map(|speed| seen(speed).collect()));
    let mut recording = Recording::from_data(columns, data).unwrap();
    *recording.meta_mut() = bare.meta().clone();
    let figure = Figure::of(&recording).unwrap();
    let place = |name: &str, part: FigurePart, t: f64| {
        let item = figure.items.iter().find(|item| item.name == name && item.part == part);
        let item = item.ok_or_else(|| format!("{name} is missing")).unwrap();
        assert!(!item.solid.triangles.is_empty());
        figure.transform(&item.place, t).map(|there| there.pose.position)
    };
    for (name, part) in [("arm", FigurePart::Body), ("joint", FigurePart::Joint)] {
        let way = place(name, part, 1.0).unwrap() - place(name, part, 0.0).unwrap();
        assert!((way - Vec3::new(0.0, 0.0, 0.5)).norm() < 1e-12, "{name}: {way}");
    }
    assert!((place("heel", FigurePart::Marker, 1.0).unwrap() - Vec3::new(0.2, 0.0, 0.0)).norm() < 1e-12);
    assert_eq!(place("heel", FigurePart::Marker, 1.8), None);
    assert_eq!(place("ground", FigurePart::Body, 0.0), place("ground", FigurePart::Body, 1.0));
    // The middle of the spring, from the tip of the arm, 0.3 m away and turned by a quarter, to the ball.
    let middle = place("spring", FigurePart::Joint, 0.5).unwrap();
    assert!((middle - Vec3::new(0.4, 0.0, (0.25 - 0.3 - 0.2) / 2.0)).norm() < 1e-12, "{middle}");
    assert!(figure.items.iter().any(|item| item.part == FigurePart::Load));
    // Axes: three for each of three bodies and three frames, drawn where they are asked for.
    assert_eq!(figure.items.iter().filter(|item| item.part == FigurePart::Axes).count(), 18);
    let green = |[r, g, b]: [u8; 3]| i32::from(g) - i32::from(r.max(b)) > 60;
    let taken = |axes: bool| {
        let options = RenderOptions { size: (480, 360), axes, view: View::Side, ..RenderOptions::default() };
        count(&Renderer::new(std::slice::from_ref(&figure), options).unwrap().picture(0.5).unwrap(), green)
    };
    assert!(taken(true) > taken(false) + 20, "{} {}", taken(true), taken(false));
}
