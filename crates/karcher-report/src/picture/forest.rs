//! A forest plot: how far the mean of each site is from the mean over sites.

use super::frame::{self, Sample, Words};
use super::page::{AMBER, BLUE, GREY, Ink, Page};
use super::rows::{self, Row};
use super::view::{label, label_up};
use crate::{Error, Result};
use karcher::release::{Adjacency, PooledMean, SpreadSource};

/// The picture of a pooled mean, whose sites have names. Distances are in a unit, which has a name.
pub fn draw(pooled: &PooledMean, names: &[String], (unit, unit_name): (f64, &str)) -> Result<Page> {
    let manifold = pooled.manifold.manifold()?;
    let Some(over) = &pooled.over_sites else {
        return Err(Error::new(match pooled.weights.len() {
            1 => "a forest plot compares sites, and there is one: give the releases of several",
            _ => "the sites are so far apart that they have no mean over sites, so there is no forest plot",
        }));
    };
    let [of_site, of_weighted, of_mean] = [BLUE, GREY, AMBER].map(|color| Ink::fill(color, 1.0));
    let row = |name: &str, number: f64, radius: f64, ink: Ink| {
        let interval = Some([number - radius, number + radius].map(|x| x.max(0.0) / unit));
        Row { name: name.to_owned(), number: number / unit, interval, ink }
    };
    let sites = names.iter().zip(&over.distances).zip(&over.radii);
    let sites = sites.map(|((name, distance), radius)| row(name, *distance, *radius, of_site));
    let noisy = |noisy: &Option<Vec<f64>>, value: &Vec<f64>| noisy.clone().unwrap_or_else(|| value.clone());
    let weighted = pooled.population_region.or(pooled.region).map(|region| {
        let [of_these, of_all] = [noisy(&pooled.noisy_value, &pooled.value), noisy(&over.noisy_value, &over.value)];
        row("weighted mean", manifold.dist(&of_these, &of_all), region.radius, of_weighted)
    });
    let mean = row("mean over sites", 0.0, over.region.radius, of_mean);
    let rows: Vec<Row> = [mean].into_iter().chain(weighted).chain(sites).collect();

    let gap = if matches!(unit_name, "" | "°") { "" } else { " " };
    let length = |x: f64, rounded: fn(f64) -> String| format!("{}{gap}{unit_name}", rounded(x / unit));
    let (errors, share) = (explained(pooled), format!("{:.0}", 100.0 * over.i_squared));
    let mut words = Words::default();
    words.say("distances from the mean over sites");
    words.explain(Sample::Dot(of_mean), "the mean over sites");
    words.say(format!("within {}, ≈ 95 %", length(over.region.radius, label_up)));
    words.explain(Sample::Dot(of_weighted), "the weighted mean of these sites");
    words.explain(Sample::Dot(of_site), "a site");
    words.explain(Sample::Line(rows::interval(of_site)), format!("≈ 95 % for {errors}"));
    words.say(format!("sites differ by {}, root mean square", length(over.between_sites, label)));
    words.say(format!("I² = {share} %: not explained by {errors}"));
    words.left_out(rows.len());

    let title = format!("{} of {} sites on {}", pooled.statistic.description().noun, names.len(), pooled.manifold);
    let about = if pooled.adjacency == Adjacency::AddRemove { "about " } else { "" };
    let mut page = frame::titled(title, format!("{about}{:.0} {}s", pooled.n, pooled.unit));
    page.panels.extend(rows::panels(&rows));
    frame::add_words(&mut page, words, false);
    Ok(page)
}

/// The errors of a site that are known.
fn explained(pooled: &PooledMean) -> &'static str {
    match pooled.spread_source {
        SpreadSource::Given | SpreadSource::Released => "noise and sampling",
        SpreadSource::Unknown => "noise",
    }
}
