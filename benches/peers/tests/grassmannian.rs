//! Exponentials and logarithms on a Grassmannian against a matrix exponential, which shows which library is off where
//! they differ.

use cartan::prelude::Manifold as Peer;
use karcher_geometry::Manifold;
use karcher_geometry::manifold::Grassmann;
use nalgebra::SMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

type Basis = SMatrix<f64, 10, 3>;
type Square = SMatrix<f64, 10, 10>;

/// `e^A` of a small matrix, by its series.
fn exponential(a: &Square) -> Square {
    let (mut sum, mut term) = (Square::identity(), Square::identity());
    for k in 1..40 {
        term = term * a / f64::from(k);
        sum += term;
    }
    sum
}

/// `Exp_X(V)` spans `e^A·X` with `A = VXᵀ − XVᵀ`, and `V` is the logarithm of it.
#[test]
fn karcher_agrees_with_the_matrix_exponential_to_rounding_and_cartan_does_not() {
    let (ours, theirs) = (Grassmann::new(10, 3).unwrap(), cartan::manifolds::Grassmann::<10, 3>);
    let mut generator = ChaCha20Rng::seed_from_u64(1);
    let mut origin = vec![0.0; 30];
    ours.origin(&mut origin);
    let x = Basis::from_row_slice(&origin);
    let projector = |y: Basis| y * y.transpose();
    let (mut by_karcher, mut by_cartan) = ([0.0_f64; 2], [0.0_f64; 2]);
    for _ in 0..2_000 {
        let coordinates: Vec<f64> = (0..21).map(|_| generator.random_range(-0.2..0.2)).collect();
        let (mut v, mut end, mut back) = (vec![0.0; 30], vec![0.0; 30], vec![0.0; 30]);
        ours.from_frame(&origin, &coordinates, &mut v);
        ours.exp(&origin, &v, &mut end);
        let v = Basis::from_row_slice(&v);
        let there = exponential(&(v * x.transpose() - x * v.transpose())) * x;
        ours.log(&origin, there.transpose().as_slice(), &mut back).unwrap();
        let off = |end: Basis, back: Basis| [(projector(end) - projector(there)).abs().max(), (back - v).abs().max()];
        let off_by = [
            off(Basis::from_row_slice(&end), Basis::from_row_slice(&back)),
            off(theirs.exp(&x, &v), theirs.log(&x, &there).unwrap()),
        ];
        for (worst, off) in [&mut by_karcher, &mut by_cartan].into_iter().zip(off_by) {
            worst.iter_mut().zip(off).for_each(|(worst, off)| *worst = worst.max(off));
        }
    }
    println!("exp and log: karcher is off by {by_karcher:?}, cartan by {by_cartan:?}");
    assert!(by_karcher.iter().all(|off| *off < 1e-14), "{by_karcher:?}");
    assert!(by_cartan.iter().all(|off| *off > 1e-12), "cartan has become as precise: {by_cartan:?}");
}
