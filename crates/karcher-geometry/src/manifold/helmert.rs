//! Helmert's isometry from lists of sum 0 to shorter lists: of `K` numbers (`WIDTH = 1`), and of `K` landmarks in the
//! plane (`WIDTH = 2`), component by component.

/// `yⱼ = (z₁ + … + zⱼ − j·zⱼ₊₁)/√(j(j+1))`, `j = 1, …, K−1`. A constant that is added to all `z` does not count.
pub(crate) fn helmert<const WIDTH: usize>(z: &[f64]) -> Vec<f64> {
    let (z, _) = z.as_chunks::<WIDTH>();
    let mut sum = [0.0; WIDTH];
    let mut y = Vec::with_capacity(z.len() * WIDTH);
    for (j, pair) in (1..).zip(z.windows(2)) {
        let j = j as f64;
        for ((sum, now), next) in sum.iter_mut().zip(pair[0]).zip(pair[1]) {
            *sum += now;
            y.push((*sum - next * j) / (j * (j + 1.0)).sqrt());
        }
    }
    y
}

/// The inverse of [`helmert`], to lists of sum 0.
pub(crate) fn helmert_transpose<const WIDTH: usize>(y: &[f64], out: &mut [f64]) {
    let mut tail = [0.0; WIDTH];
    for (i, out) in out.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate().rev() {
        // number i+1 enters row i with weight −i and every row j > i with weight 1
        for (at, (out, tail)) in out.iter_mut().zip(&mut tail).enumerate() {
            let row = if i > 0 { y[(i - 1) * WIDTH + at] / ((i * (i + 1)) as f64).sqrt() } else { 0.0 };
            *out = *tail - row * i as f64;
            *tail += row;
        }
    }
}
