//! The rows of the table for one space.

use crate::cartan_space::Form;
use crate::timing::nanoseconds;
use cartan::prelude::{Manifold as Peer, ParallelTransport};
use karcher_geometry::Manifold;
use karcher_geometry::manifold::Operand::Each;
use nalgebra::SMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use std::error::Error;
use std::hint::black_box;

/// Rows of each operand.
const ROWS: usize = 1_000;

/// Checks and times each operation on one space, and prints its row.
///
/// # Errors
/// A sentence with the operation whose results differ.
pub fn print<const R: usize, const C: usize, M, P>(
    ours: &M,
    theirs: &P,
    form: &Form<R, C>,
) -> Result<(), Box<dyn Error>>
where
    M: Manifold,
    P: Peer<Point = SMatrix<f64, R, C>, Tangent = SMatrix<f64, R, C>> + ParallelTransport,
{
    let len = ours.point_len();
    let [p, v, q, w] = operands(ours);
    let row = |x: &[f64], i: usize| x[i * len..][..len].to_vec();
    let points = |x: &[f64]| (0..ROWS).map(|i| (form.point)(&row(x, i))).collect::<Vec<_>>();
    let tangents = |x: &[f64]| (0..ROWS).map(|i| (form.tangent)(&row(&p, i), &row(x, i))).collect::<Vec<_>>();
    let [their_p, their_q] = [&p, &q].map(|x| points(x));
    let [their_v, their_w] = [&v, &w].map(|x| tangents(x));
    let name = |operation: &str| format!("{}: {operation}", ours.space());
    let nothing = SMatrix::zeros();

    Row {
        name: name("exp"),
        theirs: |out: &mut [_]| (0..ROWS).for_each(|i| theirs.exp_into(&their_p[i], &their_v[i], &mut out[i])),
        one: |out: &mut [f64]| each(len, out, |at, out| ours.exp(&p[at..][..len], &v[at..][..len], out)),
        many: |out: &mut [f64]| ours.exp_many(Each(&p), Each(&v), out),
        their_numbers: |x: &SMatrix<f64, R, C>| (form.numbers)(x),
        our_numbers: |_, x: &[f64]| (form.numbers)(&(form.point)(x)),
    }
    .print(nothing, len, form.agree)?;
    Row {
        name: name("log"),
        theirs: |out: &mut [_]| (0..ROWS).for_each(|i| theirs.log_into(&their_p[i], &their_q[i], &mut out[i]).unwrap()),
        one: |out: &mut [f64]| each(len, out, |at, out| ours.log(&p[at..][..len], &q[at..][..len], out).unwrap()),
        many: |out: &mut [f64]| ours.log_many(Each(&p), Each(&q), out),
        their_numbers: |x: &SMatrix<f64, R, C>| x.as_slice().to_vec(),
        our_numbers: |i, x: &[f64]| (form.tangent)(&row(&p, i), x).as_slice().to_vec(),
    }
    .print(nothing, len, form.agree)?;
    Row {
        name: name("dist"),
        theirs: |out: &mut [_]| (0..ROWS).for_each(|i| out[i] = theirs.dist(&their_p[i], &their_q[i]).unwrap()),
        one: |out: &mut [f64]| each(1, out, |i, out| out[0] = ours.dist(&p[i * len..][..len], &q[i * len..][..len])),
        many: |out: &mut [f64]| ours.dist_many(Each(&p), Each(&q), out),
        their_numbers: |x: &f64| vec![*x],
        our_numbers: |_, x: &[f64]| x.to_vec(),
    }
    .print(0.0, 1, form.agree)?;
    if !form.transports {
        return Ok(());
    }
    Row {
        name: name("transport"),
        theirs: |out: &mut [_]| {
            (0..ROWS).for_each(|i| theirs.transport_into(&their_p[i], &their_q[i], &their_w[i], &mut out[i]).unwrap());
        },
        one: |out: &mut [f64]| {
            each(len, out, |at, out| {
                ours.transport(&p[at..][..len], &q[at..][..len], &w[at..][..len], out).unwrap();
            });
        },
        many: |out: &mut [f64]| ours.transport_many(Each(&p), Each(&q), Each(&w), out),
        their_numbers: |x: &SMatrix<f64, R, C>| x.as_slice().to_vec(),
        our_numbers: |i, x: &[f64]| (form.tangent)(&row(&q, i), x).as_slice().to_vec(),
    }
    .print(nothing, len, form.agree)
}

/// Points `p`, tangent vectors `v` at them, other points `q` that are not far, and more vectors at `p`.
fn operands(space: &impl Manifold) -> [Vec<f64>; 4] {
    let (len, d) = (space.point_len(), space.dim());
    let mut generator = ChaCha20Rng::seed_from_u64(1);
    let mut origin = vec![0.0; len];
    space.origin(&mut origin);
    let mut vector_at = |p: &[f64], length: f64| {
        let coordinates: Vec<f64> = (0..d).map(|_| generator.random_range(-1.0..1.0)).collect();
        let scale = length / coordinates.iter().map(|c| c * c).sum::<f64>().sqrt();
        let mut v = vec![0.0; len];
        space.from_frame(p, &coordinates.iter().map(|c| c * scale).collect::<Vec<_>>(), &mut v);
        v
    };
    let exp = |p: &[f64], v: &[f64]| {
        let mut q = vec![0.0; len];
        space.exp(p, v, &mut q);
        q
    };
    let mut operands = [const { Vec::new() }; 4];
    for _ in 0..ROWS {
        let p = exp(&origin, &vector_at(&origin, 0.7));
        let q = exp(&p, &vector_at(&p, 0.5));
        let (v, w) = (vector_at(&p, 0.5), vector_at(&p, 1.0));
        operands.iter_mut().zip([p, v, q, w]).for_each(|(all, new)| all.extend(new));
    }
    operands
}

/// `f(at, out)` of each row of `width` numbers that begins at `at`.
fn each(width: usize, out: &mut [f64], f: impl Fn(usize, &mut [f64])) {
    out.chunks_exact_mut(width).enumerate().for_each(|(i, out)| f(i * width, out));
}

/// One operation: by cartan, by karcher one row at a time, and by karcher on all rows in one call.
struct Row<Theirs, One, Many, TheirNumbers, OurNumbers> {
    name: String,
    theirs: Theirs,
    one: One,
    many: Many,
    /// Numbers to compare, of a result of cartan.
    their_numbers: TheirNumbers,
    /// The same of a result of karcher, whose row is given.
    our_numbers: OurNumbers,
}

impl<Theirs, One, Many, TheirNumbers, OurNumbers> Row<Theirs, One, Many, TheirNumbers, OurNumbers> {
    fn print<T: Copy>(self, zero: T, width: usize, agree: f64) -> Result<(), Box<dyn Error>>
    where
        Theirs: Fn(&mut [T]),
        One: Fn(&mut [f64]),
        Many: Fn(&mut [f64]),
        TheirNumbers: Fn(&T) -> Vec<f64>,
        OurNumbers: Fn(usize, &[f64]) -> Vec<f64>,
    {
        let mut theirs = vec![zero; ROWS];
        let [mut one, mut many] = [(); 2].map(|()| vec![0.0; ROWS * width]);
        (self.theirs)(&mut theirs);
        (self.one)(&mut one);
        (self.many)(&mut many);
        let (mut largest, mut difference) = (0.0_f64, 0.0_f64);
        for (i, theirs) in theirs.iter().enumerate() {
            let expected = (self.their_numbers)(theirs);
            for ours in [&one, &many] {
                for (a, b) in (self.our_numbers)(i, &ours[i * width..][..width]).iter().zip(&expected) {
                    let apart = (a - b).abs();
                    largest = largest.max(b.abs());
                    difference = difference.max(if apart.is_nan() { f64::INFINITY } else { apart });
                }
            }
        }
        difference /= largest;
        if difference.is_nan() || difference > agree {
            return Err(format!("{}: the results differ by {difference:.0e}", self.name).into());
        }
        let [theirs, one, many] = nanoseconds(
            ROWS,
            [&mut || (self.theirs)(black_box(&mut theirs)), &mut || (self.one)(black_box(&mut one)), &mut || {
                (self.many)(black_box(&mut many))
            }],
        );
        let places = usize::from(many < 100.0);
        println!(
            "| {} | {theirs:.places$} | {one:.places$} | {:.1} | {many:.places$} | {:.1} | {difference:.0e} |",
            self.name,
            theirs / one,
            theirs / many,
        );
        Ok(())
    }
}
