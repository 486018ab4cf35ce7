//! Spaces for the records of a file, by the names of its columns or the shape of its array alone.

use super::layout::{Layout, Verdict};
use super::{FAMILIES, Manifold};
use crate::space::Space;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A space that the names of columns, or the shape of an array, suggest.
#[derive(Clone)]
#[non_exhaustive]
pub struct Proposal {
    /// The space.
    pub manifold: Arc<dyn Manifold>,
    /// The layout of a record.
    pub layout: Layout,
    /// The columns of a record, by their places from 0, unless they are all columns in their order.
    pub columns: Option<Vec<usize>>,
    /// Whether names or the shape say the layout. Else only the number of columns fits.
    pub is_named: bool,
}

impl Proposal {
    /// What the space is for, in words.
    pub fn about(&self) -> &'static str {
        about(&*self.manifold)
    }

    /// Whether both take a column of a table of so many columns.
    fn shares_columns(&self, other: &Self, all: usize) -> bool {
        let own = |one: &Self| one.columns.clone().unwrap_or_else(|| (0..all).collect());
        let (own, others) = (own(self), own(other));
        own.iter().any(|column| others.contains(column))
    }
}

/// The kind of points of a space, in words: those of its family.
///
/// ```
/// let sphere = karcher_geometry::manifold::Sphere::new(2)?;
/// assert!(karcher_geometry::manifold::about(&sphere).contains("directions"));
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub fn about(manifold: &dyn Manifold) -> &'static str {
    let name = manifold.space().as_str();
    let is_single = !name.contains(['*', '^']);
    let family = FAMILIES.iter().find(|family| is_single && name.split(':').next() == Some(family.name));
    family.map_or("points of several spaces", |family| family.about)
}

/// The most proposals.
const SHOWN: usize = 8;
/// The most columns of tables in which every run of columns is looked at.
const MOST_COLUMNS: usize = 64;
/// The largest size of spaces whose layouts have names of their own, which are looked for among many columns.
const NAMED: usize = 8;

/// The spaces that the names of the columns, or the axes of an array, agree with, the best first. If there are none, a
/// space of each family whose records have as many numbers. The first axis counts the records.
///
/// ```
/// use karcher_geometry::manifold::proposals;
/// let names = ["city", "latitude", "longitude"].map(str::to_owned);
/// let first = &proposals(&names, 3, &[])[0];
/// assert_eq!((first.manifold.space().as_str(), first.layout.name()), ("sphere:2", "latlon"));
/// assert_eq!(first.columns, Some(vec![1, 2]));
/// ```
pub fn proposals(names: &[String], numbers: usize, axes: &[usize]) -> Vec<Proposal> {
    let record = axes.get(1..).unwrap_or_default();
    let run = longest_run(names).unwrap_or(0..numbers);
    let (mut agreeing, mut possible): (Vec<(Proposal, Fit)>, Vec<Proposal>) = (vec![], vec![]);
    for manifold in spaces(&[numbers, run.len()], record) {
        let layouts = manifold.layouts();
        let proposal = |layout: &Layout, columns: Vec<usize>, is_named| Proposal {
            manifold: manifold.clone(),
            layout: layout.clone(),
            columns: (!columns.iter().copied().eq(0..numbers)).then_some(columns),
            is_named,
        };
        for layout in &layouts {
            for (columns, by_words) in named(layout, &layouts, names, &run) {
                let fit = Fit::of(layout, &columns, names, by_words);
                let new = proposal(layout, columns, true);
                let is_same = |known: &Proposal| {
                    known.manifold.space() == manifold.space() && known.shares_columns(&new, numbers)
                };
                match agreeing.iter_mut().find(|(known, _)| is_same(known)) {
                    Some(known) if known.1 < fit => *known = (new, fit),
                    Some(_) => {}
                    None => agreeing.push((new, fit)),
                }
            }
            if record.len() > 1 && layout.check_array(&layouts, record) == Verdict::Agreement {
                agreeing.push((proposal(layout, (0..numbers).collect(), true), Fit::default()));
            }
        }
        let fits = |numbers: usize| layouts.iter().find(|layout| layout.numbers() == numbers && record.len() < 2);
        let is_new = possible.iter().all(|one: &Proposal| one.about() != about(&*manifold));
        if let Some(layout) = fits(run.len()).filter(|_| is_new) {
            possible.push(proposal(layout, run.clone().collect(), false));
        }
    }
    let is_vague = agreeing.iter().all(|(_, fit)| !fit.by_words && fit.columns < 4 && record.len() < 2);
    agreeing.sort_by_key(|(_, fit)| Reverse(*fit)); // stable: equals stay in the order of the families
    let mut best: Vec<Proposal> = vec![];
    for (proposal, _) in agreeing {
        // some of the landmarks of a shape are no shape
        let is_part = |known: &Proposal| known.about() == proposal.about() && known.shares_columns(&proposal, numbers);
        if !best.iter().any(is_part) {
            best.push(proposal);
        }
    }
    best.truncate(SHOWN);
    if let Some(hinted) = hinted(names.get(run.clone()).unwrap_or_default()) {
        possible.sort_by_key(|one| one.manifold.space().as_str().split(':').next() != Some(hinted));
    }
    // x and y may be anything
    let is_sure = best.first().is_some_and(|best| best.is_named) && !is_vague;
    if !is_sure {
        let is_new = |one: &Proposal| !best.iter().any(|known| known.about() == one.about());
        let more: Vec<Proposal> = possible.into_iter().filter(is_new).collect();
        best.extend(more);
    }
    best
}

/// Words that hint at a family of spaces, though at no layout.
const HINTS: [(&str, &[&str]); 4] = [
    ("torus", &["angle", "phi", "psi", "chi", "theta", "omega", "torsion", "dihedral", "phase", "heading", "bearing"]),
    ("simplex-aitchison", &["percent", "pct", "share", "fraction", "proportion", "wt", "ppm"]),
    ("correlation-off-log", &["corr", "correlation", "connectivity", "fnc", "fc"]),
    ("spd-log-euclidean", &["cov", "covariance", "tensor"]),
];

/// The family that most of the names hint at.
fn hinted(names: &[String]) -> Option<&'static str> {
    let says = |name: &String, words: &[&str]| {
        let name = name.to_lowercase().replace('%', " percent ");
        name.split(|c: char| !c.is_alphabetic()).any(|part| words.contains(&part))
    };
    let is_hint = |words: &[&str]| 2 * names.iter().filter(|name| says(name, words)).count() > names.len();
    HINTS.iter().find(|(_, words)| is_hint(words)).map(|(family, _)| *family)
}

/// How well a layout fits the names of some columns.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Whether the names are words: symbols say less.
    by_words: bool,
    /// The columns that it takes.
    columns: usize,
    /// Those whose names are in its own.
    in_name: usize,
    /// Whether they stand in its order.
    in_order: bool,
}

impl Fit {
    fn of(layout: &Layout, columns: &[usize], names: &[String], by_words: bool) -> Self {
        let in_name = |&&column: &&usize| layout.name().contains(&names[column].to_lowercase());
        let in_name = columns.iter().filter(in_name).count();
        Self { by_words, columns: columns.len(), in_name, in_order: columns.is_sorted() }
    }
}

/// The spaces whose records may have so many numbers, or these axes.
fn spaces<'a>(numbers: &'a [usize], record: &'a [usize]) -> impl Iterator<Item = Arc<dyn Manifold>> {
    let most = numbers.iter().copied().max().unwrap_or(0);
    // beyond them only those that fit the number of columns or the axes
    let small = if most > MOST_COLUMNS { NAMED } else { most };
    let mut sizes: BTreeSet<usize> = (1..=small).collect();
    for &n in numbers.iter().chain(record) {
        sizes.extend([n, n.saturating_sub(1), n.isqrt(), (n / 2).isqrt(), (2 * n).isqrt(), (2 * n).isqrt() + 1, n / 2]);
    }
    let mut pairs: BTreeSet<(usize, usize)> = numbers.iter().flat_map(|n| [(n / 2, 2), (n / 3, 3)]).collect();
    if let [first, second] = *record {
        pairs.extend([(first, second), (second, first)]);
    }
    FAMILIES.iter().flat_map(move |family| {
        let one = sizes.iter().map(|size| format!("{}:{size}", family.name));
        let two = pairs.iter().map(|(first, second)| format!("{}:{first},{second}", family.name));
        let sized: Vec<String> = match family.size {
            "K,D" | "N,K" => two.collect(),
            _ => one.collect(),
        };
        let fresh = sized.into_iter().filter(|name| !family.examples.contains(&name.as_str()));
        let names = family.examples.iter().map(|&name| name.to_owned()).chain(fresh);
        let found = names.filter_map(|name| name.parse::<Space>().ok()?.manifold().ok());
        // layouts of matrices are long lists
        found.filter(move |manifold| manifold.point_len() <= 4 * most + 4).collect::<Vec<_>>()
    })
}

/// The columns that are the numbers of a layout by their names, and whether by words.
fn named(layout: &Layout, layouts: &[Layout], names: &[String], run: &Range<usize>) -> Vec<(Vec<usize>, bool)> {
    let length = layout.numbers();
    if !layout.knows_names() || names.is_empty() || length > names.len() {
        return vec![];
    }
    let of = |columns: &[usize]| columns.iter().map(|&i| names[i].as_str()).collect::<Vec<_>>();
    let agree = |columns: &[usize]| layout.check_names(layouts, &of(columns)) == Verdict::Agreement;
    if length == names.len() {
        let ordered = match layout.check_names(layouts, names) {
            Verdict::Agreement => Some((0..length).collect()),
            Verdict::Contradiction(found) => found.order.filter(|order| found.layout.is_none() && agree(order)),
            Verdict::Silence => None,
        };
        return ordered.into_iter().map(|columns| (columns, layout.is_said(names))).collect();
    }
    let found = layout.find_in(names).filter(|found| agree(found));
    let mut chosen: Vec<(Vec<usize>, bool)> = found.into_iter().map(|found| (found, true)).collect();
    if length < 2 {
        return chosen;
    }
    let windows = match names.len() > MOST_COLUMNS {
        true if run.len() == length => vec![run.clone()],
        true => vec![],
        false => (0..=names.len() - length).map(|first| first..first + length).collect(),
    };
    for window in windows.into_iter().map(|window| window.collect::<Vec<_>>()) {
        let is_free = chosen.iter().all(|(known, _)| !known.iter().any(|column| window.contains(column)));
        if is_free && agree(&window) {
            chosen.push((window, false));
        }
    }
    chosen
}

/// The longest run of columns that are numbered alike, if it is one of three or more: `V1`, `V2`, …, and `x1`, …, `y1`,
/// ….
fn longest_run(names: &[String]) -> Option<Range<usize>> {
    let is_axis = |c: char| matches!(c, 'x' | 'y' | 'z');
    let kind = |name: &String| -> Option<String> {
        let is_numbered = name.contains(|c: char| c.is_ascii_digit());
        let letters = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase);
        is_numbered.then(|| letters.filter(|c| !is_axis(*c)).collect())
    };
    let kinds: Vec<Option<String>> = names.iter().map(kind).collect();
    let mut best = 0..0;
    let mut first = 0;
    for next in 1..=kinds.len() {
        if kinds.get(next).is_none_or(|kind| kind.is_none() || *kind != kinds[first]) {
            if next - first > best.len() && kinds[first].is_some() {
                best = first..next;
            }
            first = next;
        }
    }
    (best.len() > 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first proposal for a table with these columns, with the columns that it takes unless it takes all.
    fn first(columns: &str) -> String {
        let names: Vec<String> = columns.split(' ').map(str::to_owned).collect();
        let all = proposals(&names, names.len(), &[]);
        let taken = all[0].columns.iter().flatten().map(|&i| names[i].as_str()).collect::<Vec<_>>().join(",");
        format!("{} {} {taken}", all[0].manifold.space(), all[0].layout.name()).trim_end().to_owned()
    }

    #[test]
    fn the_first_proposal_is_the_one_that_the_columns_name() {
        let numbered = |letter: &str, n: usize| (1..=n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(" ");
        let outlines = format!("age gender phenotype {} {}", numbered("x", 50), numbered("y", 50));
        for (columns, proposal) in [
            ("city country latitude longitude population", "sphere:2 latlon latitude,longitude"),
            ("lon lat", "sphere:2 latlon lat,lon"),
            ("name latitude longitude x y z population", "sphere:2 latlon latitude,longitude"),
            ("participant elevation azimuth", "sphere:2 elevation-azimuth elevation,azimuth"),
            ("trend plunge", "projective:2 trend-plunge"),
            ("x y z w", "rotations:3 quaternions-last"),
            ("subject tx ty tz qx qy qz qw", "poses:3 tum tx,ty,tz,qx,qy,qz,qw"),
            ("age sex site dxx dxy dxz dyy dyz dzz", "spd-log-euclidean:3 upper-row dxx,dxy,dxz,dyy,dyz,dzz"),
            ("Dxx Dyy Dzz Dxy Dxz Dyz", "spd-log-euclidean:3 diagonal-first"),
        ] {
            assert_eq!(first(columns), proposal, "{columns}");
        }
        assert!(first(&outlines).starts_with("kendall:50 blocked x1,x2,"), "{}", first(&outlines));
    }

    /// A table may have several pairs of columns with places.
    #[test]
    fn each_pair_of_columns_is_a_proposal() {
        let names = ["LOMAGAGE", "HIMAGAGE", "SLAT", "SLONG", "ED95", "PLAT", "PLONG"].map(str::to_owned);
        let columns: Vec<_> = proposals(&names, 7, &[]).into_iter().filter_map(|one| one.columns).collect();
        assert!(columns.contains(&vec![2, 3]) && columns.contains(&vec![5, 6]), "{columns:?}");
    }

    #[test]
    fn numbered_columns_are_a_record_and_others_are_none() {
        let names: Vec<String> = ["label".to_owned()].into_iter().chain((1..=528).map(|i| format!("V{i}"))).collect();
        let all = proposals(&names, names.len(), &[]);
        assert!(all.iter().all(|one| one.columns == Some((1..529).collect())));
        assert!(all.iter().any(|one| one.manifold.space().as_str() == "spd-log-euclidean:32"));
    }

    /// Where names say no layout, their words may say the kind of numbers.
    #[test]
    fn words_hint_at_a_family() {
        assert_eq!(first("phi psi"), "torus:2 radians");
        assert_eq!(first("sand(wt%) silt(wt%) clay(wt%)"), "simplex-aitchison:3 proportions");
        assert_eq!(first("Id FNC1 FNC2 FNC3 FNC4 FNC5 FNC6").split(' ').next(), Some("correlation-off-log:4"));
        assert!(first("direction speed").starts_with("euclidean:2"));
    }

    #[test]
    fn an_array_is_proposed_by_its_shape() {
        let of = |axes: &[usize]| proposals(&[], axes[1..].iter().product(), axes)[0].manifold.space().to_string();
        assert_eq!(of(&[25, 24, 24]), "spd-log-euclidean:24");
        assert_eq!(of(&[25, 100, 100]), "spd-log-euclidean:100");
        assert_eq!(of(&[40, 12, 2]), "kendall:12");
        assert_eq!(of(&[40, 12, 3]), "landmarks:12,3");
    }

    /// Names that say nothing get a space of each family, and not only spheres.
    #[test]
    fn two_numbers_without_names_may_be_of_many_spaces() {
        let all = proposals(&[], 2, &[]);
        let spaces: Vec<String> = all.iter().map(|one| one.manifold.space().to_string()).collect();
        for space in ["euclidean:2", "sphere:2", "hyperbolic:2", "projective:2", "torus:2"] {
            assert!(spaces.iter().any(|known| known == space), "{space}: {spaces:?}");
        }
    }

    /// Thousands of columns are no reason to wait: few spaces are tried, and words are found among all names.
    #[test]
    fn of_a_wide_table_few_spaces_are_tried() {
        let mut names: Vec<String> = (0..10_000).map(|i| format!("gene_{}_{i}", i * 7919 % 10_007)).collect();
        let tried = spaces(&[names.len(), names.len()], &[]).count();
        assert!(tried < 250, "{tried}");
        let all = proposals(&names, names.len(), &[]);
        assert!(all.iter().any(|one| one.manifold.space().as_str() == "euclidean:10000"));
        (names[70], names[9_000]) = ("site_Longitude".to_owned(), "site_Latitude".to_owned());
        assert_eq!(proposals(&names, names.len(), &[])[0].columns, Some(vec![9_000, 70]));
    }
}
