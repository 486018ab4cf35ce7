use super::rejection::Rejection;
use crate::manifold::*;

#[test]
fn probe() {
    let cases: Vec<(&str, f64)> = vec![("sphere:2", 0.39269908), ("sphere:2", 0.6), ("sphere:2", 1.0), ("sphere:1", 1.0), ("sphere:5", 0.4), ("sphere:10", 0.4), ("hyperbolic:2", 1.0),
        ("hyperbolic:2", 5.0), ("kendall:4", 0.2), ("kendall:13", 0.2), ("kendall:50", 0.2), ("spd-affine-invariant:2", 1.0), ("spd-affine-invariant:3", 1.5), ("spd-affine-invariant:4", 1.5), ("spd-affine-invariant:10", 1.5)];
    for (name, r) in cases {
        let space: Space = name.parse().unwrap();
        let m = space.manifold().unwrap();
        for n in [10, 50, 1000] {
            let scale = 2.0 * crate::sensitivity::gradient_diameter(&*m, r).unwrap() / n as f64;
            let t = std::time::Instant::now();
            let k = Rejection::new(&*m, r, scale).unwrap();
            let a = k.least_acceptance();
            println!("{name} r {r} n {n} scale {scale:.4} acceptance {a:.3e} in {:?}", t.elapsed());
        }
    }
}
