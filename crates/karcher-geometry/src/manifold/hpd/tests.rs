//! Against another program, against real matrices, and on records that are none.

use super::*;
use crate::manifold::{Hyperbolic, largest};
use crate::points::Points;

const P: [f64; 8] = [2.0, 0.0, 0.5, 0.75, 0.5, -0.75, 1.5, 0.0];
const Q: [f64; 8] = [1.0, 0.0, -0.25, 0.5, -0.25, -0.5, 3.0, 0.0];
const V: [f64; 8] = [0.5, 0.0, 1.0, -0.25, 1.0, 0.25, -1.0, 0.0];

fn computed(width: usize, f: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut out = vec![0.0; width];
    f(&mut out);
    out
}

fn near(found: &[f64], expected: &[f64], what: &str) {
    let off: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    assert!(largest(&off) < 1e-13 * (1.0 + largest(expected)), "{what}: {found:?} {expected:?}");
}

/// With 40 digits by mpmath 1.4.1: `mp.eighe` diagonalises `P^-½ Q P^-½` and so on, and divided differences give the
/// differentials of logarithm and exponential. pyRiemann 0.12 has the same: `distance_riemann`, `log_map_riemann` and
/// `exp_map_riemann` with `C12=True`, `transport`, `distance_logeuclid`, `log_map_logeuclid`, `exp_map_logeuclid`.
#[test]
fn operations_agree_with_forty_digits() {
    let affine: Arc<dyn Manifold> = Arc::new(HpdAffineInvariant::new(2).unwrap());
    let flat: Arc<dyn Manifold> = Arc::new(HpdLogEuclidean::new(2).unwrap());
    #[rustfmt::skip]
    let expected = [
        (affine, 1.295256813583443,
         [-1.5293290838421711, 0.0, -0.7766916205165245, -0.4749085690518187, -0.7766916205165245, 0.4749085690518187, 0.6276202601202897, 0.0],
         [2.9554269238394397, 0.0, 1.3980864522089558, 0.7786702358152421, 1.3980864522089558, -0.7786702358152421, 1.180637773773858, 0.0],
         [-0.07808191776628004, 0.0, 1.3439590934875703, -0.6126151716605254, 1.3439590934875703, 0.6126151716605254, -3.353920393676899, 0.0]),
        (flat, 1.2578414027016673,
         [-1.5231867671414128, 0.0, -0.7295047580652003, -0.3136351076081133, -0.7295047580652003, 0.3136351076081133, 0.7675620499031621, 0.0],
         [2.869268171620984, 0.0, 1.3612650787392093, 0.6088734578790346, 1.3612650787392093, -0.6088734578790346, 1.0985676185304092, 0.0],
         [-0.08191785555758162, 0.0, 1.443122780722298, -0.28767322201967127, 1.443122780722298, 0.28767322201967127, -3.067052474279504, 0.0]),
    ];
    for (space, distance, log, exp, carried) in expected {
        near(&[space.dist(&P, &Q)], &[distance], "dist");
        near(&computed(8, |out| space.log(&P, &Q, out).unwrap()), &log, "log");
        near(&computed(8, |out| space.exp(&P, &V, out)), &exp, "exp");
        near(&computed(8, |out| space.transport(&P, &Q, &V, out).unwrap()), &carried, "transport");
    }
    // Re tr(P⁻¹VP⁻¹Q)
    near(&[HpdAffineInvariant::new(2).unwrap().inner(&P, &V, &Q)], &[-3.3142857142857145], "inner");
}

/// The whole space of size 1, and the real matrices in those of other sizes.
#[test]
fn real_matrices_are_as_in_the_real_space() {
    let complex = |x: &[f64]| x.iter().flat_map(|x| [*x, 0.0]).collect::<Vec<f64>>();
    for k in [1, 2, 3, 6] {
        let pairs: [(Arc<dyn Manifold>, Arc<dyn Manifold>); 2] = [
            (Arc::new(SpdAffineInvariant::new(k).unwrap()), Arc::new(HpdAffineInvariant::new(k).unwrap())),
            (Arc::new(SpdLogEuclidean::new(k).unwrap()), Arc::new(HpdLogEuclidean::new(k).unwrap())),
        ];
        for (real, hermitian) in pairs {
            let (n, d) = (k * k, real.dim());
            let one = computed(n, |out| real.origin(out));
            let c: Vec<f64> = (0..d).map(|i| ((3 * i + 1) % 5) as f64 / 4.0 - 0.3).collect();
            let u = computed(n, |out| real.from_frame(&one, &c, out));
            let p = computed(n, |out| real.exp(&one, &u, out));
            let v = computed(n, |out| real.from_frame(&p, &c, out));
            let q = computed(n, |out| real.exp(&p, &v, out));
            let [zp, zq, zv] = [&p, &q, &v].map(|x| complex(x));
            let mut wide = c.clone();
            wide.resize(n, 0.0);
            near(&computed(2 * n, |out| hermitian.origin(out)), &complex(&one), "origin");
            near(&computed(2 * n, |out| hermitian.from_frame(&zp, &wide, out)), &zv, "from_frame");
            near(&computed(2 * n, |out| hermitian.exp(&zp, &zv, out)), &zq, "exp");
            near(&[hermitian.dist(&zp, &zq)], &[real.dist(&p, &q)], "dist");
            let carried = computed(n, |out| real.transport(&p, &q, &u, out).unwrap());
            let found = computed(2 * n, |out| hermitian.transport(&zp, &zq, &complex(&u), out).unwrap());
            near(&found, &complex(&carried), "transport");
            let density = real.log_volume_density(&p, &v);
            near(&[hermitian.log_volume_density(&zp, &zv)], &[2.0 * density], "density");
            assert_eq!(hermitian.model(), real.model());
        }
    }
}

/// `2×2` matrices of determinant 1 are hyperbolic space of dimension 3 and curvature −½, which real ones are of
/// dimension 2.
#[test]
fn two_by_two_matrices_of_one_determinant_are_hyperbolic() {
    let (matrices, hyperbolic) = (HpdAffineInvariant::new(2).unwrap(), Hyperbolic::new(3).unwrap());
    for s in [0.1_f64, 1.0, 4.0, 30.0] {
        let half = s / 2.0_f64.sqrt();
        let [a, b, c, d] = [half, -half, 0.6 * s, 0.8 * s];
        let expected = hyperbolic.log_volume_density_bound(half).0;
        for direction in [[a, b, 0.0, 0.0], [0.0, 0.0, c, d], [0.6 * a, 0.6 * b, 0.0, 0.8 * s]] {
            near(&[matrices.log_volume_density_in_frame(&direction)], &[expected], "density");
        }
        assert!(matrices.log_volume_density_bound(s).0 >= expected * (1.0 - 1e-14));
    }
    near(&[matrices.volume_growth()], &[hyperbolic.volume_growth() * 0.5_f64.sqrt()], "growth");
}

/// By `ln sinhc x ≈ x²/6`.
#[test]
fn drawn_densities_have_the_first_moment_of_hermitian_matrices() {
    use rand::SeedableRng;
    let (k, s, count) = (3, 0.05_f64, 20_000);
    let matrices = HpdAffineInvariant::new(k).unwrap();
    let (mut generator, mut sum) = (rand_chacha::ChaCha20Rng::seed_from_u64(8), 0.0);
    for _ in 0..count {
        sum += computed(1, |out| matrices.draw_log_volume_density(&[s], &mut generator, out))[0];
    }
    // ln θ ≈ 2·Σ (s(λᵢ − λⱼ)/2)²/6 = s²/12·(k − (tr U)²), and E (tr U)² = k/d of a uniform direction
    let (k, d) = (k as f64, (k * k) as f64);
    let expected = s * s / 12.0 * (k - k / d);
    // the standard deviation of (tr U)² is below 1/2
    let allowed = s * s / 12.0 * 6.0 * 0.5 / f64::from(count).sqrt();
    assert!((sum / f64::from(count) - expected).abs() < allowed + 1e-3 * expected, "{sum} {expected}");
}

#[test]
fn what_is_not_hermitian_is_refused_with_entry_and_value() {
    let space = HpdAffineInvariant::new(2).unwrap();
    let refused = |p: &[f64]| space.check_point(p).unwrap_err().to_string();
    let of = "not a point of hpd-affine-invariant:2: it is not ";
    assert_eq!(
        refused(&[2.0, 0.0, 0.5, 0.75, 0.5, 0.75, 1.5, 0.0]),
        format!("{of}Hermitian: entry (2,1) is 0.5+0.75i, entry (1,2) is 0.5+0.75i")
    );
    assert_eq!(
        refused(&[2.0, -0.25, 0.0, 0.0, 0.0, 0.0, 1.5, 0.0]),
        format!("{of}Hermitian: entry (1,1) is 2-0.25i, it must be real")
    );
    let indefinite = refused(&[1.0, 0.0, 0.0, 2.0, 0.0, -2.0, 1.0, 0.0]);
    assert!(indefinite.starts_with(&format!("{of}positive definite: its smallest eigenvalue is -1")), "{indefinite}");
    let error = Points::new(&space, [&P[..], &[1.0; 8]].concat()).unwrap_err().to_string();
    assert!(error.contains('2') && error.contains("not Hermitian: entry (1,1) is 1+1i"), "{error}");
    let vector = space.check_tangent(&P, &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap_err().to_string();
    assert!(vector.contains("entry (1,1) is 0+1i, it must be real"), "{vector}");
}

/// The lower triangle of a vector that is not quite Hermitian counts, and the real parts of its diagonal.
#[test]
fn upper_triangles_of_tangent_vectors_do_not_count() {
    let spaces: [&dyn Manifold; 2] = [&HpdAffineInvariant::new(2).unwrap(), &HpdLogEuclidean::new(2).unwrap()];
    for space in spaces {
        let mut off = V;
        for (i, x) in [(1, 1e-9), (2, 2e-9), (3, -1e-9), (7, 3e-9)] {
            off[i] += x;
        }
        assert!(space.check_tangent(&P, &off).is_ok());
        for v in [&V, &off] {
            let (e, c) = (computed(8, |out| space.exp(&P, v, out)), computed(4, |out| space.to_frame(&P, v, out)));
            assert_eq!(e, computed(8, |out| space.exp(&P, &V, out)));
            assert_eq!(c, computed(4, |out| space.to_frame(&P, &V, out)));
        }
    }
}

#[test]
fn no_numbers_panic() {
    let spaces: [&dyn Manifold; 2] = [&HpdAffineInvariant::new(2).unwrap(), &HpdLogEuclidean::new(2).unwrap()];
    for space in spaces {
        for x in [f64::NAN, f64::INFINITY, 1e308, -1e308, 1e-308, 0.0] {
            let p = P.map(|p| p * x);
            let _ = (space.check_point(&p), space.check_tangent(&P, &p), space.dist(&P, &p), space.inner(&p, &V, &V));
            computed(8, |out| space.exp(&p, &p, out));
            computed(8, |out| drop(space.log(&p, &P, out)));
            computed(8, |out| drop(space.transport(&P, &p, &V, out)));
            computed(8, |out| space.jacobi(&P, &p, &V, out, &mut [0.0; 8]));
            computed(8, |out| {
                space.repair({
                    out.copy_from_slice(&p);
                    out
                })
            });
        }
        assert!(space.check_point(&[1.0; 7]).is_err() && space.check_point(&[]).is_err());
    }
    assert!(HpdAffineInvariant::new(0).is_err() && HpdAffineInvariant::new(501).is_err());
}

#[test]
fn large_matrices_are_rehearsed_with_small_ones() {
    let stand_in = HpdAffineInvariant::new(100).unwrap().stand_in().unwrap();
    assert_eq!(stand_in.space().as_str(), "hpd-affine-invariant:10");
    assert!(HpdAffineInvariant::new(5).unwrap().stand_in().is_none());
}
