//! Choice of the layout that a table's columns have. The layouts are the spaces' own ([`Manifold::layouts`]).

use crate::error::{Error, Result};
use crate::options::columns::Selection;
use crate::printable::printable;
use karcher::manifold::{FAMILIES, Layout, Shape, Verdict, Wording};
use karcher::{Manifold, Space};

/// The layout of a name, or without one that of the space's own numbers.
///
/// ```
/// let sphere = karcher::manifold::Sphere::new(2)?;
/// assert_eq!(karcher_io::layout(&sphere, Some("latlon"))?.numbers(), 2);
/// let error = karcher_io::layout(&sphere, Some("full")).unwrap_err();
/// assert!(error.to_string().contains("does not fit sphere:2: expected vectors, latlon, latlon-radians, "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::LayoutMismatch`] for a layout of other spaces, [`Error::UnknownLayout`] for a name of no layout.
pub fn layout(manifold: &dyn Manifold, name: Option<&str>) -> Result<Layout> {
    let layouts = manifold.layouts();
    let found = match name {
        Some(name) => layouts.iter().find(|layout| layout.name() == name.trim()),
        None => layouts.first(),
    };
    let names = || layouts.iter().map(Layout::name).collect::<Vec<_>>().join(", ");
    match (found, name) {
        (Some(layout), _) => Ok(layout.clone()),
        (None, None) => Ok(Layout::plain("vectors", manifold.point_len())),
        (None, Some(name)) if layout_names().iter().any(|known| known == name.trim()) => Err(Error::LayoutMismatch {
            layout: name.trim().to_owned(),
            space: manifold.space().clone(),
            expected: names(),
        }),
        (None, Some(name)) => Err(Error::UnknownLayout { name: name.to_owned(), expected: names() }),
    }
}

/// The names of the layouts of all families of spaces.
///
/// ```
/// assert!(karcher_io::layout_names().iter().any(|name| name == "poincare"));
/// ```
pub fn layout_names() -> Vec<String> {
    let examples = FAMILIES.iter().flat_map(|family| family.examples);
    let spaces = examples.filter_map(|name| name.parse::<Space>().ok()?.manifold().ok());
    let mut names = vec![];
    for layout in spaces.flat_map(|space| space.layouts()) {
        if !names.iter().any(|name| name == layout.name()) {
            names.push(layout.name().to_owned());
        }
    }
    names
}

/// Whether a record in a layout may be complex numbers, whose real and imaginary parts are its numbers one after the
/// other.
///
/// ```
/// use karcher::manifold::{HpdLogEuclidean, SpdLogEuclidean};
/// let (complex, real) = (HpdLogEuclidean::new(2)?, SpdLogEuclidean::new(2)?);
/// assert!(karcher_io::takes_complex(&complex, &karcher_io::layout(&complex, None)?));
/// assert!(!karcher_io::takes_complex(&complex, &karcher_io::layout(&complex, Some("upper-row"))?));
/// assert!(!karcher_io::takes_complex(&real, &karcher_io::layout(&real, None)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn takes_complex(manifold: &dyn Manifold, layout: &Layout) -> bool {
    layout.is_plain() && matches!(manifold.shape(), Shape::HermitianPositiveDefinite(_))
}

/// Whether records that differ in scale alone are one point in a layout, as shapes are.
///
/// ```
/// use karcher::manifold::{Kendall, SizeAndShape};
/// let (shapes, sizes) = (Kendall::new(4)?, SizeAndShape::new(4, 2)?);
/// assert!(karcher_io::is_free_of_scale(&karcher_io::layout(&shapes, None)?));
/// assert!(!karcher_io::is_free_of_scale(&karcher_io::layout(&sizes, None)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_free_of_scale(layout: &Layout) -> bool {
    let record =
        |scale: f64| (0..layout.numbers()).map(move |i| scale * (1 + i * i % 7 + i) as f64).collect::<Vec<_>>();
    let (once, twice) = (layout.read(&record(1.0)), layout.read(&record(2.0)));
    matches!((once, twice), (Ok(a), Ok(b)) if a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9))
}

/// The public properties of a table: its source, the number and names of its columns, and the axes of an array. The
/// first axis counts the records.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) source: &'a str,
    pub(crate) columns: usize,
    pub(crate) names: Option<&'a [String]>,
    /// The same with what metadata say of them, if they say more.
    pub(crate) described: Option<&'a [String]>,
    /// The names of all columns of the file, or none.
    pub(crate) all: &'a [String],
    /// The names of the numbers of an array, which has no columns.
    pub(crate) places: Option<&'a [String]>,
    pub(crate) axes: &'a [u64],
}

/// Refuses columns whose names, or arrays whose axes, say that they hold something else than the layout, and records of
/// another length. All of this is public and known before any record is read. Columns whose `factors` are not 1 may say
/// any unit.
///
/// # Errors
/// [`Error::ColumnsSayOtherwise`], [`Error::ShapeSaysOtherwise`], [`Error::WrongColumns`].
pub(crate) fn check_layout(manifold: &dyn Manifold, layout: &Layout, about: About<'_>, factors: &[f64]) -> Result<()> {
    let multiplied = (0..factors.len()).filter(|&i| factors[i] != 1.0).collect();
    let layouts = manifold.layouts();
    let of_table = layout.clone().in_any_unit(multiplied).among(about.all.to_vec());
    for said in [about.names.or(about.places), about.described].into_iter().flatten() {
        if let Verdict::Contradiction(found) = of_table.check_names(&layouts, said) {
            let advice = match about.names.or(about.described) {
                Some(names) => found.advice(about.names.unwrap_or(names), &Options),
                None => found.advice(&numbers_of(said), &Numbers),
            };
            let layout = layout.name().to_owned();
            return Err(Error::ColumnsSayOtherwise { names: said.to_vec(), layout, takes: found.takes, advice });
        }
    }
    check_len(manifold, layout, about)?;
    let Some(axes) = about.axes.iter().skip(1).map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<usize>>>() else {
        return Ok(());
    };
    let numbers = axes.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
    match layout.check_array(&layouts, &axes) {
        Verdict::Contradiction(found) if numbers == Some(layout.numbers()) => {
            let (advice, layout) = (found.advice(&[] as &[&str], &Options), layout.name().to_owned());
            Err(Error::ShapeSaysOtherwise { file: about.source.to_owned(), layout, takes: found.takes, advice })
        }
        _ => Ok(()),
    }
}

/// The words of the command.
struct Options;

impl Wording for Options {
    fn layout(&self, name: &str) -> String {
        format!("--layout {name}")
    }

    fn columns(&self, names: &[&str]) -> String {
        const SHOWN: usize = 24;
        match names.len() <= SHOWN && names.iter().all(can_be_chosen) {
            true => format!("--columns {}", printable(&names.join(","))),
            false => "--columns in the order that it takes".to_owned(), // their names choose something else
        }
    }

    fn factors(&self, factors: &[(Option<&str>, f64)]) -> String {
        let option = |(name, factor): &(Option<&str>, f64)| match name {
            Some(name) => format!("--multiply-by {}={factor}", printable(name)),
            None => format!("--multiply-by {factor}"),
        };
        factors.iter().map(option).collect::<Vec<_>>().join(" ")
    }

    fn and(&self) -> &'static str {
        " "
    }

    fn shown(&self, name: &str) -> String {
        printable(name).into_owned()
    }
}

/// The words of the command about an array, whose columns are chosen by their numbers.
struct Numbers;

impl Wording for Numbers {
    fn layout(&self, name: &str) -> String {
        Options.layout(name)
    }

    fn columns(&self, numbers: &[&str]) -> String {
        format!("--columns {}", numbers.join(","))
    }

    fn factors(&self, factors: &[(Option<&str>, f64)]) -> String {
        Options.factors(factors)
    }

    fn and(&self) -> &'static str {
        Options.and()
    }

    fn shown(&self, name: &str) -> String {
        Options.shown(name)
    }
}

/// The columns of an array from 1, of names that end in places from 0: 2 of `lonlat[1]`.
fn numbers_of(names: &[String]) -> Vec<String> {
    let place = |name: &String| name.rsplit_once('[')?.1.strip_suffix(']')?.parse::<usize>().ok();
    names.iter().map(|name| place(name).map_or_else(|| name.clone(), |place| (place + 1).to_string())).collect()
}

/// Whether a name in `--columns` chooses the column of that name.
fn can_be_chosen(name: &impl AsRef<str>) -> bool {
    let one = Selection::parse(name.as_ref()).ok();
    one.is_some_and(|one| one.len() == Some(1) && one.first_name() == Some(name.as_ref()))
}

/// [`check_record_len`] of a table, where a column too many may be an index, or an axis of space.
pub(crate) fn check_len(manifold: &dyn Manifold, layout: &Layout, about: About<'_>) -> Result<()> {
    let checked = check_record_len(manifold, layout, about.columns);
    if let (Err(Error::WrongColumns { space, layout: name, expected, found, advice: usual }), [records, rest @ ..]) =
        (&checked, about.axes)
        && !rest.is_empty()
        && *records > 0
    {
        let shape = about.axes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let mut advice = format!(
            "the array in {} has the shape ({shape}), and the first axis counts the records",
            printable(about.source)
        );
        let numbers = |axes: &[u64]| axes.iter().product::<u64>() == *expected as u64;
        match rest.split_last() {
            Some((3, [_])) if matches!(manifold.shape(), Shape::Landmarks(_)) => {
                advice += ": landmarks of shapes are in the plane, so write two of their coordinates, X[:, :, :2], or \
                           take landmarks:K,3";
            }
            _ if numbers(about.axes) => advice += &format!(": one record is an array of the shape (1, {shape})"),
            Some((_, before)) if numbers(&[&[*records], before].concat()) => {
                advice += ": if the last one does here, write numpy.moveaxis(X, -1, 0)";
            }
            _ => advice += &format!("; {usual}"),
        }
        return Err(Error::WrongColumns {
            space: space.clone(),
            layout: name.clone(),
            expected: *expected,
            found: *found,
            advice,
        });
    }
    let among = about.names.and_then(|names| {
        let found = layout.find_in(names)?.into_iter().map(|i| names[i].as_str()).collect::<Vec<_>>();
        Some(format!("give {}", Options.columns(&found)))
    });
    match (checked, about.names) {
        (Err(Error::WrongColumns { space, layout, expected, found, .. }), _) if among.is_some() => {
            let advice = among.unwrap_or_default();
            Err(Error::WrongColumns { space, layout, expected, found, advice })
        }
        (Err(Error::WrongColumns { space, layout, expected, found, .. }), Some([index, names @ ..]))
            if index.is_empty() && expected == names.len() =>
        {
            let choice = match names.len() <= 9 && names.iter().all(can_be_chosen) {
                true => format!("--columns {}", printable(&names.join(","))),
                false => "the others with --columns".to_owned(), // their names choose something else
            };
            let advice = format!(
                "the first column has no name and may be an index, as pandas writes it without index=False: give \
                 {choice}"
            );
            Err(Error::WrongColumns { space, layout, expected, found, advice })
        }
        (checked, _) => checked,
    }
}

/// Refuses records of `found` numbers for a layout of another length.
///
/// # Errors
/// [`Error::WrongColumns`], with the layouts of the space that would fit.
pub(crate) fn check_record_len(manifold: &dyn Manifold, layout: &Layout, found: usize) -> Result<()> {
    if layout.numbers() == found {
        return Ok(());
    }
    let layouts = manifold.layouts();
    let fitting: Vec<&str> = layouts.iter().filter(|fit| fit.numbers() == found).map(Layout::name).collect();
    let advice = match fitting.split_last() {
        None => "choose columns with --columns or another size of the space".to_owned(),
        Some((last, [])) => format!("{found} numbers would be --layout {last}"),
        Some((last, others)) => format!("{found} numbers would be --layout {} or {last}", others.join(", ")),
    };
    Err(Error::WrongColumns {
        space: manifold.space().clone(),
        layout: layout.name().to_owned(),
        expected: layout.numbers(),
        found,
        advice,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use std::sync::Arc;

    fn space(name: &str) -> Arc<dyn Manifold> {
        name.parse::<Space>().unwrap().manifold().unwrap()
    }

    #[test]
    fn the_examples_of_a_family_have_the_layouts_of_every_size() {
        let names = layout_names();
        for family in FAMILIES {
            for size in 1..9 {
                let Ok(space) = format!("{}:{size}", family.name).parse::<Space>() else { continue };
                for layout in space.manifold().unwrap().layouts() {
                    assert!(names.iter().any(|name| name == layout.name()), "{space}: {layout:?}");
                }
            }
        }
        assert!(names.join(" ").starts_with(
            "vectors latlon latlon-radians ra-dec declination-inclination elevation-azimuth \
             colatitude-longitude colatitude-longitude-radians degrees radians poincare klein full upper-row"
        ));
    }

    #[test]
    fn layouts_have_names_and_what_is_none_is_said_to_be_none() {
        for name in ["sphere:1", "sphere:2", "hyperbolic:3", "spd-log-euclidean:3", "kendall:4", "euclidean:2"] {
            let space = space(name);
            for known in space.layouts() {
                assert_eq!(layout(&space, Some(known.name())).unwrap().numbers(), known.numbers());
            }
            assert_eq!(layout(&space, None).unwrap().numbers(), space.point_len());
        }
        let error = layout(&space("spd-log-euclidean:3"), Some("upper")).unwrap_err().to_string();
        assert!(error.starts_with("unknown layout `upper`: expected full, upper-row, upper-column, "), "{error}");
    }

    #[test]
    fn layout_of_another_space_is_refused() {
        let error = layout(&space("sphere:3"), Some("latlon")).unwrap_err().to_string();
        assert_eq!(error, "--layout latlon does not fit sphere:3: expected vectors");
    }

    #[test]
    fn wrong_number_of_columns_says_which_layouts_fit() {
        let check = |name: &str, in_layout: &str, found| {
            let space = space(name);
            let layout = layout(&space, Some(in_layout)).unwrap();
            check_record_len(&space, &layout, found).unwrap_err().to_string()
        };
        assert_eq!(
            check("spd-log-euclidean:3", "full", 6),
            "spd-log-euclidean:3 with --layout full needs 9 numbers a record, found 6; \
             6 numbers would be --layout upper-row, upper-column or diagonal-first"
        );
        let error = check("sphere:2", "vectors", 2);
        assert!(error.contains("; 2 numbers would be --layout latlon, latlon-radians, ra-dec, "), "{error}");
        let error = check("sphere:2", "vectors", 7);
        assert!(error.ends_with("; choose columns with --columns or another size of the space"), "{error}");
    }

    fn about<'a>(source: &'a str, columns: usize, names: Option<&'a [String]>) -> About<'a> {
        About { source, columns, names, described: None, all: &[], places: None, axes: &[] }
    }

    fn check(name: &str, in_layout: &str, names: &[&str], axes: &[u64]) -> Result<()> {
        let space = space(name);
        let layout = layout(&space, Some(in_layout)).unwrap();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let names = Some(&names[..]).filter(|names| !names.is_empty());
        let columns = names.map_or(layout.numbers(), <[String]>::len);
        check_layout(&space, &layout, About { axes, ..about("a.npy", columns, names) }, &[])
    }

    #[test]
    fn names_that_say_otherwise_are_refused_with_the_options_that_are_right() {
        for (space, layout, names, sentence) in [
            (
                "sphere:2",
                "latlon",
                &["lng", "lat"][..],
                "the columns lng, lat contradict --layout latlon, which takes latitude, longitude in degrees: give \
                 --columns lat,lng, or --trust-layout if the names are wrong",
            ),
            (
                "rotations:3",
                "quaternions",
                &["qx", "qy", "qz", "qw"],
                "the columns qx, qy, qz, qw contradict --layout quaternions, which takes w, x, y, z: give --layout \
                 quaternions-last, or --trust-layout if the names are wrong",
            ),
            (
                "projective:2",
                "trend-plunge",
                &["dip", "azimuth"],
                "the columns dip, azimuth contradict --layout trend-plunge, which takes trend, plunge in degrees: give \
                 --layout dip-direction-dip --columns azimuth,dip, or --trust-layout if the names are wrong",
            ),
            (
                "sphere:2",
                "latlon",
                &["lon, x", "lat, y"],
                "the columns lon, x, lat, y contradict --layout latlon, which takes latitude, longitude in degrees: \
                 give --columns in the order that it takes, or --trust-layout if the names are wrong",
            ),
            (
                "kendall:3",
                "interleaved",
                &["x1", "y1", "z1", "x2", "y2", "z2"],
                "the columns x1, y1, z1, x2, y2, z2 contradict --layout interleaved, which takes x1, y1, x2, y2, …: \
                 choose two coordinates of each landmark: shapes are of the plane; or take landmarks:K,3, or \
                 --trust-layout if the names are wrong",
            ),
        ] {
            assert_eq!(check(space, layout, names, &[]).unwrap_err().to_string(), sentence);
        }
        for names in [&["latitude", "longitude"][..], &["a", "b"], &["grade", "radius"], &[]] {
            assert_eq!(check("sphere:2", "latlon", names, &[]), Ok(()), "{names:?}");
        }
    }

    #[test]
    fn columns_too_many_are_refused_with_those_that_are_right() {
        let error = check("sphere:2", "latlon", &["time", "lon", "lat", "speed"], &[]).unwrap_err().to_string();
        assert!(error.ends_with("needs 2 numbers a record, found 4; give --columns lat,lon"), "{error}");
        let error = check("sphere:2", "latlon", &["time", "lon", "speed"], &[]).unwrap_err().to_string();
        assert!(error.ends_with("3 numbers would be --layout vectors"), "{error}");
        let space = space("kendall:8");
        let about = About { axes: &[40, 8, 3], ..about("a.npy", 24, None) };
        let error = check_len(&space, &layout(&space, None).unwrap(), about).unwrap_err().to_string();
        assert!(error.contains("write two of their coordinates, X[:, :, :2]"), "{error}");
    }

    #[test]
    fn axes_that_say_otherwise_are_refused_with_the_layout_that_is_right() {
        assert_eq!(
            check("kendall:12", "interleaved", &[], &[40, 2, 12]).unwrap_err().to_string(),
            "a.npy contradicts --layout interleaved, which takes arrays of shape (n, 12, 2) and not (n, 2, 12): give \
             --layout blocked, or --trust-layout if that is how its numbers are arranged"
        );
        let error = check("kendall:12", "interleaved", &[], &[40, 8, 3]).unwrap_err().to_string();
        assert!(error.contains("not (n, 8, 3): choose the size of the space"), "{error}");
        assert_eq!(check("kendall:12", "interleaved", &[], &[40, 12, 2]), Ok(()));
        assert_eq!(check("kendall:12", "interleaved", &[], &[40, 24]), Ok(()));
    }

    #[test]
    fn an_array_of_another_shape_is_told_by_its_shape_and_its_file() {
        let spd = space("spd-log-euclidean:3");
        let layout = layout(&*spd, None).unwrap();
        let of = |axes: &[u64]| {
            let numbers: u64 = axes.iter().product();
            let columns = (numbers / axes[0]) as usize;
            let table = Table::new("d.npy", columns, vec![1.0; numbers as usize]).unwrap();
            let table = Table { axes: axes.to_vec(), ..table };
            check_len(&*spd, &layout, table.about()).unwrap_err().to_string()
        };
        for (axes, shape, advice) in [
            (&[3, 3][..], "(3, 3)", "one record is an array of the shape (1, 3, 3)"),
            (&[3, 3, 20], "(3, 3, 20)", "numpy.moveaxis(X, -1, 0)"),
            (&[20, 5], "(20, 5)", "another size of the space"),
            (&[20, 6], "(20, 6)", "6 numbers would be --layout upper-row"),
        ] {
            let sentence = of(axes);
            assert!(sentence.contains("d.npy") && sentence.contains("the first axis counts the records"), "{sentence}");
            assert!(sentence.contains(shape) && sentence.contains(advice), "{sentence}");
        }
    }
}
