use super::Profile;
impl Profile { pub(crate) fn mu(&self) -> f64 { let (d,_)=self.pair.total_variation(); crate::privacy::normal::mu_of_total_variation(d) } }
#[cfg(test)]
mod tests {
    use super::super::*;
    #[test]
    fn scratch() {
        for (d, k, s, dd) in [(2,1.0,0.25,0.25),(2,1.0,1.0,0.5),(5,1.0,0.5,0.5),(2,-1.0,0.5,0.5),(3,-1.0,1.0,1.0),(1,1.0,1.0,1.0),(1,1.0,2.0,1.0),(1,1.0,4.0,1.0),(2,1.0,0.12146,0.12146),(2,0.0,1.0,1.0),(50,0.0,1.0,1.0)] {
            let p = Profile::new(ConstantCurvature::new(d,k).unwrap(), Law::Gaussian, s, dd).unwrap();
            let t=std::time::Instant::now();
            let x = p.delta_by_quadrature(0.5);
            let e=t.elapsed();
            println!("{d} {k} {s} {dd}: mu {} delta {} {} {:?} exact {:?}", p.mu(), x, p.delta_by_quadrature(0.0), e, p.delta(0.5));
            let m=p.pair.masses(p.pair.tau_of(0.5)); println!("   {m:?}");
        }
    }
}
