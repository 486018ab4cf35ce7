//! A point in a few words, for a sentence.

use super::numbers::{short, shows_degrees};
use crate::manifold::{AngleUnit, Layout, Manifold};

/// A sentence names points with at most so many numbers.
const FEW: usize = 4;

/// Whether a layout is one of places on the Earth. Other layouts, and vectors, are also those of directions.
pub fn is_of_places(layout: &str) -> bool {
    ["latlon", "latlon-radians"].contains(&layout)
}

/// A point in a few words: its angles, a few numbers, or where it is given. `layout` is that of the records.
///
/// ```
/// use karcher::{facts::place, manifold::{Sphere, Torus}};
/// let sphere = Sphere::new(2)?;
/// assert_eq!(place(&[0.0, -1.0, 0.0], Some(&sphere), Some("latlon")), "0.00° N 90.00° W");
/// assert_eq!(place(&[0.5, -0.25], None, None), "(0.5, −0.25)");
/// let torus = Torus::new(2)?;
/// assert_eq!(place(&[0.5, -0.25], Some(&torus), Some("degrees")), "28.65°, -14.32°");
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn place(point: &[f64], manifold: Option<&dyn Manifold>, layout: Option<&str>) -> String {
    let number = |x: &f64| short(*x).replace('-', "−");
    match (manifold.and_then(|space| angles(space, point, layout)), point) {
        (Some(angles), _) => angles,
        (None, [x]) => number(x),
        (None, few) if few.len() <= FEW => format!("({})", few.iter().map(number).collect::<Vec<_>>().join(", ")),
        (None, many) => format!("a point of {} numbers (in the JSON)", many.len()),
    }
}

/// A point with its angles in degrees: in the layout of the records, or the first of the space whose numbers all are.
/// Only places have points of the compass.
pub fn angles(manifold: &dyn Manifold, point: &[f64], layout: Option<&str>) -> Option<String> {
    let layouts = manifold.layouts();
    let has_degrees = |layout: &&Layout| shows_degrees(layout) && layout.is_told();
    let own = layouts.iter().find(|known| layout == Some(known.name()) && has_degrees(known));
    let in_degrees = |layout: &&Layout| has_degrees(layout) && layout.angle_unit() == Some(AngleUnit::Degrees);
    let is_place = layout.is_some_and(is_of_places);
    let layout = own.or_else(|| layouts.iter().find(in_degrees))?;
    if layout.check_holds(point).is_err() {
        return None;
    }
    let numbers = layout.write(point);
    let angles: Vec<(&str, f64)> = layout.column_names().iter().copied().zip(numbers.iter().copied()).collect();
    Some(match angles[..] {
        [("latitude", north), ("longitude", east)] if is_place => {
            let side = |angle: f64, positive, negative| {
                format!("{:.2}° {}", angle.abs(), if angle < 0.0 { negative } else { positive })
            };
            format!("{} {}", side(north, "N", "S"), side(east, "E", "W"))
        }
        [] if numbers.len() > FEW => return None,
        _ => {
            let words = numbers.iter().zip(layout.angle_units()).enumerate().map(|(i, (number, unit))| {
                let name = angles.get(i).map(|(name, _)| format!("{name} ")).unwrap_or_default();
                match unit {
                    Some(AngleUnit::Degrees) => format!("{name}{number:.2}°"),
                    Some(AngleUnit::Radians) | None => name + &short(*number),
                }
            });
            words.collect::<Vec<_>>().join(", ")
        }
    })
}
