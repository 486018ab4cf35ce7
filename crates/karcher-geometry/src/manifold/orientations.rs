//! Directions, lines and planes as geologists write them: two angles, with the axes of space north, east and down.
//!
//! | layout | of | unit vector |
//! | --- | --- | --- |
//! | `trend-plunge` | a line | `(cos P cos T, cos P sin T, sin P)` |
//! | `strike-dip` | a plane, by its pole | `(sin δ sin S, −sin δ cos S, cos δ)` |
//! | `dip-direction-dip` | a plane, by its pole | `(−sin δ cos A, −sin δ sin A, cos δ)` |
//! | `declination-inclination` | a direction | `(cos I cos D, cos I sin D, sin I)` |
//!
//! Trends `T`, strikes `S`, dip directions `A` and declinations `D` run clockwise from north. Plunges `P`, dips `δ` and
//! inclinations `I` are down from the horizontal; only inclinations may be negative, which is up. By the right-hand
//! rule a plane dips to the right of its strike, `A = S + 90°`; its pole points down, with the trend `A + 180°` and the
//! plunge `90° − δ`.

use super::layout::Signs;
use super::{AngleUnit, Called, Layout};
use crate::error::Short;

const TREND: Called = Called::new("trend", &["trend", "azimuth", "azi", "az", "bearing", "declination", "dec"], &[]);
const PLUNGE: Called = Called::new("plunge", &["plunge", "plg", "inclination", "inc"], &[]);
const STRIKE: Called = Called::new("strike", &["strike", "strk"], &[]);
const DIP: Called = Called::new("dip", &["dip", "dipangle"], &[]);
const DIP_DIRECTION: Called = Called::new(
    "dip direction",
    &["dipdirection", "dipdir", "dd", "dipazimuth", "dipazi", "dipaz", "azimuth", "azi", "az"],
    &[],
);
const DECLINATION: Called =
    Called::new("declination", &["declination", "decl", "dec", "trend", "azimuth", "azi", "az"], &["d"]);
const INCLINATION: Called = Called::new("inclination", &["inclination", "incl", "inc", "plunge", "dip"], &["i"]);

/// The advice for planes on a sphere, whose points have a sign.
const PLANES: &str = "planes are axes: choose projective:2 and its layout strike-dip or dip-direction-dip";

/// The advice for strikes by the left-hand rule.
const LEFT: &str = "add 180 degrees to the strikes, which then follow the right-hand rule";

const LEFT_HAND: &[&str] = &["lhr", "lh", "left", "lefthand", "lefthanded", "lefthandrule", "leftrule"];

/// The layouts of axes in space.
pub(super) fn of_axes() -> Vec<Layout> {
    let line = Layout::new("trend-plunge", 2, line, |p| {
        let (trend, plunge) = angles(p);
        vec![trend, plunge]
    });
    let by_strike = Layout::new("strike-dip", 2, |r| plane("strike", r[0], r[1], 90.0), |p| written(p, -90.0));
    let by_direction =
        Layout::new("dip-direction-dip", 2, |r| plane("dip direction", r[0], r[1], 0.0), |p| written(p, 0.0));
    vec![
        line.columns(&["trend", "plunge"])
            .called(&[TREND, PLUNGE])
            .angles_in(AngleUnit::Degrees)
            .periodic(&[0], 360.0)
            .told(),
        by_strike
            .columns(&["strike", "dip"])
            .called(&[STRIKE, DIP])
            .with_signs(Signs::Quadrants)
            .never(LEFT_HAND, LEFT)
            .angles_in(AngleUnit::Degrees)
            .periodic(&[0], 360.0)
            .told(),
        by_direction
            .columns(&["dip direction", "dip"])
            .called(&[DIP_DIRECTION, DIP])
            .angles_in(AngleUnit::Degrees)
            .periodic(&[0], 360.0)
            .told(),
    ]
}

/// The layout of directions, which point up as well as down.
pub(super) fn of_directions() -> Layout {
    let layout = Layout::new("declination-inclination", 2, direction, |p| {
        let (declination, inclination) = angles(p);
        vec![declination, inclination]
    });
    layout
        .columns(&["declination", "inclination"])
        .called(&[DECLINATION, INCLINATION])
        .angles_in(AngleUnit::Degrees)
        .periodic(&[0], 360.0)
        .told()
}

/// Words of planes, which no layout of a sphere holds.
pub(super) fn no_planes(layout: Layout) -> Layout {
    layout.not_of_any(&["strike", "dipdirection"], PLANES)
}

/// The angle from the first axis to the second, from 0 to below 360 degrees, and the one to the third from their plane.
pub(super) fn angles(p: &[f64]) -> (f64, f64) {
    (from_north(p[1].atan2(p[0]).to_degrees()), p[2].atan2(p[0].hypot(p[1])).to_degrees())
}

/// An angle from −450 to 450 degrees, from 0 to below 360.
fn from_north(degrees: f64) -> f64 {
    let turned = degrees.rem_euclid(360.0);
    if turned < 360.0 { turned } else { 0.0 } // what is below 0 by rounding alone makes a full turn
}

/// The unit vector of an angle clockwise from north and one down from the horizontal, in degrees.
fn unit_vector(azimuth: f64, down: f64) -> Vec<f64> {
    let ((sin_a, cos_a), (sin_d, cos_d)) = (azimuth.to_radians().sin_cos(), down.to_radians().sin_cos());
    vec![cos_d * cos_a, cos_d * sin_a, sin_d]
}

/// Degrees that angles may exceed their range by: 90 degrees in radians are 90.00000000000001 back in degrees.
const SLACK: f64 = 1e-9;

/// The advice for angles of more than a turn.
pub(super) const TURNS: &str = "; take whole turns of 360 off if it counts them, or correct it";

fn check_azimuth(name: &str, degrees: f64) -> Result<(), String> {
    match degrees.abs() <= 360.0 + SLACK {
        true => Ok(()),
        false => Err(format!("{name} {} is outside -360 to 360 degrees{TURNS}", Short(degrees))),
    }
}

fn check_down(name: &str, degrees: f64, least: f64, advice: &str) -> Result<(), String> {
    match (least - SLACK..=90.0 + SLACK).contains(&degrees) {
        true => Ok(()),
        false => Err(format!("{name} {} is outside {least} to 90 degrees{advice}", Short(degrees))),
    }
}

/// The advice where the first angle could be the second.
fn swapped(first: f64, second: &str) -> String {
    match (-SLACK..=90.0 + SLACK).contains(&first) {
        true => format!("; if {second} comes first, choose the columns in the other order"),
        false => String::new(),
    }
}

/// The axis of a line.
fn line(r: &[f64]) -> Result<Vec<f64>, String> {
    let (trend, plunge) = (r[0], r[1]);
    let advice = match (-90.0 - SLACK..0.0).contains(&plunge) {
        true => "; the other end of the axis plunges as many degrees down, with a trend 180 degrees larger".to_owned(),
        false => swapped(trend, "plunge"),
    };
    check_down("plunge", plunge, 0.0, &advice)?;
    check_azimuth("trend", trend)?;
    Ok(unit_vector(trend, plunge))
}

/// The pole of a plane that dips by `dip` degrees. `azimuth` is its strike or its dip direction, `before` degrees
/// before the direction of the dip.
fn plane(name: &str, azimuth: f64, dip: f64, before: f64) -> Result<Vec<f64>, String> {
    let advice = match dip < 0.0 {
        true => String::new(),
        false => swapped(azimuth, "dip"),
    };
    check_down("dip", dip, 0.0, &advice)?;
    check_azimuth(name, azimuth)?;
    let (sin, cos) = (azimuth + before).to_radians().sin_cos();
    let (sin_dip, cos_dip) = dip.to_radians().sin_cos();
    Ok(vec![-sin_dip * cos, -sin_dip * sin, cos_dip])
}

/// The angles of a plane with a pole, whose last number that is not 0 is positive. `turn` leads from the direction of
/// the dip to the written angle: 0 for a horizontal plane, the one below 180 for a vertical plane.
fn written(pole: &[f64], turn: f64) -> Vec<f64> {
    let sin_dip = pole[0].hypot(pole[1]);
    if sin_dip == 0.0 {
        return vec![0.0, 0.0];
    }
    let azimuth = from_north((-pole[1]).atan2(-pole[0]).to_degrees() + turn);
    let is_vertical = pole[2] == 0.0;
    vec![if is_vertical && azimuth >= 180.0 { azimuth - 180.0 } else { azimuth }, sin_dip.atan2(pole[2]).to_degrees()]
}

/// The unit vector of a declination and an inclination.
fn direction(r: &[f64]) -> Result<Vec<f64>, String> {
    let advice = match r[0].abs() <= 90.0 + SLACK {
        true => "; if inclination comes first, choose the columns in the other order",
        false => "",
    };
    check_down("inclination", r[1], -90.0, advice)?;
    check_azimuth("declination", r[0])?;
    Ok(unit_vector(r[0], r[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Manifold, Projective, Sphere};
    use proptest::prelude::*;

    fn layout(space: &dyn Manifold, name: &str) -> Layout {
        space.layouts().into_iter().find(|layout| layout.name() == name).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn planes_are_held_by_their_poles() {
        let rp = Projective::new(2).unwrap();
        let h = 0.5_f64.sqrt();
        // north, east, down: a plane that strikes north and dips 45 degrees to the east has a pole west and down
        for (strike, dip, pole) in [
            (0.0, 45.0, [0.0, -h, h]),
            (90.0, 45.0, [h, 0.0, h]),   // dips south, its pole points north
            (180.0, 45.0, [0.0, h, h]),  // dips west
            (270.0, 45.0, [-h, 0.0, h]), // dips north
            (-90.0, 45.0, [-h, 0.0, h]),
            (35.0, 0.0, [0.0, 0.0, 1.0]),
            (0.0, 90.0, [0.0, 1.0, 0.0]),
            (90.0, 90.0, [1.0, 0.0, 0.0]),
        ] {
            let read = layout(&rp, "strike-dip").read(&[strike, dip]).unwrap();
            assert!(rp.dist(&read, &pole) < 1e-12, "{strike}/{dip}: {read:?}");
            let other = layout(&rp, "dip-direction-dip").read(&[(strike + 90.0) % 360.0, dip]).unwrap();
            assert!(close(&read, &other), "{strike}/{dip}: {other:?}");
        }
        let vertical = layout(&rp, "strike-dip").write(&[0.0, 1.0, 0.0]);
        assert!(close(&vertical, &[0.0, 90.0]), "{vertical:?}");
    }

    #[test]
    fn directions_point_up_and_down() {
        let sphere = Sphere::new(2).unwrap();
        let layout = layout(&sphere, "declination-inclination");
        let h = 0.5_f64.sqrt();
        for (record, point) in [
            ([0.0, 0.0], [1.0, 0.0, 0.0]),
            ([90.0, 0.0], [0.0, 1.0, 0.0]),
            ([0.0, 90.0], [0.0, 0.0, 1.0]),
            ([180.0, -45.0], [-h, 0.0, -h]),
        ] {
            assert!(close(&layout.read(&record).unwrap(), &point), "{record:?}");
            assert!(record[1] == 90.0 || close(&layout.write(&point), &record), "{record:?}");
        }
    }

    #[test]
    fn angles_out_of_range_are_refused_with_the_other_order() {
        let (rp, sphere) = (Projective::new(2).unwrap(), Sphere::new(2).unwrap());
        let refused = |space: &dyn Manifold, name, record: [f64; 2]| layout(space, name).read(&record).unwrap_err();
        for (name, record, words) in [
            ("strike-dip", [30.0, 200.0], "dip 200 is outside 0 to 90 degrees; if dip comes first"),
            ("strike-dip", [300.0, -1.0], "dip -1 is outside 0 to 90 degrees"),
            (
                "dip-direction-dip",
                [361.0, 10.0],
                "dip direction 361 is outside -360 to 360 degrees; take whole turns of 360 off",
            ),
            ("trend-plunge", [30.0, 200.0], "plunge 200 is outside 0 to 90 degrees; if plunge comes first"),
        ] {
            let error = refused(&rp, name, record);
            assert!(error.starts_with(words), "{error}");
        }
        let error = refused(&sphere, "declination-inclination", [-60.0, 200.0]);
        assert!(error.starts_with("inclination 200 is outside -90 to 90 degrees; if inclination comes"), "{error}");
    }

    proptest! {
        #[test]
        fn a_plane_has_the_pole_that_its_dip_and_the_line_of_its_dip_are_normal_to(
            strike in 0.0..360.0, dip in 0.5..89.5,
        ) {
            let rp = Projective::new(2).unwrap();
            let pole = layout(&rp, "strike-dip").read(&[strike, dip]).unwrap();
            // two lines in the plane: along the strike, and down the dip, 90 degrees to its right
            for (trend, plunge) in [(strike, 0.0), ((strike + 90.0) % 360.0, dip)] {
                let line = layout(&rp, "trend-plunge").read(&[trend, plunge]).unwrap();
                let product: f64 = line.iter().zip(&pole).map(|(a, b)| a * b).sum();
                prop_assert!(product.abs() < 1e-12);
            }
            for name in ["strike-dip", "dip-direction-dip", "trend-plunge"] {
                let layout = layout(&rp, name);
                let again = layout.read(&layout.write(&pole)).unwrap();
                prop_assert!(rp.dist(&again, &pole) < 1e-12, "{}", name);
            }
            let written = layout(&rp, "strike-dip").write(&pole);
            prop_assert!(close(&written, &[strike, dip]) || (strike - written[0]).abs() > 359.9, "{:?}", written);
        }
    }
}
