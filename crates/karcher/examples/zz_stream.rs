//! scratch
use karcher::records::Observations;
use karcher::*;
use std::sync::Arc;
use std::time::Instant;
fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or("sphere:2".into());
    let m = name.parse::<Space>()?.manifold()?;
    let n = 65536;
    let mut g = sampler::Generator::seeded(1);
    let law = sampler::Isotropic::new(Arc::clone(&m), sampler::Law::Gaussian, 0.2)?;
    let mut o = vec![0.0; m.point_len()];
    m.origin(&mut o);
    let mut values = vec![0.0; n * m.point_len()];
    for x in values.chunks_exact_mut(m.point_len()) {
        law.sample(&o, &mut g, x)?;
    }
    let center: Vec<f64> = values[..m.point_len()].to_vec();
    let mean = mechanism::PrivateFrechetMean::new(m.clone(), Ball::new(&*m, center, 0.6)?)?;
    let q = mean.first_question()?;
    let time = |what: &str, f: &mut dyn FnMut()| {
        f();
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let t = Instant::now();
            f();
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("{what}: {:.1} ns a record", best / n as f64 * 1e9);
    };
    time("copy", &mut || {
        std::hint::black_box(values.clone());
    });
    time("Points::new", &mut || {
        std::hint::black_box(Points::new(&*m, values.clone()).unwrap());
    });
    let points = Points::new(&*m, values.clone())?;
    time("PointsView::new", &mut || {
        std::hint::black_box(PointsView::new(&*m, &values).unwrap().is_some());
    });
    time("answer", &mut || {
        std::hint::black_box(q.answer(Observations::new(&points)).unwrap());
    });
    let s: records::Question = {
        let mut j = serde_json::to_value(&q).unwrap();
        j["clip"] = true.into();
        serde_json::from_value(j).unwrap()
    };
    time("answer clipped", &mut || {
        std::hint::black_box(s.answer(Observations::new(&points)).unwrap());
    });
    Ok(())
}
