//! The formulas of landmarks, for one configuration and for several side by side.

use super::super::formulas::Formulas;
use super::super::real::Real;
use super::super::sphere::{Sphere, is_unit};
use super::super::vector::{is_negligible, norm, one_if, scale};

/// Moves the centroid to 0. The second time takes away what the rounding of a far centroid left.
#[inline(always)]
pub(super) fn center<T: Real, const D: usize>(p: &mut [T]) {
    let landmarks = (p.len() / D) as f64;
    for _ in 0..2 {
        let mut centroid = [T::zero(p); D];
        for landmark in p.as_chunks::<D>().0 {
            for (mean, x) in centroid.iter_mut().zip(landmark) {
                *mean = *mean + *x / x.like(landmarks);
            }
        }
        for landmark in p.as_chunks_mut::<D>().0 {
            for (x, mean) in landmark.iter_mut().zip(&centroid) {
                *x = *x - *mean;
            }
        }
    }
}

/// The sum of all landmarks.
#[inline(always)]
fn sum<T: Real, const D: usize>(p: &[T]) -> [T; D] {
    let mut sum = [T::zero(p); D];
    for landmark in p.as_chunks::<D>().0 {
        for (sum, x) in sum.iter_mut().zip(landmark) {
            *sum = *sum + *x;
        }
    }
    sum
}

/// Whether finite numbers are centered up to rounding: 1 if so, else 0.
#[inline(always)]
pub(super) fn is_centered<T: Real, const D: usize>(p: &[T]) -> T {
    let mut largest = T::zero(p);
    for x in p {
        largest = largest.with(*x, |largest, x| if x.abs() > largest { x.abs() } else { largest });
    }
    let allowed = largest * (4.0 * f64::EPSILON * (p.len() / D) as f64);
    let mut holds = largest.like(1.0);
    for sum in sum::<T, D>(p) {
        holds = holds * sum.with(allowed, |sum, allowed| one_if(sum.abs() <= allowed));
    }
    holds
}

/// Pre-shapes of landmarks of `D` coordinates: the formulas of the sphere, and what is centered.
pub(super) struct Preshapes<const D: usize>;

impl<const D: usize> Formulas for Preshapes<D> {
    const SHORT: bool = false;
    const FLAT_PRODUCT: bool = true;

    #[inline(always)]
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]) {
        <Sphere as Formulas>::exp(p, v, out);
        center::<T, D>(out);
        let length = norm(out);
        scale(out, length.like(1.0) / length);
    }

    #[inline(always)]
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]) {
        <Sphere as Formulas>::log(p, q, out);
    }

    #[inline(always)]
    fn dist<T: Real>(p: &[T], q: &[T]) -> T {
        <Sphere as Formulas>::dist(p, q)
    }

    #[inline(always)]
    fn transport<T: Real>(p: &[T], q: &[T], v: &[T], out: &mut [T]) {
        <Sphere as Formulas>::transport(p, q, v, out);
    }

    #[inline(always)]
    fn inner<T: Real>(p: &[T], u: &[T], v: &[T]) -> T {
        <Sphere as Formulas>::inner(p, u, v)
    }

    #[inline(always)]
    fn is_point<T: Real>(p: &[T]) -> T {
        is_unit(p) * is_centered::<T, D>(p)
    }

    /// The parts along `p` and along each of the `D` moves, whose unit vectors have the numbers `1/√K`.
    #[inline(always)]
    fn is_tangent<T: Real>(p: &[T], v: &[T]) -> T {
        let root = ((v.len() / D) as f64).sqrt();
        let mut holds = <Sphere as Formulas>::is_tangent(p, v);
        for sum in sum::<T, D>(v) {
            holds = holds * is_negligible(sum / sum.like(root), v);
        }
        holds
    }
}
