//! Compositions with the Fisher–Rao metric: K parts `pᵢ ≥ 0` that sum to 1, at the square roots `yᵢ = √pᵢ`.
//!
//! The roots have unit norm, and the Fisher information metric `Σ dpᵢ²/pᵢ = 4·Σ dyᵢ²` is that of a sphere of radius 2:
//! `ρ = 2·arccos Σ √(pᵢqᵢ)` (Rao 1945; Amari, Information Geometry and Its Applications, 2016). Zeros are points like
//! any other.
//!
//! **The space is the whole sphere**, with roots of any sign, so that it is complete and homogeneous, and every law
//! holds. `pᵢ = yᵢ²` makes a composition of each of its points, also of one that noise carried beyond a zero. That is
//! processing of the published roots, and moves no point away from a composition: `Σ |yᵢ|·√qᵢ ≥ Σ yᵢ·√qᵢ`.

use super::family::{Family, number};
use super::scaled::Guise;
use super::simplex_aitchison::{IN_PERCENT, IN_PROPORTIONS, NEAR, OF_ONE_UNIT, are_amounts, of_parts};
use super::{CURVED_POINT_TOLERANCE, LARGEST_POINT, Layout, Remedy, Scaled, Sphere, check_size};
use crate::error::{Result, Short};
use crate::space::Space;
use std::sync::Arc;

/// `simplex-fisher-rao:K`.
pub(super) const FAMILY: Family = Family {
    name: "simplex-fisher-rao",
    size: "K",
    about: "compositions of K parts, zeros included, at their square roots",
    examples: &["simplex-fisher-rao:3"],
    parse: |size| Some(Scaled::simplex_fisher_rao(number(size)?).map(|space| Arc::new(space) as _)),
};

impl Scaled {
    /// Compositions of `parts ≥ 2` parts, with the Fisher–Rao metric. A point is their square roots.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Scaled};
    /// let compositions = Scaled::simplex_fisher_rao(3)?;
    /// let layouts = compositions.layouts();
    /// let proportions = layouts.iter().find(|layout| layout.name() == "proportions").ok_or("no such layout")?;
    /// let (half, third) = (proportions.read(&[0.5, 0.5, 0.0])?, proportions.read(&[0.25, 0.25, 0.5])?);
    /// assert!((compositions.dist(&half, &third) - std::f64::consts::FRAC_PI_2).abs() < 1e-15); // 2·arccos √½
    /// assert_eq!(proportions.write(&[0.6, 0.8, 0.0]), [0.36, 0.6400000000000001, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simplex_fisher_rao(parts: usize) -> Result<Self> {
        let space = Space::named(format!("simplex-fisher-rao:{parts}"));
        check_size(&space, parts, 2, LARGEST_POINT)?;
        let guise = Guise {
            origin: vec![(1.0 / parts as f64).sqrt(); parts],
            layouts: vec![
                Layout::plain("roots", parts).advising(of_roots),
                shares("proportions", parts, 1.0).of_parts(),
                shares("percent", parts, 100.0).of_parts(),
            ],
            refusal,
        };
        Ok(Self::new(Arc::new(Sphere::new(parts - 1)?), 2.0, space).in_guise(guise))
    }
}

fn refusal(p: &[f64]) -> String {
    let sum = Short(p.iter().map(|x| x * x).sum());
    format!("its parts, the squares of its roots, sum to {sum} and not to 1")
}

/// The remedy for numbers that are no roots: parts have layouts of their own.
fn of_roots(record: &[f64], is_rounded: bool) -> Option<Remedy> {
    let sum: f64 = record.iter().sum();
    let is = |whole: f64| record.iter().all(|part| *part >= 0.0) && (sum / whole - 1.0).abs() < NEAR;
    match () {
        () if is(1.0) => Some(IN_PROPORTIONS),
        () if is(100.0) => Some(IN_PERCENT),
        () if is_rounded || !are_amounts(record) => None,
        () => Some(Remedy::InLayout { layout: "proportions", projected: true, condition: OF_ONE_UNIT }),
    }
}

/// Parts that sum to `whole`: the squares of the roots, times it.
fn shares(name: &'static str, parts: usize, whole: f64) -> Layout {
    let read = move |record: &[f64]| {
        if let Some(i) = record.iter().position(|part| *part < 0.0) {
            return Err(format!("part {} is {}, and no part is negative", i + 1, Short(record[i])));
        }
        let sum: f64 = record.iter().map(|part| part / whole).sum();
        // another sum is refused as that of roots is, unless it is that of rounded numbers
        let sum = if (sum - 1.0).abs() > CURVED_POINT_TOLERANCE { 1.0 } else { sum };
        Ok(record.iter().map(|part| (part / whole / sum).sqrt()).collect())
    };
    let layout = Layout::new(name, parts, read, move |p| p.iter().map(|x| whole * x * x).collect());
    layout.advising(move |record, _| of_parts(record, whole)).of_several_points().told()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::vector::norm_of_difference;
    use crate::manifold::{Manifold, Model};

    fn read(name: &str, record: &[f64]) -> std::result::Result<Vec<f64>, String> {
        layout(record.len(), name).read(record)
    }

    fn layout(parts: usize, name: &str) -> Layout {
        let layouts = Scaled::simplex_fisher_rao(parts).unwrap().layouts();
        layouts.into_iter().find(|layout| layout.name() == name).unwrap()
    }

    const ONE: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
    const OTHER: [f64; 4] = [0.55, 0.25, 0.15, 0.05];

    /// geomstats 2.8.0, `CategoricalDistributions(3).metric`: `dist(p, q)`, `log(q, p)`, which are parts, and
    /// `geodesic(p, q)(0.25)`. Of a velocity `v` of the roots the parts change by `2yᵢvᵢ`.
    #[test]
    fn distances_and_geodesics_are_those_of_geomstats() {
        let compositions = Scaled::simplex_fisher_rao(4).unwrap();
        let (p, q) = (read("proportions", &ONE).unwrap(), read("percent", &OTHER.map(|x| 100.0 * x)).unwrap());
        assert!((compositions.dist(&p, &q) - 1.2475441060835593).abs() < 1e-14);
        let mut v = [0.0; 4];
        compositions.log(&p, &q, &mut v).unwrap();
        let parts: Vec<f64> = p.iter().zip(v).map(|(y, v)| 2.0 * y * v).collect();
        let log = [0.3275362325261872, 0.13086397281396536, -0.06700600651666523, -0.3913941988234873];
        assert!(norm_of_difference(&parts, &log) < 1e-14, "{parts:?}");
        assert!((compositions.norm(&p, &v) - 1.2475441060835593).abs() < 1e-14);
        let mut quarter = [0.0; 4];
        compositions.exp(&p, &v.map(|v| 0.25 * v), &mut quarter);
        let expected = [0.19477786880937303, 0.22869093320803235, 0.2765141921577785, 0.300017005824816];
        assert!(norm_of_difference(&layout(4, "proportions").write(&quarter), &expected) < 1e-14);
    }

    #[test]
    fn zeros_are_points_and_the_origin_has_equal_parts() {
        let compositions = Scaled::simplex_fisher_rao(3).unwrap();
        let mut origin = [0.0; 3];
        compositions.origin(&mut origin);
        assert!(norm_of_difference(&layout(3, "percent").write(&origin), &[100.0 / 3.0; 3]) < 1e-13);
        let vertex = read("proportions", &[0.0, 1.0, 0.0]).unwrap();
        assert_eq!(vertex, [0.0, 1.0, 0.0]);
        assert!((compositions.dist(&origin, &vertex) - 2.0 * (1.0_f64 / 3.0).sqrt().acos()).abs() < 1e-14);
        assert_eq!(compositions.model(), Model::Sphere { curvature: 0.25 });
    }

    /// To any composition, the squares of the roots are no farther than the roots themselves.
    #[test]
    fn beyond_a_zero_squares_are_a_composition_that_is_no_farther() {
        let (compositions, squares) = (Scaled::simplex_fisher_rao(3).unwrap(), layout(3, "proportions"));
        let released = [-0.28, 0.96, 0.0];
        let published = squares.write(&released);
        assert!(norm_of_difference(&published, &[0.0784, 0.9216, 0.0]) < 1e-15);
        let composition = squares.read(&published).unwrap();
        for other in [[0.5, 0.3, 0.2], [0.0, 0.9, 0.1], [1.0, 0.0, 0.0]].map(|p| squares.read(&p).unwrap()) {
            assert!(compositions.dist(&composition, &other) <= compositions.dist(&released, &other));
        }
    }

    #[test]
    fn what_is_no_composition_is_refused_with_the_reason() {
        let compositions = Scaled::simplex_fisher_rao(3).unwrap();
        let refused = |name: &str, record: &[f64]| {
            let point = read(name, record)?;
            compositions.check_point(&point).map_err(|error| error.to_string())
        };
        for (name, record, text) in [
            ("proportions", [0.5, -0.25, 0.75], "part 2 is -0.25, and no part is negative"),
            ("proportions", [0.5, 0.25, 0.3], "sum to 1.05 and not to 1"),
            ("proportions", [f64::NAN, 0.5, 0.5], "NaN"),
            ("proportions", [f64::MAX, f64::MAX, 0.0], "sum to inf and not to 1"),
            ("proportions", [0.0; 3], "sum to 0 and not to 1"),
            ("percent", [20.0, 30.0, 49.0], "sum to 0.98999"),
        ] {
            let error = refused(name, &record).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert!(refused("percent", &[20.0, 30.0, 50.00004]).is_ok());
        // counts are put onto the space as their proportions are
        let mut counts = read("proportions", &[2.0, 6.0, 0.0]).unwrap();
        compositions.project(&mut counts);
        assert!(compositions.dist(&counts, &read("proportions", &[0.25, 0.75, 0.0]).unwrap()) < 1e-15);
        let error = compositions.check_point(&[0.2, 0.3, 0.5]).unwrap_err().to_string();
        assert!(error.contains("sum to 0.38 and not to 1"), "{error}");
        assert!(compositions.check_point(&[0.0, f64::NAN, 1.0]).unwrap_err().to_string().contains("number 2 is NaN"));
        assert!(Scaled::simplex_fisher_rao(1).is_err() && Scaled::simplex_fisher_rao(usize::MAX).is_err());
    }
}
