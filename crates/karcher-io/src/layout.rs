//! Which layout the columns of a table have. The layouts are the spaces' own ([`Manifold::layouts`]).

use crate::columns::Selection;
use crate::error::{Error, Result};
use crate::printable::printable;
use crate::table::Table;
use karcher::manifold::{AngleUnit, FAMILIES, Layout};
use karcher::{Manifold, Space};

/// The layout of a name, or without one that of the space's own numbers.
///
/// ```
/// let sphere = karcher::manifold::Sphere::new(2)?;
/// assert_eq!(karcher_io::layout(&sphere, Some("latlon"))?.numbers(), 2);
/// let error = karcher_io::layout(&sphere, Some("full")).unwrap_err();
/// assert!(error.to_string().ends_with("does not fit sphere:2: expected vectors, latlon, latlon-radians"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::LayoutMismatch`] for a layout of other spaces, [`Error::UnknownLayout`] for a name that is none's.
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

/// What people call the columns of coordinates that have names.
const ALSO_CALLED: [(&str, &[&str]); 2] =
    [("latitude", &["lat", "latitude", "plat"]), ("longitude", &["lon", "lng", "long", "longitude", "plon", "plong"])];

/// Whether one of the words in a column's name is one of those.
fn has(name: &str, wanted: &[&str]) -> bool {
    let lower = name.to_lowercase();
    lower.split(|c: char| !c.is_alphabetic()).any(|word| wanted.contains(&word))
}

/// Whether a column's name says that it holds the coordinate.
fn is_called(name: &str, coordinate: &str) -> bool {
    let names = ALSO_CALLED.iter().find(|(known, _)| *known == coordinate).map(|(_, names)| *names);
    names.map_or_else(|| has(name, &[coordinate]), |names| has(name, names))
}

/// What people call a unit.
fn unit_names(unit: AngleUnit) -> &'static [&'static str] {
    match unit {
        AngleUnit::Degrees => &["deg", "degs", "degree", "degrees"],
        AngleUnit::Radians => &["rad", "rads", "radian", "radians"],
    }
}

/// Refuses columns whose names say that they hold something else than the layout: longitude before latitude, radians
/// for degrees. The order of the columns and their units are public, so that this is known before any record is looked
/// at.
///
/// # Errors
/// [`Error::ColumnsSayOtherwise`].
pub(crate) fn check_names(manifold: &dyn Manifold, layout: &Layout, names: &[String]) -> Result<()> {
    let otherwise = |advice: String| {
        let names = [0, 1].map(|i| names.get(i).cloned().unwrap_or_default());
        Err(Error::ColumnsSayOtherwise { names, layout: layout.name().to_owned(), advice })
    };
    if let Some(unit) = layout.angle_unit() {
        let (word, other) = match unit {
            AngleUnit::Degrees => ("degrees", AngleUnit::Radians),
            AngleUnit::Radians => ("radians", AngleUnit::Degrees),
        };
        if names.iter().any(|name| has(name, unit_names(other))) {
            let in_other = manifold
                .layouts()
                .into_iter()
                .find(|fitting| fitting.angle_unit() == Some(other) && fitting.column_names() == layout.column_names());
            let give = in_other.map_or_else(String::new, |fitting| format!("give --layout {}, or ", fitting.name()));
            return otherwise(format!("it takes {word}; {give}rename them if their names are wrong"));
        }
    }
    if let ([first, second], [one, other]) = (names, layout.column_names()) {
        let says_only = |name, this, that| is_called(name, this) && !is_called(name, that);
        if says_only(first, other, one) && says_only(second, one, other) {
            return otherwise(format!(
                "it takes the {one} first; give --columns {},{}",
                printable(second),
                printable(first)
            ));
        }
    }
    Ok(())
}

/// [`check_record_len`] of a table, where a column too many may be an index.
pub(crate) fn check_columns(manifold: &dyn Manifold, layout: &Layout, table: &Table) -> Result<()> {
    let checked = check_record_len(manifold, layout, table.columns);
    if let (Err(Error::WrongColumns { space, layout: name, expected, found, advice: usual }), [records, rest @ ..]) =
        (&checked, &table.axes[..])
        && !rest.is_empty()
    {
        let shape = table.axes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let mut advice = format!(
            "the array in {} has the shape ({shape}), and the first axis counts the records",
            printable(&table.source)
        );
        let numbers = |axes: &[u64]| axes.iter().product::<u64>() == *expected as u64;
        match rest.split_last() {
            _ if numbers(&table.axes) => advice += &format!(": one record is an array of the shape (1, {shape})"),
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
    match (checked, table.names.as_deref()) {
        (Err(Error::WrongColumns { space, layout, expected, found, .. }), Some([index, names @ ..]))
            if index.is_empty() && expected == names.len() =>
        {
            let can_be_chosen = |name: &String| {
                let one = Selection::parse(name).ok();
                one.is_some_and(|one| one.len() == Some(1) && one.first_name() == Some(name))
            };
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
        assert!(
            names.join(" ").starts_with("vectors latlon latlon-radians degrees radians poincare klein full upper-row")
        );
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
        assert!(error.ends_with("; 2 numbers would be --layout latlon or latlon-radians"), "{error}");
        let error = check("sphere:2", "vectors", 7);
        assert!(error.ends_with("; choose columns with --columns or another size of the space"), "{error}");
    }

    #[test]
    fn names_that_say_otherwise_are_refused() {
        let check = |name: &str, in_layout: &str, names: &[&str]| {
            let space = space(name);
            let layout = layout(&space, Some(in_layout)).unwrap();
            check_names(&space, &layout, &names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        };
        for (layout, names) in [
            ("latlon", ["longitude", "latitude"]),
            ("latlon", ["LNG", "Lat."]),
            ("latlon-radians", ["pos_lon", "pos_lat"]),
            ("latlon", ["lat_rad", "lon_rad"]),
            ("latlon-radians", ["lat (deg)", "lon (deg)"]),
        ] {
            let refused = check("sphere:2", layout, &names);
            assert!(matches!(refused, Err(Error::ColumnsSayOtherwise { .. })), "{names:?}");
        }
        for (layout, names) in [
            ("latlon", ["latitude", "longitude"]),
            ("latlon", ["a", "b"]),
            ("latlon", ["latitude", "latitude"]),
            ("latlon", ["grade", "radius"]),
            ("latlon-radians", ["lat_rad", "lon_rad"]),
            ("vectors", ["longitude", "latitude_rad"]),
        ] {
            assert_eq!(check("sphere:2", layout, &names), Ok(()), "{names:?}");
        }
        let error = check("sphere:1", "degrees", &["phase_rad"]).unwrap_err().to_string();
        assert!(error.contains("it takes degrees; give --layout radians"), "{error}");
        let error = check("sphere:2", "latlon", &["lng", "lat"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the columns lng, lat are not what --layout latlon takes: it takes the latitude first; give --columns \
             lat,lng"
        );
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
            check_columns(&*spd, &layout, &table).unwrap_err().to_string()
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
