//! Compositions of `K` positive parts that sum to 1, with Aitchison's geometry: flat, isometric to `R^{K−1}`.
//!
//! Only ratios of parts count. The isometry is `ilr p = H(ln p)` with Helmert's basis `H` of the vectors of sum 0
//! (Aitchison 1986, The statistical analysis of compositional data; Egozcue, Pawlowsky-Glahn, Mateu-Figueras,
//! Barceló-Vidal 2003, Isometric logratio transformations). A tangent vector is `K` numbers of sum 0, the derivative of
//! the parts. The mean is the closed geometric mean, part by part.

use super::family::{Family, number};
use super::flat::{Chart, Flat};
use super::helmert::{helmert, helmert_transpose};
use super::vector::{dot, largest, non_finite};
use super::{AtypicalOrigin, CURVED_POINT_TOLERANCE, LARGEST_POINT, Layout, Remedy, Shape, check_size, rounding_of};
use crate::error::{Result, Rounded, Short};
use crate::space::Space;
use std::sync::Arc;

/// `simplex-aitchison:K`.
pub(super) const FAMILY: Family = Family {
    name: "simplex-aitchison",
    size: "K",
    about: "compositions, proportions without zeros",
    examples: &["simplex-aitchison:3"],
    parse: |size| Some(SimplexAitchison::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// A part is kept above the largest one times `e` to minus this: smaller ones may have no double.
const LARGEST_LOGRATIO: f64 = 600.0;

/// Compositions of `K` positive parts, Aitchison's geometry.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SimplexAitchison};
/// let rocks = SimplexAitchison::new(2)?;
/// // the log-ratios are 0 and ln 3
/// let distance = rocks.dist(&[0.5, 0.5], &[0.75, 0.25]);
/// assert!((distance - 3.0_f64.ln() / 2.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type SimplexAitchison = Flat<Aitchison>;

impl SimplexAitchison {
    /// Compositions of `K ≥ 2` parts.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SimplexAitchison};
    /// let parts = SimplexAitchison::new(3)?;
    /// assert_eq!((parts.dim(), parts.point_len()), (2, 3));
    /// let error = parts.check_point(&[0.7, 0.3, 0.0]).unwrap_err().to_string();
    /// assert!(error.contains("part 3 is 0, it must be positive: replace zeros first"), "{error}");
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("simplex-aitchison:{k}"));
        check_size(&space, k, 2, LARGEST_POINT)?;
        Ok(Self { chart: Aitchison { k }, space })
    }
}

/// The isometric log-ratios of `K` parts.
#[derive(Debug, Clone)]
pub struct Aitchison {
    k: usize,
}

impl Chart for Aitchison {
    /// The parts.
    type At = Vec<f64>;

    fn dim(&self) -> usize {
        self.k - 1
    }

    fn point_len(&self) -> usize {
        self.k
    }

    fn at(&self, p: &[f64]) -> Vec<f64> {
        p.to_vec()
    }

    /// `pᵢ = exp hᵢ / Σⱼ exp hⱼ`, `h = Hᵀw`.
    fn at_image(&self, w: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.k];
        helmert_transpose(w, 1, &mut p);
        let most = p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        p.iter_mut().for_each(|h| *h = (*h - most).max(-LARGEST_LOGRATIO).exp());
        close(&mut p);
        p
    }

    fn point(&self, at: &Vec<f64>) -> Vec<f64> {
        at.clone()
    }

    /// `H(ln p)`.
    fn image(&self, p: &Vec<f64>) -> Vec<f64> {
        helmert(&p.iter().map(|p| p.ln()).collect::<Vec<f64>>(), 1)
    }

    /// `H(v/p)`, part by part.
    fn differential(&self, p: &Vec<f64>, v: &[f64]) -> Vec<f64> {
        helmert(&v.iter().zip(p).map(|(v, p)| v / p).collect::<Vec<f64>>(), 1)
    }

    /// `vᵢ = pᵢ(hᵢ − Σⱼ pⱼhⱼ)`, `h = Hᵀw`: the sum is what keeps that of the parts.
    fn inverse_differential(&self, p: &Vec<f64>, w: &[f64]) -> Vec<f64> {
        let mut h = vec![0.0; self.k];
        helmert_transpose(w, 1, &mut h);
        let mean = dot(p, &h);
        h.iter().zip(p).map(|(h, p)| p * (h - mean)).collect()
    }

    /// Equal parts.
    fn origin(&self, out: &mut [f64]) {
        out.fill(1.0 / self.k as f64);
    }

    fn check_point(&self, p: &[f64]) -> std::result::Result<(), String> {
        if let Some(reason) = non_finite(p) {
            return Err(reason);
        }
        if let Some(i) = p.iter().position(|p| *p < 0.0) {
            return Err(format!("part {} is {}, and no part is negative", i + 1, Short(p[i])));
        }
        if let Some(i) = p.iter().position(|p| *p == 0.0) {
            let advice = format!("a public detection limit, or take simplex-fisher-rao:{}", self.k);
            let (part, found) = (i + 1, Short(p[i]));
            return Err(format!(
                "part {part} is {found}, it must be positive: replace zeros first, for example by {advice}"
            ));
        }
        let sum: f64 = p.iter().sum();
        if (sum - 1.0).abs() <= CURVED_POINT_TOLERANCE {
            return Ok(());
        }
        let sum = Rounded(sum);
        Err(format!("its parts sum to {sum}, they must sum to 1 (in the layout percent, to 100)"))
    }

    /// Whether its numbers sum to 0.
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> std::result::Result<(), String> {
        if let Some(reason) = non_finite(v) {
            return Err(reason);
        }
        let sum: f64 = v.iter().sum();
        if sum.abs() <= CURVED_POINT_TOLERANCE * largest(v) + rounding_of(p) {
            return Ok(());
        }
        Err(format!("its numbers sum to {}, they must sum to 0", Rounded(sum)))
    }

    fn normalize(&self, p: &mut [f64]) {
        close(p);
    }

    /// Positive numbers are divided by their sum.
    fn project(&self, p: &mut [f64]) {
        if p.iter().all(|p| *p > 0.0) && p.iter().sum::<f64>().is_finite() {
            close(p);
        }
    }

    /// Whether the computed sum is 1 to a few units of the last place: dividing by it changes a part by as much.
    fn prechecked_points(&self, values: &[f64]) -> bool {
        values.chunks_exact(self.k).all(|p| {
            let sum: f64 = p.iter().sum();
            (sum - 1.0).abs() <= 4.0 * f64::EPSILON && p.iter().all(|p| *p > 0.0)
        })
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.k)
    }

    /// | name | numbers |
    /// | --- | --- |
    /// | `proportions` | the parts, of sum 1 |
    /// | `percent` | the parts, of sum 100 |
    fn layouts(&self) -> Vec<Layout> {
        let times = |factor: f64| move |x: &[f64]| x.iter().map(|x| factor * x).collect::<Vec<f64>>();
        let (read, write) = (|x: &[f64]| Ok(x.iter().map(|x| x / 100.0).collect()), times(100.0));
        let of = |layout: Layout, whole: f64| layout.advising(move |record, _| of_parts(record, whole)).of_parts();
        vec![of(Layout::plain("proportions", self.k), 1.0), of(Layout::new("percent", self.k, read, write), 100.0)]
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "which compositions are typical depends on the parts",
            instead: "a composition from the literature or an earlier study",
            origin: "equal parts",
        })
    }
}

/// How far a sum may be from 1 or 100 that is one of proportions or percentages, such as an analysis that lacks a
/// trace.
pub(super) const NEAR: f64 = 0.02;

/// The condition on which amounts may be divided by their sum.
pub(super) const OF_ONE_UNIT: &str = "if all parts are in one unit";

/// The remedy for proportions.
pub(super) const IN_PROPORTIONS: Remedy =
    Remedy::InLayout { layout: "proportions", projected: false, condition: "if they are proportions" };

/// The remedy for percentages.
pub(super) const IN_PERCENT: Remedy =
    Remedy::InLayout { layout: "percent", projected: false, condition: "if they are percentages" };

/// Whether numbers may be counts, or amounts in one unit: whole numbers, or such that sum to a power of ten. A total
/// next to its parts is none.
pub(super) fn are_amounts(record: &[f64]) -> bool {
    let sum: f64 = record.iter().sum();
    let has_total = record.iter().any(|x| *x > 0.0 && (2.0 * x - sum).abs() <= 1e-6 * sum);
    let are_counts = record.iter().all(|x| *x >= 0.0 && x.fract() == 0.0) && sum > 1.0;
    let are_parts = [1e3, 1e6, 1e9].iter().any(|whole| (sum / whole - 1.0).abs() < NEAR);
    record.iter().all(|x| *x >= 0.0) && !(has_total && record.len() > 2) && (are_counts || are_parts)
}

/// The remedy for parts that do not sum to `whole`, which is 1 or 100.
pub(super) fn of_parts(record: &[f64], whole: f64) -> Option<Remedy> {
    let sum: f64 = record.iter().sum();
    let is = |other: f64| whole != other && (sum / other - 1.0).abs() < NEAR;
    match () {
        () if record.iter().any(|part| *part < 0.0) || (sum / whole - 1.0).abs() < NEAR => None,
        () if is(100.0) => Some(IN_PERCENT),
        () if is(1.0) => Some(IN_PROPORTIONS),
        () if are_amounts(record) => Some(Remedy::Projected { condition: OF_ONE_UNIT }),
        () => None,
    }
}

/// Divides by the sum.
fn close(p: &mut [f64]) {
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{FlatChart, Manifold};

    const X: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
    const Y: [f64; 4] = [0.4, 0.1, 0.25, 0.25];

    fn near(found: &[f64], expected: &[f64], what: &str) {
        let off = found.iter().zip(expected).fold(0.0, |most: f64, (f, e)| most.max((f - e).abs()));
        assert!(off < 2e-15 && found.len() == expected.len(), "{what} is off by {off:e}: {found:?}");
    }

    /// scikit-bio 0.7.4, `skbio.stats.composition.ilr`.
    #[test]
    fn coordinates_are_those_of_scikit_bio() {
        let (m, mut c) = (SimplexAitchison::new(4).unwrap(), [0.0; 3]);
        m.to_flat(&X, &mut c);
        near(&c, &[-0.49012907173427356, -0.614037025959251, -0.6833297279120043], "ilr");
        m.to_flat(&Y, &mut c);
        near(&c, &[0.9802581434685471, -0.18219594670412279, -0.128831989419188], "ilr");
    }

    /// mpmath with 40 digits, by centered log-ratios: `clr x = ln x − mean ln x`, a vector `v` at `x` is `clr`'s change
    /// `v/x − mean v/x`, and compositions are `exp` of `clr`, closed.
    #[test]
    fn numbers_are_those_of_centered_log_ratios_with_forty_digits() {
        let (m, mut out) = (SimplexAitchison::new(4).unwrap(), [0.0; 4]);
        let v = [0.05, -0.1, 0.2, -0.15];
        near(&[m.dist(&X, &Y), m.inner(&X, &v, &v)], &[1.6297217622520073, 1.0638020833333333], "length");
        m.exp(&X, &v, &mut out);
        near(&out, &[0.14394105602957774, 0.10590591050757665, 0.5101387961382571, 0.24001423732458846], "exp");
        m.log(&X, &Y, &mut out).unwrap();
        near(&out, &[0.16289922798563714, -0.09008985236469294, 0.018112908582757794, -0.09092228420370198], "log");
    }

    #[test]
    fn what_is_no_composition_is_named() {
        let m = SimplexAitchison::new(3).unwrap();
        for (record, expected) in [
            ([0.5, 0.5, 0.0], "part 3 is 0, it must be positive: replace zeros first"),
            ([0.5, -0.25, 0.75], "part 2 is -0.25, and no part is negative"),
            ([0.5, 0.25, 0.2], "its parts sum to 0.95, they must sum to 1"),
            ([50.0, 25.0, 25.0], "its parts sum to 100, they must sum to 1 (in the layout percent, to 100)"),
            ([0.5, f64::NAN, 0.5], "number 2 is NaN"),
        ] {
            let error = m.check_point(&record).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let percent = m.layouts().into_iter().find(|layout| layout.name() == "percent").unwrap();
        assert_eq!(percent.read(&[50.0, 30.0, 20.0]), Ok(vec![0.5, 0.3, 0.2]));
        let mut counts = [5.0, 3.0, 2.0];
        m.project(&mut counts);
        assert_eq!(counts, [0.5, 0.3, 0.2]);
    }

    #[test]
    fn noise_far_out_gives_points() {
        for k in [2, 3, 20] {
            let m = SimplexAitchison::new(k).unwrap();
            for size in [1.0, 30.0, 1e3, 1e9, 1e200] {
                let c: Vec<f64> = (0..k - 1).map(|i| size * (((7 * i + 3) % 5) as f64 - 1.9)).collect();
                let mut p = vec![0.0; k];
                m.from_flat(&c, &mut p);
                assert!(m.check_point(&p).is_ok(), "{k} {size}: {p:?}");
            }
        }
    }
}
