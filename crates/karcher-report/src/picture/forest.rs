//! A forest plot: how far the mean of each site is from the mean over sites.

use super::frame::{self, Sample, Words};
use super::page::{AMBER, BLUE, GREY, Ink, Page};
use super::rows::{self, Row};
use super::view::{label, label_up};
use crate::{Error, Result};
use karcher::release::{Adjacency, PooledMean};

/// Standard deviations of a normal interval of 95 %.
const NORMAL_95: f64 = 1.96;

/// The picture of a pooled mean, whose sites have names. Distances are in a unit, which has a name.
pub fn draw(pooled: &PooledMean, names: &[String], (unit, unit_name): (f64, &str)) -> Result<Page> {
    let manifold = pooled.manifold.manifold()?;
    let Some(over) = &pooled.over_sites else {
        return Err(Error::new(
            "a forest plot compares sites, and there is one: give the releases of several".to_owned(),
        ));
    };
    let [of_site, of_weighted, of_mean] = [BLUE, GREY, AMBER].map(|color| Ink::fill(color, 1.0));
    let row = |name: &str, number: f64, ends: [f64; 2], ink: Ink| {
        let interval = Some(ends.map(|x| x.max(0.0) / unit));
        Row { name: name.to_owned(), number: number / unit, interval, ink }
    };
    // along the line to the mean over sites, the error is that of one axis
    let along = NORMAL_95 / (manifold.dim() as f64).sqrt();
    let sites = names.iter().zip(&over.distances).zip(&over.errors);
    let sites = sites.map(|((name, &at), error)| row(name, at, [at - along * error, at + along * error], of_site));
    let weighted = pooled.region.map(|region| {
        let at = manifold.dist(&pooled.value, &over.value);
        row("weighted mean", at, [at - region.radius, at + region.radius], of_weighted)
    });
    let mean = row("mean over sites", 0.0, [0.0, over.region.radius], of_mean);
    let rows: Vec<Row> = [mean].into_iter().chain(weighted).chain(sites).collect();

    let gap = if matches!(unit_name, "" | "°") { "" } else { " " };
    let length = |x: f64, rounded: fn(f64) -> String| format!("{}{gap}{unit_name}", rounded(x / unit));
    let mut words = Words::default();
    words.say("distances from the mean over sites");
    words.explain(Sample::Dot(of_mean), "the mean over sites");
    words.say(format!("within {}, ≈ 95 %", length(over.region.radius, label_up)));
    words.explain(Sample::Dot(of_weighted), "the weighted mean of these sites, with its region");
    words.explain(Sample::Dot(of_site), "a site");
    words.explain(Sample::Line(rows::interval(of_site)), "≈ 95 % for noise and sampling, along this line");
    words.say(format!("sites differ by {}, root mean square", length(over.between_sites, label)));
    words.say(format!("I² = {:.0} %: not noise, not sampling", 100.0 * over.i_squared));
    words.left_out(rows.len());

    let title = format!("{} of {} sites on {}", pooled.statistic.description().noun, names.len(), pooled.manifold);
    let about = if pooled.adjacency == Adjacency::AddRemove { "about " } else { "" };
    let how = format!("{about}{:.0} {}s", pooled.n, pooled.unit);
    let mut page = frame::titled(title, how);
    page.panels.extend(rows::panels(&rows));
    frame::add_words(&mut page, words, false);
    Ok(page)
}
