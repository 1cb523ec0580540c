//! Pictures of a small scene whose places in the picture are known.
#![allow(clippy::unwrap_used)]

mod common;

use gelenk_picture::figure::Figure;
use gelenk_picture::pixels::Pixels;
use gelenk_picture::render::{RenderOptions, Renderer, View};
use gelenk_picture::scene::Scene;

fn take(options: RenderOptions, t: f64) -> Pixels {
    let recording = common::recording([0.0, 0.0, 1.0]);
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
    let recording = common::recording([0.0, 0.0, 1.0]);
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
        assert!(view.parse::<View>().unwrap_err().to_string().contains("no view"), "{view}");
    }
}

/// Damaged descriptions are refused with the place.
#[test]
fn damaged_scenes_are_refused() {
    let recording = common::recording([0.0, 0.0, 1.0]);
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
