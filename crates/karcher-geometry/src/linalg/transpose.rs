//! Transposition of rows of numbers into vector registers, side by side, and back.

use pulp::Simd;

use super::lanes::{Lanes, turned};

/// Puts `count` rows, of as many numbers as there are lanes, side by side: the `l`-th row into place `l` of each lane.
/// Four rows go at once, four numbers of each, which are transposed in registers. The last four of a row may overlap
/// those before them.
#[inline(always)]
pub(crate) fn side_by_side<S: Simd, const P: usize>(simd: S, count: usize, rows: &[f64], lanes: &mut [Lanes<S, P>]) {
    let len = lanes.len();
    let fours = if len < 4 { 0 } else { count / 4 };
    for n in 0..fours {
        let four = &rows[4 * n * len..][..4 * len];
        let (a, b, c, d) = (&four[..len], &four[len..2 * len], &four[2 * len..3 * len], &four[3 * len..]);
        let [a4, b4, c4, d4] = [a, b, c, d].map(|row| row.as_chunks::<4>().0);
        for ((((lanes, a), b), c), d) in lanes.as_chunks_mut::<4>().0.iter_mut().zip(a4).zip(b4).zip(c4).zip(d4) {
            set_places(lanes, 4 * n, turned(simd, [*a, *b, *c, *d]));
        }
        if let (Some(lanes), Some(a), Some(b), Some(c), Some(d)) =
            (lanes.last_chunk_mut(), a.last_chunk(), b.last_chunk(), c.last_chunk(), d.last_chunk())
        {
            set_places(lanes, 4 * n, turned(simd, [*a, *b, *c, *d]));
        }
    }
    for l in 4 * fours..count {
        lanes.iter_mut().zip(&rows[l * len..]).for_each(|(lanes, x)| lanes.each_mut()[l] = *x);
    }
}

/// The inverse of [`side_by_side`].
#[inline(always)]
pub(crate) fn one_by_one<S: Simd, const P: usize>(simd: S, count: usize, lanes: &[Lanes<S, P>], rows: &mut [f64]) {
    let len = lanes.len();
    let fours = if len < 4 { 0 } else { count / 4 };
    for n in 0..fours {
        let four = &mut rows[4 * n * len..][..4 * len];
        let (ab, cd) = four.split_at_mut(2 * len);
        let ((a, b), (c, d)) = (ab.split_at_mut(len), cd.split_at_mut(len));
        let [a4, b4, c4, d4] = [&mut *a, &mut *b, &mut *c, &mut *d].map(|row| row.as_chunks_mut::<4>().0);
        for ((((lanes, a), b), c), d) in lanes.as_chunks::<4>().0.iter().zip(a4).zip(b4).zip(c4).zip(d4) {
            [*a, *b, *c, *d] = turned(simd, places(lanes, 4 * n));
        }
        if let (Some(lanes), Some(a), Some(b), Some(c), Some(d)) =
            (lanes.last_chunk(), a.last_chunk_mut(), b.last_chunk_mut(), c.last_chunk_mut(), d.last_chunk_mut())
        {
            [*a, *b, *c, *d] = turned(simd, places(lanes, 4 * n));
        }
    }
    for l in 4 * fours..count {
        rows[l * len..].iter_mut().zip(lanes).for_each(|(x, lanes)| *x = lanes.each()[l]);
    }
}

/// Four places, from `first` on, of each of four lanes.
#[inline(always)]
fn places<S: Simd, const P: usize>(lanes: &[Lanes<S, P>; 4], first: usize) -> [[f64; 4]; 4] {
    let mut places = [[0.0; 4]; 4];
    for (places, lanes) in places.iter_mut().zip(lanes) {
        places.copy_from_slice(&lanes.each()[first..first + 4]);
    }
    places
}

#[inline(always)]
fn set_places<S: Simd, const P: usize>(lanes: &mut [Lanes<S, P>; 4], first: usize, places: [[f64; 4]; 4]) {
    for (lanes, places) in lanes.iter_mut().zip(places) {
        lanes.each_mut()[first..first + 4].copy_from_slice(&places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dispatch;
    use pulp::WithSimd;

    /// Rows of every length, in groups that are full and not, on every kind of registers.
    #[test]
    fn rows_are_put_side_by_side_and_back() {
        struct Turn<'a> {
            len: usize,
            rows: &'a [f64],
        }

        impl WithSimd for Turn<'_> {
            type Output = ();

            fn with_simd<S: Simd>(self, simd: S) {
                let Self { len, rows } = self;
                for count in 1..=Lanes::<S, 2>::COUNT {
                    let rows = &rows[..count * len];
                    let mut lanes = vec![Lanes::<S, 2>::splat(simd, f64::NAN); len];
                    side_by_side(simd, count, rows, &mut lanes);
                    for (l, row) in rows.chunks_exact(len).enumerate() {
                        assert!(row.iter().zip(&lanes).all(|(x, lanes)| *x == lanes.each()[l]), "{len} {count} {l}");
                    }
                    let mut back = vec![f64::NAN; rows.len()];
                    one_by_one(simd, count, &lanes, &mut back);
                    assert_eq!(back, rows, "{len} {count}");
                }
            }
        }

        for len in 1..=19 {
            let rows: Vec<f64> = (0..8 * len).map(|i| i as f64).collect();
            dispatch(Turn { len, rows: &rows });
            Turn { len, rows: &rows }.with_simd(pulp::Scalar);
        }
    }
}
