//! Neighbouring data sets that are as easy to distinguish as possible.

use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::noise::Generator;
use crate::nonprivate::FrechetMean;
use crate::points::Points;
use crate::vector::{add_scaled, norm};
use rand::RngExt;
use rand_distr::StandardNormal;

/// The largest number of made-up records.
const MOST_RECORDS: usize = 1_000_000;

/// Groups into which the search gathers the common records of both data sets.
const GROUPS: usize = 3;

/// Changes the search tries.
const TRIALS: usize = 300;

/// Two data sets that differ in one record: in its value, or the second one lacks it.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Name of the arrangement.
    pub name: &'static str,
    /// The two data sets.
    pub data: [Points; 2],
    /// Their Fréchet means.
    pub means: [Vec<f64>; 2],
}

impl Neighbours {
    /// The record in which they differ, in either data set; empty in the second one if it was removed.
    pub(super) fn changed(&self) -> [&[f64]; 2] {
        let [first, second] = [0, 1].map(|k| self.data[k].view());
        if second.len() < first.len() {
            // the last one is removed
            return [first.iter().next_back().unwrap_or_default(), &[]];
        }
        let place = first.iter().zip(second.iter()).position(|(x, y)| x != y).unwrap_or(0);
        [first, second].map(|records| records.iter().nth(place).unwrap_or_default())
    }
}

/// The neighbours an audit tries, on the edge of a ball:
///
/// * **opposite ends**: all records at one point, one of them moved to the opposite one;
/// * **two clusters**: half of the records at either end of a diameter, one record moved from end to end of another
///   diameter. On positively curved spaces the mean moves furthest here (user guide, S4);
/// * **one leaves the center**: all records at the center, where coordinates are exact and often 0; one of them moved
///   to the edge, where none is;
/// * **one leaves an axis**: the records are spread over the ends of a diameter, so that one coordinate is exactly 0 in
///   all of them and in their mean. One of them is moved to the edge along that coordinate; where there is no other
///   coordinate, to the other end;
/// * **found by a search**: from there, a random search for the largest distance between the means.
///
/// # Errors
/// [`Error::Geometry`] for a ball of another space, [`Error::Geometry`] for none, [`Error::InvalidParameter`] for more
/// than a million records.
///
/// ```
/// use karcher::{Ball, audit::{PAIRS, neighbours}, manifold::{Euclidean, Manifold}};
/// let line = Euclidean::new(1)?;
/// let pairs = neighbours(&line, &Ball::at_origin(&line, 1.0)?, 10)?;
/// assert_eq!(pairs.len(), PAIRS);
/// for pair in &pairs {
///     let differ = pair.data[0].view().iter().zip(pair.data[1].view().iter()).filter(|(x, y)| x != y).count();
///     assert_eq!(differ, 1, "{}", pair.name);
///     assert!(line.dist(&pair.means[0], &pair.means[1]) <= 2.0 / 10.0 + 1e-12); // 2r/n
/// }
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn neighbours(manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Vec<Neighbours>> {
    check(manifold, ball, n)?;
    let along = |axis: usize, sign: f64| at_edge(manifold, ball, |d, r| in_direction(d, axis, sign * r));
    let opposite = Arrangement { groups: vec![along(0, 1.0)], moved: [along(0, 1.0), along(0, -1.0)] };
    let clusters = Arrangement { groups: vec![along(1, 1.0), along(1, -1.0)], moved: [along(0, 1.0), along(0, -1.0)] };
    let diagonal = at_edge(manifold, ball, |d, r| vec![r / (d as f64).sqrt(); d]);
    let leaving = Arrangement { groups: vec![along(0, 0.0)], moved: [along(0, 0.0), diagonal] };
    let axis = Arrangement { moved: [along(1, -1.0), along(0, 1.0)], ..clusters.clone() };
    let named = |name, arrangement: &Arrangement| arrangement.neighbours(name, manifold, ball, n);
    let start =
        Arrangement { groups: [along(1, 1.0), along(1, -1.0), along(0, 1.0)][..GROUPS].to_vec(), ..clusters.clone() };
    Ok(vec![
        named("opposite ends", &opposite)?,
        named("two clusters", &clusters)?,
        named("one leaves the center", &leaving)?,
        named("one leaves an axis", &axis)?,
        named("found by a search", &search(start, manifold, ball, n)?)?,
    ])
}

/// Neighbours whose second data set has one record less, for a confidential number of records:
///
/// * **one more at the end**: all records at one point of the edge, one of them removed;
/// * **one at the other end**: the one that is removed is at the opposite point;
/// * **one away from two clusters**: half of the records at either end of a diameter, one at the end of another
///   removed;
/// * **one outside**: all records at the center, one of them at twice the radius, or at the largest distance where
///   geodesics are sure to be the shortest;
/// * **the only one**: one record at the edge, and an empty data set.
///
/// # Errors
/// As for [`neighbours`].
///
/// ```
/// use karcher::{Ball, audit::{PAIRS, one_less}, manifold::Euclidean};
/// let line = Euclidean::new(1)?;
/// let pairs = one_less(&line, &Ball::at_origin(&line, 1.0)?, 10)?;
/// assert_eq!(pairs.len(), PAIRS);
/// assert!(pairs.iter().all(|pair| pair.data[1].len() + 1 == pair.data[0].len()));
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn one_less(manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Vec<Neighbours>> {
    check(manifold, ball, n)?;
    let along = |axis: usize, sign: f64| at_edge(manifold, ball, |d, r| in_direction(d, axis, sign * r));
    let pair = |name, groups: Vec<Vec<f64>>, removed: Vec<f64>, n| {
        Arrangement { groups, moved: [removed.clone(), removed] }.one_less(name, manifold, ball, n)
    };
    Ok(vec![
        pair("one more at the end", vec![along(0, 1.0)], along(0, 1.0), n)?,
        pair("one at the other end", vec![along(0, 1.0)], along(0, -1.0), n)?,
        pair("one next to two clusters", vec![along(1, 1.0), along(1, -1.0)], along(0, 1.0), n)?,
        pair("one outside", vec![along(0, 0.0)], outside(manifold, ball), n)?,
        pair("the only one", vec![along(0, 0.0)], along(0, 1.0), 1)?,
    ])
}

/// Neighbours for companion statistics of a point, which use records as they are, and for locating a ball:
///
/// * **one leaves the ball**: all records at the center, one of them moved to twice the radius, or less if geodesics
///   are not sure to be the shortest;
/// * **one crosses the quantile**: one record less than three quarters at the center, and all others at a place on the
///   edge. One of the latter is moved to the center, which then has three quarters.
///
/// # Errors
/// As for [`neighbours`].
///
/// ```
/// use karcher::{Ball, audit::{WIDER_PAIRS, wider_neighbours}, manifold::{Euclidean, Manifold}};
/// let line = Euclidean::new(1)?;
/// let pairs = wider_neighbours(&line, &Ball::at_origin(&line, 1.0)?, 8)?;
/// assert_eq!(pairs.len(), WIDER_PAIRS);
/// let max_step = |k: usize| pairs[0].data[k].view().iter().map(|x| x[0].abs()).fold(0.0, f64::max);
/// assert_eq!([max_step(0), max_step(1)], [0.0, 2.0]);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn wider_neighbours(manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Vec<Neighbours>> {
    check(manifold, ball, n)?;
    let along = |sign: f64| at_edge(manifold, ball, |d, r| in_direction(d, 0, sign * r));
    let (center, edge) = (along(0.0), along(1.0));
    let leaving = Arrangement { groups: vec![center.clone()], moved: [center.clone(), outside(manifold, ball)] };
    let within = (3 * n).div_ceil(4) - 1;
    let at = |i: usize| if i < within { center.clone() } else { edge.clone() };
    let groups = if n == 1 { vec![center.clone()] } else { (0..n - 1).map(at).collect() };
    let crossing = Arrangement { groups, moved: [center, edge] };
    Ok(vec![
        leaving.neighbours("one leaves the ball", manifold, ball, n)?,
        crossing.neighbours("one crosses the quantile", manifold, ball, n)?,
    ])
}

/// The number of pairs of [`wider_neighbours`].
pub const WIDER_PAIRS: usize = 2;

/// Coordinates of a place at the edge of the ball: of each ball whose product it is, of so many dimensions and a
/// radius.
fn at_edge(manifold: &dyn Manifold, ball: &Ball, of_one: impl Fn(usize, f64) -> Vec<f64>) -> Vec<f64> {
    ball.parts(manifold).into_iter().flat_map(|(space, part)| of_one(space.dim(), part.radius())).collect()
}

/// A vector of a length along an axis, or along the last one.
fn in_direction(dim: usize, axis: usize, length: f64) -> Vec<f64> {
    (0..dim).map(|i| if i == axis.min(dim - 1) { length } else { 0.0 }).collect()
}

/// A place at twice the radius, or at the largest distance where geodesics are sure to be the shortest.
fn outside(manifold: &dyn Manifold, ball: &Ball) -> Vec<f64> {
    let of_one = |(space, part): (&dyn Manifold, Ball)| {
        let far = (2.0 * part.radius()).min(0.99 * space.injectivity_radius());
        in_direction(space.dim(), 0, far)
    };
    ball.parts(manifold).into_iter().flat_map(of_one).collect()
}

/// Shortens coordinates to those of a place in the ball.
fn shorten(place: &mut [f64], manifold: &dyn Manifold, ball: &Ball) {
    let mut rest = place;
    for (space, part) in ball.parts(manifold) {
        let (own, others) = rest.split_at_mut(space.dim());
        let length = norm(own);
        if length > part.radius() {
            own.iter_mut().for_each(|c| *c *= part.radius() / length);
        }
        rest = others;
    }
}

/// Rejects a space, ball or number for which no data sets can be made up.
fn check(manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<()> {
    ball.check_space(manifold)?;
    if n == 0 {
        return Err(GeometryError::NoRecords.into());
    }
    if n > MOST_RECORDS {
        let requirement = format!("an audit makes up at most {MOST_RECORDS}; the guarantee is the same for any number");
        return Err(Error::InvalidParameter { name: "number_of_records", value: n as f64, requirement });
    }
    Ok(())
}

/// Positions of records, in frame coordinates at the ball's center: groups of equal size, and the one record that is
/// moved.
#[derive(Debug, Clone)]
struct Arrangement {
    groups: Vec<Vec<f64>>,
    moved: [Vec<f64>; 2],
}

impl Arrangement {
    fn neighbours(&self, name: &'static str, manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Neighbours> {
        let place = |coordinates: &[f64]| {
            let (mut v, mut x) = (ball.center().to_vec(), ball.center().to_vec());
            manifold.from_frame(ball.center(), coordinates, &mut v);
            manifold.exp(ball.center(), &v, &mut x);
            x
        };
        let groups: Vec<Vec<f64>> = self.groups.iter().map(|g| place(g)).collect();
        let shared: Vec<f64> = (0..n - 1).flat_map(|i| groups[i % groups.len()].iter().copied()).collect();
        let with = |moved: &[f64]| Points::new(manifold, [shared.clone(), place(moved)].concat());
        let data = [with(&self.moved[0])?, with(&self.moved[1])?];
        let mean = |points: &Points| {
            let mean = FrechetMean::new(manifold).start(ball.center());
            let mean = mean.tolerance(1e-9 * ball.radius()).iterations(5_000).fit(points.view());
            // a flow still runs beyond the radius where the mean is unique; any point is valid for a score there
            mean.unwrap_or_else(|_| tangent_mean(manifold, ball, points))
        };
        let means = [mean(&data[0]), mean(&data[1])];
        Ok(Neighbours { name, data, means })
    }

    /// The first data set, and the same without the last record.
    fn one_less(&self, name: &'static str, manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Neighbours> {
        let Neighbours { data: [all, _], means: [mean, _], .. } = self.neighbours(name, manifold, ball, n)?;
        if n == 1 {
            return Ok(Neighbours {
                name,
                data: [all, Points::none(manifold)],
                means: [mean, ball.center().to_vec()], // any point will do to make scores with
            });
        }
        let shared = all.view().values()[..(n - 1) * manifold.point_len()].to_vec();
        let less = Points::new(manifold, shared)?;
        let of_less = FrechetMean::new(manifold).start(ball.center());
        let of_less = of_less.tolerance(1e-9 * ball.radius()).iterations(5_000).fit(less.view());
        let other = of_less.unwrap_or_else(|_| tangent_mean(manifold, ball, &less));
        Ok(Neighbours { name, data: [all, less], means: [mean, other] })
    }
}

/// `Exp` of the mean logarithm at the ball's center; records without one count as the center.
fn tangent_mean(manifold: &dyn Manifold, ball: &Ball, points: &Points) -> Vec<f64> {
    let center = ball.center();
    let (mut sum, mut v, mut mean) = (vec![0.0; center.len()], vec![0.0; center.len()], center.to_vec());
    for x in points.view().iter() {
        if manifold.log(center, x, &mut v).is_ok() {
            add_scaled(&mut sum, 1.0 / points.len() as f64, &v);
        }
    }
    manifold.exp(center, &sum, &mut mean);
    mean
}

/// Random changes of one place at a time, kept if the means move further apart. The same at every call.
fn search(mut best: Arrangement, manifold: &dyn Manifold, ball: &Ball, n: usize) -> Result<Arrangement> {
    let few = n.min(10 * GROUPS + 1); // where records should be does not depend on how many there are
    let gap = |arrangement: &Arrangement| -> Result<f64> {
        let found = arrangement.neighbours("", manifold, ball, few)?;
        Ok(manifold.dist(&found.means[0], &found.means[1]))
    };
    let mut generator = Generator::seeded(1);
    let mut largest = gap(&best)?;
    let mut step = 0.5 * ball.radius();
    for _ in 0..TRIALS {
        let mut trial = best.clone();
        let which = generator.random_range(0..GROUPS + 2);
        let place = if which < GROUPS { &mut trial.groups[which] } else { &mut trial.moved[which - GROUPS] };
        for c in place.iter_mut() {
            *c += step * generator.sample::<f64, _>(StandardNormal) / (manifold.dim() as f64).sqrt();
        }
        shorten(place, manifold, ball);
        let found = gap(&trial)?;
        if found > largest {
            (best, largest) = (trial, found);
        } else {
            step *= 0.99;
        }
    }
    Ok(best)
}
