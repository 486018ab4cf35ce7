//! Simplification of lines: places that are out of sight, or on a straight line, are left out.

use super::page::{Place, Rectangle};

/// Largest distance of a line from the original, in pixels.
const INVISIBLE: f64 = 0.1;

/// A path in pieces, each with whether it is closed. A line is cut where it leaves the window; the edge of a filled path
/// stays whole.
pub fn pieces(
    places: Vec<Place>,
    closed: bool,
    filled: bool,
    window: Option<&Rectangle>,
    margin: f64,
) -> Vec<(Vec<Place>, bool)> {
    let meets = |a: Place, b: Place| window.is_none_or(|window| may_meet(a, b, window, margin));
    let ends = |i: usize| (places[i], places[(i + 1) % places.len()]);
    let segments = if closed { places.len() } else { places.len() - 1 };
    let seen: Vec<bool> = (0..segments).map(|i| meets(ends(i).0, ends(i).1)).collect();
    if filled || seen.iter().all(|seen| *seen) {
        return vec![(thin(&places, INVISIBLE), closed)];
    }
    let mut pieces: Vec<Vec<Place>> = vec![];
    for i in 0..segments {
        if seen[i] {
            let (from, to) = ends(i);
            match pieces.last_mut() {
                Some(piece) if i > 0 && seen[i - 1] => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
        }
    }
    pieces.iter().map(|piece| (thin(piece, INVISIBLE), false)).collect()
}

/// Whether the line between two places may be in a window: whether its box is.
fn may_meet(a: Place, b: Place, window: &Rectangle, margin: f64) -> bool {
    let within = |axis: usize, low: f64, length: f64| {
        a[axis].max(b[axis]) > low - margin && a[axis].min(b[axis]) < low + length + margin
    };
    within(0, window.left, window.width) && within(1, window.top, window.height)
}

/// The places that a line needs to stay within a distance of the original (Ramer 1972; Douglas and Peucker 1973).
pub fn thin(places: &[Place], distant: f64) -> Vec<Place> {
    let Some(last) = places.len().checked_sub(1) else { return vec![] };
    let mut kept = vec![false; places.len()];
    (kept[0], kept[last]) = (true, true);
    let mut waiting = vec![(0, last)];
    while let Some((from, to)) = waiting.pop() {
        let away = |i: usize| distance(places[i], places[from], places[to]);
        let Some(max_step) = (from + 1..to).max_by(|&i, &j| away(i).total_cmp(&away(j))) else { continue };
        if away(max_step) > distant {
            kept[max_step] = true;
            waiting.extend([(from, max_step), (max_step, to)]);
        }
    }
    places.iter().zip(kept).filter(|(_, kept)| *kept).map(|(place, _)| *place).collect()
}

/// The distance of a place from the line between two others.
fn distance(place: Place, a: Place, b: Place) -> f64 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [place[0] - a[0], place[1] - a[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 { ((along[0] * to[0] + along[1] * to[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (to[0] - share * along[0]).hypot(to[1] - share * along[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const WINDOW: Rectangle = Rectangle { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };

    fn circle(radius: f64) -> Vec<Place> {
        (0..3600)
            .map(|i| f64::from(i) / 3600.0 * TAU)
            .map(|t| [50.0 + radius * t.cos(), 50.0 + radius * t.sin()])
            .collect()
    }

    #[test]
    fn a_thinner_line_is_nowhere_farther_from_it_than_the_eye_can_tell() {
        let places = circle(40.0);
        let [(kept, true)] = &pieces(places.clone(), true, true, Some(&WINDOW), 5.0)[..] else { panic!("one, closed") };
        assert!(kept.len() < 100, "{}", kept.len());
        for place in places {
            let sides = (0..kept.len()).map(|i| distance(place, kept[i], kept[(i + 1) % kept.len()]));
            assert!(sides.fold(f64::INFINITY, f64::min) <= INVISIBLE);
        }
    }

    #[test]
    fn a_line_is_cut_where_it_leaves_the_window_and_a_filled_one_is_not() {
        let cut = pieces(circle(65.0), true, false, Some(&WINDOW), 5.0); // only its corners are in sight
        assert!(cut.len() >= 4 && cut.iter().all(|(_, closed)| !closed));
        assert_eq!(pieces(circle(65.0), true, true, Some(&WINDOW), 5.0).len(), 1);
        let straight = vec![[-900.0, 50.0], [-500.0, 50.0], [50.0, 50.0], [500.0, 50.0], [900.0, 50.0]];
        assert_eq!(pieces(straight, false, false, Some(&WINDOW), 5.0), [(vec![[-500.0, 50.0], [500.0, 50.0]], false)]);
    }
}
