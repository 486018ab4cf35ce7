//! How the numbers of a record hold a point.

use crate::columns::Selection;
use crate::error::{Error, Result};
use crate::printable::printable;
use crate::table::Table;
use karcher::Space;
use std::fmt;
use std::str::FromStr;

/// How the numbers of a record hold a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// `vectors`: the numbers of the point as they are.
    Vectors,
    /// `latlon`: latitude and longitude in degrees, on `sphere:2`.
    Latlon,
    /// `latlon-radians`: latitude and longitude in radians, on `sphere:2`.
    LatlonRadians,
    /// `degrees`: an angle in degrees, on the circle `sphere:1`.
    Degrees,
    /// `radians`: an angle in radians, on the circle `sphere:1`.
    Radians,
    /// `full`: a `K×K` matrix.
    Full,
    /// `upper-row`: the upper triangle of a symmetric matrix row by row, `a₁₁ a₁₂ … a₂₂ a₂₃ …`.
    UpperRow,
    /// `upper-column`: the upper triangle column by column, `a₁₁ a₁₂ a₂₂ a₁₃ …`.
    UpperColumn,
    /// `diagonal-first`: the diagonal, then the strict upper triangle row by row, `Dxx Dyy Dzz Dxy Dxz Dyz`.
    DiagonalFirst,
    /// `correlation-upper-row`: the strict upper triangle row by row; the diagonal is 1.
    CorrelationUpperRow,
    /// `correlation-upper-column`: the strict upper triangle column by column; the diagonal is 1.
    CorrelationUpperColumn,
    /// `interleaved`: planar landmarks `x₁ y₁ x₂ y₂ …`, not yet centered or scaled.
    Interleaved,
    /// `blocked`: planar landmarks `x₁ … x_K y₁ … y_K`, not yet centered or scaled.
    Blocked,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Layout; 13] = [
        Layout::Vectors,
        Layout::Latlon,
        Layout::LatlonRadians,
        Layout::Degrees,
        Layout::Radians,
        Layout::Full,
        Layout::UpperRow,
        Layout::UpperColumn,
        Layout::DiagonalFirst,
        Layout::CorrelationUpperRow,
        Layout::CorrelationUpperColumn,
        Layout::Interleaved,
        Layout::Blocked,
    ];

    /// The layout's name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Vectors => "vectors",
            Layout::Latlon => "latlon",
            Layout::LatlonRadians => "latlon-radians",
            Layout::Degrees => "degrees",
            Layout::Radians => "radians",
            Layout::Full => "full",
            Layout::UpperRow => "upper-row",
            Layout::UpperColumn => "upper-column",
            Layout::DiagonalFirst => "diagonal-first",
            Layout::CorrelationUpperRow => "correlation-upper-row",
            Layout::CorrelationUpperColumn => "correlation-upper-column",
            Layout::Interleaved => "interleaved",
            Layout::Blocked => "blocked",
        }
    }

    /// The layouts that fit a space, the default one first.
    pub fn of(space: Space) -> &'static [Layout] {
        match space {
            Space::Sphere(1) => &[Layout::Vectors, Layout::Degrees, Layout::Radians],
            Space::Sphere(2) => &[Layout::Vectors, Layout::Latlon, Layout::LatlonRadians],
            Space::SpdLogEuclidean(_) | Space::SpdAffineInvariant(_) => &[
                Layout::Full,
                Layout::UpperRow,
                Layout::UpperColumn,
                Layout::DiagonalFirst,
                Layout::CorrelationUpperRow,
                Layout::CorrelationUpperColumn,
            ],
            Space::Kendall(_) => &[Layout::Interleaved, Layout::Blocked],
            _ => &[Layout::Vectors],
        }
    }

    /// The layout of a space's points inside the library: `full` for matrices, `interleaved` for landmarks, else
    /// `vectors`.
    pub fn default_for(space: Space) -> Layout {
        Layout::of(space)[0] // no space is without a layout
    }

    /// Numbers in a record that holds a point of `point_len` numbers of `space`.
    ///
    /// # Errors
    /// [`Error::LayoutMismatch`] when the layout does not fit the space.
    pub fn record_len(self, space: Space, point_len: usize) -> Result<usize> {
        if !Layout::of(space).contains(&self) {
            return Err(Error::LayoutMismatch { layout: self, space });
        }
        let k = point_len.isqrt();
        Ok(match self {
            Layout::Latlon | Layout::LatlonRadians => 2,
            Layout::Degrees | Layout::Radians => 1,
            Layout::UpperRow | Layout::UpperColumn | Layout::DiagonalFirst => (point_len + k) / 2,
            Layout::CorrelationUpperRow | Layout::CorrelationUpperColumn => (point_len - k) / 2,
            Layout::Full | Layout::Vectors | Layout::Interleaved | Layout::Blocked => point_len,
        })
    }

    /// Refuses columns whose names say that they hold something else: longitude before latitude, radians for degrees.
    /// The order of the columns and their units are public, so that this is known before any record is looked at.
    ///
    /// # Errors
    /// [`Error::ColumnsSayOtherwise`].
    pub(crate) fn check_names(self, names: &[String]) -> Result<()> {
        let words = |name: &str| -> Vec<String> {
            let lower = name.to_lowercase();
            lower.split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect()
        };
        let has = |name: &str, wanted: &[&str]| words(name).iter().any(|word| wanted.contains(&word.as_str()));
        let otherwise = |advice: String| {
            let names = [0, 1].map(|i| names.get(i).cloned().unwrap_or_default());
            Err(Error::ColumnsSayOtherwise { names, layout: self, advice })
        };
        let (radians, degrees): (&[&str], &[&str]) =
            (&["rad", "rads", "radian", "radians"], &["deg", "degs", "degree", "degrees"]);
        let (unit, other) = match self {
            Layout::Latlon | Layout::Degrees => ("degrees", radians),
            Layout::LatlonRadians | Layout::Radians => ("radians", degrees),
            _ => return Ok(()),
        };
        if names.iter().any(|name| has(name, other)) {
            let fitting = match self {
                Layout::Latlon => Layout::LatlonRadians,
                Layout::LatlonRadians => Layout::Latlon,
                Layout::Degrees => Layout::Radians,
                _ => Layout::Degrees,
            };
            return otherwise(format!(
                "it takes {unit}; give --layout {fitting}, or rename them if their names are wrong"
            ));
        }
        if let [first, second] = names {
            let (latitude, longitude) =
                (["lat", "latitude", "plat"], ["lon", "lng", "long", "longitude", "plon", "plong"]);
            if has(first, &longitude) && !has(first, &latitude) && has(second, &latitude) && !has(second, &longitude) {
                return otherwise(format!(
                    "it takes the latitude first; give --columns {},{}",
                    printable(second),
                    printable(first)
                ));
            }
        }
        Ok(())
    }

    /// [`check_record_len`](Layout::check_record_len) of a table, where a column too many may be an index.
    pub(crate) fn check_columns(self, space: Space, point_len: usize, table: &Table) -> Result<()> {
        let checked = self.check_record_len(space, point_len, table.columns);
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
                    "the first column has no name and may be an index, as pandas writes it without index=False: give {choice}"
                );
                Err(Error::WrongColumns { space, layout, expected, found, advice })
            }
            (checked, _) => checked,
        }
    }

    /// [`record_len`](Layout::record_len), when records have `found` numbers.
    ///
    /// # Errors
    /// [`Error::LayoutMismatch`]; [`Error::WrongColumns`] when it is not `found`, with the layouts that would fit.
    pub(crate) fn check_record_len(self, space: Space, point_len: usize, found: usize) -> Result<()> {
        let expected = self.record_len(space, point_len)?;
        if expected == found {
            return Ok(());
        }
        let fitting: Vec<_> = Layout::of(space)
            .iter()
            .filter(|layout| layout.record_len(space, point_len) == Ok(found))
            .map(|layout| layout.name())
            .collect();
        let advice = match fitting.split_last() {
            None => "choose columns with --columns or another size of the space".to_owned(),
            Some((last, [])) => format!("{found} numbers would be --layout {last}"),
            Some((last, others)) => format!("{found} numbers would be --layout {} or {last}", others.join(", ")),
        };
        Err(Error::WrongColumns { space, layout: self, expected, found, advice })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let layout = Layout::ALL.into_iter().find(|layout| layout.name() == name.trim());
        layout.ok_or_else(|| Error::UnknownLayout { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_layouts_are_in_bijection() {
        for layout in Layout::ALL {
            assert_eq!(layout.to_string().parse(), Ok(layout));
        }
        let error = "upper".parse::<Layout>().unwrap_err().to_string();
        assert!(
            error.starts_with(
                "unknown layout `upper`: expected vectors, latlon, latlon-radians, degrees, radians, full, "
            ),
            "{error}"
        );
    }

    #[test]
    fn wrong_number_of_columns_says_which_layouts_fit() {
        let error = Layout::Full.check_record_len(Space::SpdLogEuclidean(3), 9, 6).unwrap_err().to_string();
        assert_eq!(
            error,
            "spd-log-euclidean:3 with --layout full needs 9 numbers a record, found 6; \
             6 numbers would be --layout upper-row, upper-column or diagonal-first"
        );
        let error = Layout::Vectors.check_record_len(Space::Sphere(2), 3, 2).unwrap_err().to_string();
        assert!(error.ends_with("; 2 numbers would be --layout latlon or latlon-radians"), "{error}");
        let error = Layout::Vectors.check_record_len(Space::Sphere(2), 3, 7).unwrap_err().to_string();
        assert!(error.ends_with("; choose columns with --columns or another size of the space"), "{error}");
    }

    #[test]
    fn names_that_say_otherwise_are_refused() {
        let check = |layout: Layout, names: &[&str]| {
            layout.check_names(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        };
        for (layout, names) in [
            (Layout::Latlon, ["longitude", "latitude"]),
            (Layout::Latlon, ["LNG", "Lat."]),
            (Layout::LatlonRadians, ["pos_lon", "pos_lat"]),
            (Layout::Latlon, ["lat_rad", "lon_rad"]),
            (Layout::LatlonRadians, ["lat (deg)", "lon (deg)"]),
        ] {
            assert!(matches!(check(layout, &names), Err(Error::ColumnsSayOtherwise { .. })), "{names:?}");
        }
        for (layout, names) in [
            (Layout::Latlon, ["latitude", "longitude"]),
            (Layout::Latlon, ["a", "b"]),
            (Layout::Latlon, ["latitude", "latitude"]),
            (Layout::Latlon, ["grade", "radius"]),
            (Layout::LatlonRadians, ["lat_rad", "lon_rad"]),
            (Layout::Vectors, ["longitude", "latitude_rad"]),
        ] {
            assert_eq!(check(layout, &names), Ok(()), "{names:?}");
        }
        let error = check(Layout::Degrees, &["phase_rad"]).unwrap_err().to_string();
        assert!(error.contains("it takes degrees; give --layout radians"), "{error}");
        let error = check(Layout::Latlon, &["lng", "lat"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the columns lng, lat are not what --layout latlon takes: it takes the latitude first; give --columns lat,lng"
        );
    }

    #[test]
    fn layout_of_another_space_is_refused() {
        let error = Layout::Latlon.record_len(Space::Sphere(3), 4).unwrap_err().to_string();
        assert_eq!(error, "--layout latlon does not fit sphere:3: expected vectors");
    }

    #[test]
    fn default_layout_has_as_many_numbers_as_a_point() {
        for (space, point_len) in [
            (Space::Euclidean(4), 4),
            (Space::Sphere(2), 3),
            (Space::Hyperbolic(2), 3),
            (Space::SpdAffineInvariant(3), 9),
            (Space::Kendall(5), 10),
        ] {
            assert_eq!(Layout::default_for(space).record_len(space, point_len), Ok(point_len));
        }
    }
}
