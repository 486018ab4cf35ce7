//! Operations on many points at once.
//!
//! A space writes each operation once, on slices and without branches ([`Formulas`]). For rows of a length that a
//! compiler knows, one formula becomes a loop over rows in vector registers. Longer rows are first put side by side in
//! such registers, eight at a time ([`Real`]). Every operation is one of IEEE 754, never fused, so that a row's numbers
//! are the same for one row as for many, on every machine.

use super::batch_op::{BatchOp, Operand};
use super::formulas::Formulas;
use super::real::Real;
use super::vector;
use crate::linalg::{Lanes, dispatch, one_by_one, side_by_side, vectorize, vectorize_wide};
use pulp::{Simd, WithSimd};

/// Methods of [`Manifold`](super::Manifold) for many rows, from the [`Formulas`] of the space.
macro_rules! from_formulas {
    ($($method:ident),+) => { $(from_formulas!(@$method);)+ };
    (@exp_many) => {
        fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
            many::exp::<Self>(self.point_len(), p, v, out);
        }
    };
    (@log_many) => {
        fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
            many::log::<Self>(self.point_len(), p, q, out);
        }
    };
    (@dist_many) => {
        fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
            many::dist::<Self>(self.point_len(), p, q, out);
        }
    };
    (@dist_matrix) => {
        fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
            super::pairs::dist_matrix::<Self>(self.point_len(), p, q, out);
        }
    };
    (@transport_many) => {
        fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
            many::transport::<Self>(self.point_len(), p, q, v, out);
        }
    };
    (@inner_many) => {
        fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
            many::inner::<Self>(self.point_len(), p, u, v, out);
        }
    };
    (@norm_many) => {
        fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
            many::norm::<Self>(self.point_len(), p, v, out);
        }
    };
    (@prechecked_many) => {
        fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
            many::prechecked::<Self>(self.point_len(), operation, out)
        }
    };
    (@prechecked_points) => {
        fn prechecked_points(&self, values: &[f64]) -> bool {
            many::prechecked_points::<Self>(self.point_len(), values)
        }
    };
    (@prechecked_tangents) => {
        fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
            many::prechecked_tangents::<Self>(self.point_len(), p, v, rows)
        }
    };
}
pub(super) use from_formulas;

/// One of the operations, with as many operands.
trait Operation<const N: usize> {
    /// Whether putting long rows side by side pays off, because there is more to do than a sum.
    const LONG: bool;

    /// Whether there are rows of a length that is compiled by itself.
    const SHORT: bool;

    /// Runs it on short rows, in the widest vector registers that pay off; `None` where there are none.
    fn dispatch<K: WithSimd>(kernel: K) -> Option<K::Output>;

    fn apply<T: Real>(operands: [&[T]; N], out: &mut [T]);

    /// Whether the operands certainly are points and tangent vectors: 1 if so, else 0. Known points are not checked.
    fn fits<T: Real>(operands: [&[T]; N], is_known: [bool; N]) -> T;
}

/// An operation, wide or not, with its operands: points, tangent vectors at the first of them, and operands that need
/// no check. Wide operations take roots, quotients and polynomials; the others wait for memory.
macro_rules! operation {
    (
        $dispatch:ident $name:ident<$count:literal>($($point:ident),*; $($vector:ident),*; $($other:ident),*),
        $out:ident => $body:expr
    ) => {
        struct $name<F>(std::marker::PhantomData<F>);

        impl<F: Formulas> Operation<$count> for $name<F> {
            const SHORT: bool = F::SHORT;
            const LONG: bool = F::CURVED && !<[&str]>::is_empty(&[$(stringify!($point)),*]);

            fn dispatch<K: WithSimd>(kernel: K) -> Option<K::Output> {
                $dispatch(kernel)
            }

            #[inline(always)]
            fn apply<T: Real>([$($point,)* $($vector,)* $($other),*]: [&[T]; $count], $out: &mut [T]) {
                $body
            }

            #[inline(always)]
            #[allow(unused)]
            fn fits<T: Real>(operands: [&[T]; $count], is_known: [bool; $count]) -> T {
                let ([$($point,)* $($vector,)* $($other),*], mut known) = (operands, is_known.into_iter());
                operands[0][0].like(1.0)
                    $(* point::<F, T>($point, known.next() == Some(true)))*
                    $(* F::is_tangent(operands[0], $vector))*
            }
        }
    };
}
operation! { vectorize_wide Exp<2>(p; v;), out => F::exp(p, v, out) }
operation! { vectorize_wide Log<2>(p, q;;), out => F::log(p, q, out) }
operation! { vectorize_wide Dist<2>(p, q;;), out => out[0] = F::dist(p, q) }
operation! { vectorize Transport<3>(p, q; v;), out => F::transport(p, q, v, out) }
operation! { vectorize Inner<3>(p; u, v;), out => out[0] = F::inner(p, u, v) }
operation! { vectorize Norm<2>(p; v;), out => out[0] = norm_of::<F, T>(p, v) }
operation! { vectorize FlatProduct<2>(;; u, v), out => out[0] = vector::dot(u, v) }
operation! { vectorize FlatNorm<1>(;; v), out => out[0] = vector::norm(v) }
operation! { vectorize IsPoint<1>(;; p), out => out[0] = F::is_point(p) }
operation! { vectorize IsTangent<2>(;; p, v), out => out[0] = F::is_tangent(p, v) }

/// [`Formulas::is_point`] where that is not known.
#[inline(always)]
fn point<F: Formulas, T: Real>(p: &[T], is_known: bool) -> T {
    if is_known { p[0].like(1.0) } else { F::is_point(p) }
}

/// [`Manifold::norm`](super::Manifold::norm).
#[inline(always)]
fn norm_of<F: Formulas, T: Real>(p: &[T], v: &[T]) -> T {
    F::inner(p, v, v).map(|square| if square < 0.0 { 0.0 } else { square }).sqrt()
}

/// [`Manifold::prechecked_many`](super::Manifold::prechecked_many).
pub(super) fn prechecked<F: Formulas>(len: usize, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
    match operation {
        BatchOp::Exp(operands) => vectors::<Exp<F>, 2>(len, operands, true, out),
        BatchOp::Log(operands) => vectors::<Log<F>, 2>(len, operands, true, out),
        BatchOp::Dist(operands) => numbers::<Dist<F>, 2>(len, operands, true, out),
        BatchOp::Transport(operands) => vectors::<Transport<F>, 3>(len, operands, true, out),
        BatchOp::Inner(operands) => numbers::<Inner<F>, 3>(len, operands, true, out),
        BatchOp::Norm(operands) => numbers::<Norm<F>, 2>(len, operands, true, out),
    }
}

/// [`Manifold::exp_many`](super::Manifold::exp_many).
pub(super) fn exp<F: Formulas>(len: usize, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
    vectors::<Exp<F>, 2>(len, [p, v], false, out);
}

/// [`Manifold::log_many`](super::Manifold::log_many).
pub(super) fn log<F: Formulas>(len: usize, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
    vectors::<Log<F>, 2>(len, [p, q], false, out);
}

/// [`Manifold::transport_many`](super::Manifold::transport_many).
pub(super) fn transport<F: Formulas>(len: usize, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
    vectors::<Transport<F>, 3>(len, [p, q, v], false, out);
}

/// [`Manifold::dist_many`](super::Manifold::dist_many).
pub(super) fn dist<F: Formulas>(len: usize, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
    numbers::<Dist<F>, 2>(len, [p, q], false, out);
}

/// [`Manifold::inner_many`](super::Manifold::inner_many).
pub(super) fn inner<F: Formulas>(len: usize, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
    if F::FLAT_PRODUCT {
        numbers::<FlatProduct<F>, 2>(len, [u, v], false, out);
    } else {
        numbers::<Inner<F>, 3>(len, [p, u, v], false, out);
    }
}

/// [`Manifold::norm_many`](super::Manifold::norm_many).
pub(super) fn norm<F: Formulas>(len: usize, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
    if F::FLAT_PRODUCT {
        numbers::<FlatNorm<F>, 1>(len, [v], false, out);
    } else {
        numbers::<Norm<F>, 2>(len, [p, v], false, out);
    }
}

/// An operation whose results are numbers; returns whether all operands fit, if it is to `look`. Common lengths of
/// operands are compiled each by itself, for processors with vector registers.
fn numbers<O: Operation<N>, const N: usize>(
    len: usize,
    operands: [Operand<'_>; N],
    look: bool,
    out: &mut [f64],
) -> bool {
    let short = match len {
        _ if !O::SHORT => None,
        2 => rows::<O, N, 2, 1>(operands, look, out),
        3 => rows::<O, N, 3, 1>(operands, look, out),
        4 => rows::<O, N, 4, 1>(operands, look, out),
        _ => None,
    };
    short.unwrap_or_else(|| long_rows::<O, N>(len, 1, operands, look, out))
}

/// An operation whose results are as long as its operands, likewise.
fn vectors<O: Operation<N>, const N: usize>(
    len: usize,
    operands: [Operand<'_>; N],
    look: bool,
    out: &mut [f64],
) -> bool {
    let short = match len {
        _ if !O::SHORT => None,
        2 => rows::<O, N, 2, 2>(operands, look, out),
        3 => rows::<O, N, 3, 3>(operands, look, out),
        4 => rows::<O, N, 4, 4>(operands, look, out),
        _ => None,
    };
    short.unwrap_or_else(|| long_rows::<O, N>(len, len, operands, look, out))
}

fn long_rows<O: Operation<N>, const N: usize>(
    len: usize,
    width: usize,
    operands: [Operand<'_>; N],
    look: bool,
    out: &mut [f64],
) -> bool {
    dispatch(LongRows::<O, N> { len, width, operands, look, out, operation: std::marker::PhantomData })
}

/// Whether numbers that are 1 or 0 are all 1.
#[inline(always)]
fn all_one(fit: &[f64]) -> bool {
    fit.iter().fold(1.0_f64.to_bits(), |all, fit| all & fit.to_bits()) == 1.0_f64.to_bits()
}

/// Rows of any length: several at a time, or one by one, where only sums are computed in vector registers.
struct LongRows<'a, O, const N: usize> {
    len: usize,
    width: usize,
    operands: [Operand<'a>; N],
    look: bool,
    out: &'a mut [f64],
    operation: std::marker::PhantomData<O>,
}

impl<O: Operation<N>, const N: usize> WithSimd for LongRows<'_, O, N> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { len, width, operands, look, out, .. } = self;
        let (mut all_fit, mut is_known) = (true, [false; N]);
        if !O::LONG {
            let mut row: [&[f64]; N] = [&[]; N];
            for (i, out) in out.chunks_exact_mut(width).enumerate() {
                row.iter_mut().zip(&operands).for_each(|(row, operand)| *row = operand.row(i, len));
                all_fit &= !look || O::fits(row, is_known) == 1.0;
                O::apply(row, out);
            }
            return all_fit;
        }
        let count = Lanes::<S, 2>::COUNT;
        // lanes without a row hold an earlier one's numbers, or zeros; their results are never read
        let mut lanes = [(); N].map(|()| vec![Lanes::<S, 2>::splat(simd, 0.0); len]);
        for (lanes, operand) in lanes.iter_mut().zip(&operands) {
            if let Operand::Same(values) = operand {
                lanes.iter_mut().zip(*values).for_each(|(lanes, x)| *lanes = Lanes::splat(simd, *x));
            }
        }
        let mut results = vec![Lanes::<S, 2>::splat(simd, 0.0); width];
        let rows = out.len() / width;
        for first in (0..rows).step_by(count) {
            let together = count.min(rows - first);
            for (lanes, operand) in lanes.iter_mut().zip(&operands) {
                if let Operand::Each(values) = operand {
                    side_by_side(simd, together, &values[first * len..][..together * len], lanes);
                }
            }
            let mut row: [&[Lanes<S, 2>]; N] = [&[]; N];
            row.iter_mut().zip(&lanes).for_each(|(row, lanes)| *row = lanes);
            all_fit &= !look || all_one(&O::fits(row, is_known).each()[..together]);
            // an operand that is the same for all rows is checked with the first of them
            is_known = operands.map(|operand| matches!(operand, Operand::Same(_)));
            O::apply(row, &mut results);
            one_by_one(simd, together, &results, &mut out[first * width..][..together * width]);
        }
        all_fit
    }
}

/// Rows of one loop, which takes the last few of them one by one. An operand that is the same for all is repeated that
/// often.
const ROWS: usize = 256;

/// The operation on rows of `P` numbers, and whether all operands fit; `None` without vector registers.
fn rows<O: Operation<N>, const N: usize, const P: usize, const W: usize>(
    operands: [Operand<'_>; N],
    look: bool,
    out: &mut [f64],
) -> Option<bool> {
    let operation = std::marker::PhantomData;
    blocks(operands, out.as_chunks_mut().0, &mut |rows, out, one_base| match (look, one_base) {
        (true, true) => O::dispatch(Rows::<O, N, P, W, true, true> { rows, out, operation }),
        (true, false) => O::dispatch(Rows::<O, N, P, W, true, false> { rows, out, operation }),
        (false, true) => O::dispatch(Rows::<O, N, P, W, false, true> { rows, out, operation }),
        (false, false) => O::dispatch(Rows::<O, N, P, W, false, false> { rows, out, operation }),
    })
}

/// The operation on a block of rows; the last argument is whether all of them have the same first operand.
type OfBlock<'a, const N: usize, const P: usize, const W: usize> =
    &'a mut dyn FnMut([&[[f64; P]]; N], &mut [[f64; W]], bool) -> Option<bool>;

/// Cuts rows into blocks, and returns whether all of them fit. Compiled once for all operations.
fn blocks<const N: usize, const P: usize, const W: usize>(
    operands: [Operand<'_>; N],
    out: &mut [[f64; W]],
    of_block: OfBlock<'_, N, P, W>,
) -> Option<bool> {
    let mut repeated = [[[0.0; P]; ROWS]; N];
    for (operand, repeated) in operands.iter().zip(&mut repeated) {
        if let Operand::Same(values) = operand {
            repeated[..out.len().min(ROWS)].iter_mut().for_each(|row| row.copy_from_slice(values));
        }
    }
    let one_base = matches!(operands[0], Operand::Same(_));
    let mut all_fit = true;
    for (block, out) in out.chunks_mut(ROWS).enumerate() {
        let rows = std::array::from_fn(|i| match operands[i] {
            Operand::Same(_) => &repeated[i][..out.len()],
            Operand::Each(values) => &values.as_chunks::<P>().0[block * ROWS..][..out.len()],
        });
        all_fit &= of_block(rows, out, one_base)?;
    }
    Some(all_fit)
}

/// Rows of `P` numbers and results of `W`, equally many. Where all rows are known to have the same first operand,
/// results of it alone are computed once. Short rows wait for memory, so that to `LOOK` at them in a loop of its own
/// would take up to a third longer.
struct Rows<'a, O, const N: usize, const P: usize, const W: usize, const LOOK: bool, const ONE_BASE: bool> {
    rows: [&'a [[f64; P]]; N],
    out: &'a mut [[f64; W]],
    operation: std::marker::PhantomData<O>,
}

impl<O: Operation<N>, const N: usize, const P: usize, const W: usize, const LOOK: bool, const ONE_BASE: bool> WithSimd
    for Rows<'_, O, N, P, W, LOOK, ONE_BASE>
{
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let Self { rows, out, .. } = self;
        let rows = first(rows, out.len());
        let base = rows[0].first().copied().unwrap_or([0.0; P]);
        let mut all_fit = 1.0_f64.to_bits();
        for (i, out) in out.iter_mut().enumerate() {
            let (mut operands, mut row) = (each(rows, i), [0.0; W]);
            if ONE_BASE {
                operands[0] = &base;
            }
            if LOOK {
                all_fit &= O::fits(operands, [false; N]).to_bits();
            }
            O::apply(operands, &mut row);
            *out = row;
        }
        all_fit == 1.0_f64.to_bits()
    }
}

/// The first `n` rows of each operand. (A closure in the kernel itself would be compiled for every operation.)
#[inline(always)]
fn first<const N: usize, const P: usize>(rows: [&[[f64; P]]; N], n: usize) -> [&[[f64; P]]; N] {
    rows.map(|rows| &rows[..n])
}

/// Row `i` of each operand.
#[inline(always)]
fn each<const N: usize, const P: usize>(rows: [&[[f64; P]]; N], i: usize) -> [&[f64]; N] {
    rows.map(|rows| &rows[i][..])
}

/// [`Manifold::prechecked_points`](super::Manifold::prechecked_points).
pub(super) fn prechecked_points<F: Formulas>(len: usize, values: &[f64]) -> bool {
    let all = Operand::Each(values);
    all_hold::<IsPoint<F>, 1>(len, [all], values.len() / len)
}

/// [`Manifold::prechecked_tangents`](super::Manifold::prechecked_tangents).
pub(super) fn prechecked_tangents<F: Formulas>(len: usize, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
    all_hold::<IsTangent<F>, 2>(len, [p, v], rows)
}

/// Whether an operation that returns 1 for yes does so for all rows.
fn all_hold<O: Operation<N>, const N: usize>(len: usize, operands: [Operand<'_>; N], rows: usize) -> bool {
    let mut holds = [0.0; ROWS];
    (0..rows.div_ceil(ROWS)).all(|block| {
        let first = block * ROWS;
        let holds = &mut holds[..ROWS.min(rows - first)];
        let operands = operands.map(|operand| operand.rows(first, holds.len(), len));
        numbers::<O, N>(len, operands, false, holds);
        all_one(holds)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Manifold;
    use super::*;
    use crate::space::Space;
    use rand::RngExt;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    /// Points, and vectors at them: none, tiny ones, long ones, and such that end where a logarithm ceases to exist.
    fn cloud(m: &dyn Manifold, generator: &mut dyn Rng, n: usize) -> [Vec<f64>; 2] {
        let (len, d) = (m.point_len(), m.dim());
        let (mut points, mut vectors) = (vec![0.0; n * len], vec![0.0; n * len]);
        let mut origin = vec![0.0; len];
        m.origin(&mut origin);
        for (i, (p, v)) in points.chunks_exact_mut(len).zip(vectors.chunks_exact_mut(len)).enumerate() {
            let mut c: Vec<f64> = (0..d).map(|_| generator.random::<f64>() - 0.5).collect();
            m.from_frame(&origin, &c, v);
            m.exp(&origin, v, p);
            let size = super::super::norm(&c);
            let length = [0.0, 1e-12, 0.7, m.injectivity_radius().min(9.0), 40.0][i % 5];
            c.iter_mut().for_each(|c| *c *= length / size);
            m.from_frame(p, &c, v);
        }
        [points, vectors]
    }

    fn same(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
    }

    #[test]
    fn a_row_among_many_has_the_bits_that_it_has_alone() {
        let spaces = [
            "sphere:1",
            "sphere:2",
            "sphere:5",
            "sphere:9",
            "hyperbolic:1",
            "hyperbolic:2",
            "hyperbolic:7",
            "projective:2",
            "projective:8",
            "rotations:3",
            "euclidean:3",
            "euclidean:11",
            "torus:2",
            "kendall:4",
        ];
        for space in spaces {
            let m = space.parse::<Space>().unwrap().manifold().unwrap();
            let (len, n) = (m.point_len(), 150);
            let [points, mut vectors] = cloud(&*m, &mut ChaCha20Rng::seed_from_u64(3), n);
            let mut ends = vec![0.0; n * len];
            m.exp_many(Operand::Each(&points), Operand::Each(&vectors), &mut ends);
            for turns in [1.0, 1e7] {
                // so many turns that sine and cosine are computed in another way
                vectors[2 * len..][..len].iter_mut().for_each(|v| *v *= turns);
                let fixed = Operand::Same(&points[2 * len..][..len]);
                for (p, q) in [
                    (Operand::Each(&points), Operand::Each(&ends)),
                    (fixed, Operand::Each(&ends)),
                    (Operand::Each(&ends), fixed),
                    (fixed, Operand::Same(&ends[3 * len..][..len])),
                ] {
                    let v = Operand::Each(&vectors);
                    let (mut many, mut distances) = ([(); 3].map(|()| vec![0.0; n * len]), vec![0.0; n]);
                    m.log_many(p, q, &mut many[0]);
                    m.exp_many(p, v, &mut many[1]);
                    m.transport_many(p, q, v, &mut many[2]);
                    m.dist_many(p, q, &mut distances);
                    for i in 0..n {
                        let [p, q, v] = [p, q, v].map(|operand| operand.row(i, len));
                        let mut one = [(); 3].map(|()| vec![f64::NAN; len]);
                        if m.log(p, q, &mut one[0]).is_err() {
                            one[0].fill(f64::NAN);
                        }
                        m.exp(p, v, &mut one[1]);
                        if m.transport(p, q, v, &mut one[2]).is_err() {
                            one[2].fill(f64::NAN);
                        }
                        for (many, one) in many.iter().zip(&one) {
                            assert!(same(&many[i * len..][..len], one), "{space} {i}: {one:?}");
                        }
                        assert!(same(&distances[i..=i], &[m.dist(p, q)]), "{space} {i}");
                    }
                }
            }
        }
    }

    /// Between two points of a geodesic through the origin whose places on it are known, from a last digit apart to
    /// the cut locus: the numbers of the points hold the distance to `2⁻⁵³`, or farther out as well as they can.
    #[test]
    fn distances_keep_their_digits_near_zero_and_near_the_cut_locus() {
        let sphere = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
        let plane = "hyperbolic:2".parse::<Space>().unwrap().manifold().unwrap();
        for apart in [1e-150, 1e-15, 1e-8, 1e-3, 0.5, 1.5, 3.0_f64] {
            let (round, curved) = ([apart.cos(), apart.sin(), 0.0], [apart.cosh(), 0.0, apart.sinh()]);
            let mut found = [0.0; 3];
            sphere.dist_many(Operand::Same(&[1.0, 0.0, 0.0]), Operand::Each(&round), &mut found[..1]);
            sphere.dist_many(Operand::Same(&[-1.0, 0.0, 0.0]), Operand::Each(&round), &mut found[1..2]);
            plane.dist_many(Operand::Same(&[1.0, 0.0, 0.0]), Operand::Each(&curved), &mut found[2..]);
            assert!((found[0] / apart - 1.0).abs() < 2e-15, "{apart}: {found:?}");
            assert!((found[1] - (std::f64::consts::PI - apart)).abs() < 2e-15, "{apart}: {found:?}");
            assert!((found[2] / apart - 1.0).abs() < 2e-15, "{apart}: {found:?}");
        }
    }
}
