//! Coordinates of logarithms against 80-digit arithmetic: the worst pairs that `oracles/log_error.py` found, with their
//! true coordinates as sums of two doubles.

use karcher::{PointsView, Space};
use std::collections::BTreeMap;

type AnyError = Box<dyn std::error::Error>;

const TABLE: &str = include_str!("log_error/table.txt");

/// For each space the largest error as a fraction of `log_error` at the points' own distance.
fn worst_shares() -> Result<BTreeMap<&'static str, f64>, AnyError> {
    let mut worst = BTreeMap::new();
    for line in TABLE.lines() {
        let parts: Vec<&str> = line.split('|').collect();
        let [space, base, x, coordinates] = parts[..] else { return Err(line.into()) };
        let numbers = |text: &str| text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
        let m = space.parse::<Space>()?.manifold()?;
        let (base, x, truth) = (numbers(base)?, numbers(x)?, numbers(coordinates)?);
        let mut origin = base.clone();
        m.origin(&mut origin);
        let spread = m.dist(&origin, &base).max(m.dist(&origin, &x)) * (1.0 + 1e-9) + 1e-12;
        let reach = m.dist(&base, &x) * (1.0 + 1e-12) + 1e-15;
        let bound = m.log_error(reach, spread).ok_or("no bound")?;
        // two points, and nothing of them normalized away, which would move them
        let twice = [&x[..], &x].concat();
        let points = PointsView::new(&*m, &twice)?.ok_or("not normalized")?;
        let mut c = vec![0.0; 2 * m.dim()];
        m.frame_logs(&base, points, &mut c);
        assert_eq!(c[..m.dim()], c[m.dim()..]);
        let squares = c.iter().zip(truth.chunks_exact(2)).map(|(c, truth)| ((c - truth[0]) - truth[1]).powi(2));
        let share = squares.sum::<f64>().sqrt() / bound;
        let largest = worst.entry(space.trim()).or_insert(0.0_f64);
        *largest = largest.max(share);
    }
    Ok(worst)
}

#[test]
fn no_coordinates_are_off_by_more_than_the_proved_bound() -> Result<(), AnyError> {
    let worst = worst_shares()?;
    assert!(worst.len() >= 15, "{worst:?}");
    assert!(worst.values().all(|share| *share <= 1.0), "{worst:?}");
    Ok(())
}

#[test]
fn a_hundred_times_smaller_bound_would_be_noticed_on_every_space() -> Result<(), AnyError> {
    let worst = worst_shares()?;
    assert!(worst.values().all(|share| *share > 0.01), "{worst:?}");
    Ok(())
}
