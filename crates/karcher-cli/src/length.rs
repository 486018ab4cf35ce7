//! Lengths as users type them: `0.35`, `20deg`, `0.35rad`, `2000km`, `500km/1737km` on a sphere of a stated radius.

use crate::Failure;
use crate::output::digits;
use karcher::facts::Lengths;
use karcher::geometry::error::RoundedUp;
use karcher::manifold::{AngleUnit, Layout};
use karcher::spec::Radius;
use karcher::{Manifold, Space};
use std::str::FromStr;
use std::sync::Arc;

/// The radius of the sphere on which kilometers and meters are measured unless another is stated: the Earth's mean
/// radius.
const EARTH_KM: f64 = 6371.0;

/// The most factors that one radius is repeated for.
const MOST_FACTORS: usize = 1_000_000;

/// A number and its unit. What it means depends on the space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    number: f64,
    unit: Option<Unit>,
    /// The unit in which distances are printed, next to that of the space.
    told: Option<Unit>,
    /// The radius of the sphere on which kilometers and meters are measured, in kilometers.
    sphere: f64,
}

/// A unit of length on a sphere, or of angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Radian,
    Degree,
    Kilometer,
    Meter,
}

impl Unit {
    /// Names in an order in which no name ends in an earlier one.
    const ALL: [(&'static str, Self); 5] = [
        ("rad", Self::Radian),
        ("deg", Self::Degree),
        ("°", Self::Degree),
        ("km", Self::Kilometer),
        ("m", Self::Meter),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Radian => "rad",
            Self::Degree => "°",
            Self::Kilometer => "km",
            Self::Meter => "m",
        }
    }

    /// Radians in one of it, on a sphere of a radius in kilometers.
    fn radians(self, sphere: f64) -> f64 {
        match self {
            Self::Radian => 1.0,
            Self::Degree => 1f64.to_radians(),
            Self::Kilometer => 1.0 / sphere,
            Self::Meter => 1e-3 / sphere,
        }
    }

    /// Whether lengths on a space are measured in it: angles where distances are angles, kilometers where points are
    /// latitudes and longitudes, on the Earth or another globe.
    fn fits(self, manifold: &dyn Manifold) -> bool {
        let is_globe = || manifold.layouts().iter().any(|layout| layout.column_names() == ["latitude", "longitude"]);
        manifold.distances_are_angles() && (matches!(self, Self::Radian | Self::Degree) || is_globe())
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected a number, with or without a unit: 0.35, 0.35rad, 20deg, 2000km, or 500km/1737km on a sphere \
             other than the Earth"
                .to_owned()
        };
        let (length, sphere) = text.split_once('/').map_or((text, None), |(length, sphere)| (length, Some(sphere)));
        let (number, unit) = number_and_unit(length).ok_or_else(wrong)?;
        let Some(sphere) = sphere else { return Ok(Self { number, unit, told: unit, sphere: EARTH_KM }) };
        let sphere = match number_and_unit(sphere) {
            Some((radius, Some(Unit::Kilometer))) => radius,
            Some((radius, Some(Unit::Meter))) => 1e-3 * radius,
            _ => return Err(wrong()),
        };
        let fits = matches!(unit, Some(Unit::Kilometer | Unit::Meter)) && sphere > 0.0 && sphere.is_finite();
        if fits { Ok(Self { number, unit, told: unit, sphere }) } else { Err(wrong()) }
    }
}

/// A radius, or one for each factor of a product: `0.9`, `30deg,2`, and `40deg^20` for twenty factors.
#[derive(Debug, Clone, PartialEq)]
pub struct Radii(Vec<Length>);

impl FromStr for Radii {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut radii = vec![];
        for part in text.split(',') {
            let (length, times) = part.split_once('^').unwrap_or((part, "1"));
            let left = MOST_FACTORS - radii.len();
            let times = times.trim().parse().ok().filter(|times| (1..=left).contains(times));
            let times = times.ok_or("expected a number of factors after ^, up to a million in all, as in 40deg^20")?;
            radii.resize(radii.len() + times, length.parse()?);
        }
        Ok(Self(radii))
    }
}

impl From<Length> for Radii {
    fn from(radius: Length) -> Self {
        Self(vec![radius])
    }
}

impl Radii {
    /// The radius in the space's own unit of distance, or of each factor in its own.
    pub fn on(&self, manifold: &dyn Manifold) -> Result<Radius, Failure> {
        if let [radius] = self.0[..] {
            return Ok(radius.on(manifold.space(), "--radius")?.into());
        }
        let (space, factors, given) = (manifold.space(), manifold.factors(), self.0.len());
        match factors.len() {
            0 => return Err(format!("--radius has {given} numbers, but {space} is no product: give one").into()),
            few if few != given => {
                let names: Vec<&str> = factors.iter().map(|factor| factor.space().as_str()).collect();
                let expected = format!("give one, or {few}, for each of {}", names.join(", "));
                return Err(format!("--radius has {given} numbers: {expected}").into());
            }
            _ => (),
        }
        let of_factor = |(radius, factor): (&Length, &Arc<dyn Manifold>)| radius.on(factor.space(), "--radius");
        Ok(self.0.iter().zip(factors).map(of_factor).collect::<Result<Vec<_>, _>>()?.into())
    }

    /// Each radius multiplied, and rounded to two significant digits.
    #[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "the page of a plan has other radii"))]
    pub fn times(&self, factor: f64) -> Self {
        let times = |radius: &Length| Length { number: two_digits(radius.number * factor), ..*radius };
        Self(self.0.iter().map(times).collect())
    }

    /// The radii as they were given: `30°,2`.
    #[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "the page of a plan has other radii"))]
    pub fn typed(&self) -> String {
        self.0.iter().map(|radius| radius.typed()).collect::<Vec<_>>().join(",")
    }

    /// The unit in which distances are printed: that of one radius, and of several the space's own.
    pub fn told(&self) -> Length {
        if let [radius] = self.0[..] { radius } else { Length::plain(f64::INFINITY) }
    }
}

/// A number rounded to two significant digits.
pub fn two_digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

/// A number and the unit behind it.
fn number_and_unit(text: &str) -> Option<(f64, Option<Unit>)> {
    let text = text.trim();
    let unit = Unit::ALL.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
    let (number, unit) = unit.map_or((text, None), |(number, unit)| (number.trim_end(), Some(unit)));
    Some((number.parse().ok()?, unit))
}

impl Length {
    /// A number in the space's own unit of distance.
    pub fn plain(number: f64) -> Self {
        Self { number, unit: None, told: None, sphere: EARTH_KM }
    }

    /// The same, printed in degrees too if it was given without a unit and the layout has degrees.
    pub fn told_in(self, layout: &Layout, manifold: &dyn Manifold) -> Self {
        let in_degrees = layout.angle_unit() == Some(AngleUnit::Degrees) && manifold.distances_are_angles();
        Self { told: self.told.or(in_degrees.then_some(Unit::Degree)), ..self }
    }

    /// The length as it was given: `100°`, `500km/1737km`.
    pub fn typed(self) -> String {
        let sphere = if self.sphere == EARTH_KM { String::new() } else { format!("/{}km", self.sphere) };
        format!("{}{}{sphere}", digits(self.number), self.unit.map_or("", Unit::name))
    }

    /// The length in the space's own unit of distance; `option` is what the user gave it to.
    pub fn on(self, space: &Space, option: &str) -> Result<f64, Failure> {
        match self.unit {
            Some(unit) if !unit.fits(&space.manifold()?) => Err(format!(
                "{option} {}{}: distances on {space} are not measured in {}; give a number without a unit",
                digits(self.number),
                unit.name(),
                unit.name()
            )
            .into()),
            _ => Ok(self.number * self.unit.map_or(1.0, |unit| unit.radians(self.sphere))),
        }
    }

    /// Distances in the space's own unit, followed by the unit this length was given in.
    pub fn lengths(self) -> Lengths {
        self.told_unit().map_or_else(Lengths::default, |(size, name)| Lengths::new(size, name))
    }

    /// A distance in words.
    pub fn words(self, distance: f64) -> String {
        self.lengths().words(distance)
    }

    /// The same for a distance that must not become smaller in print.
    pub fn words_up(self, distance: f64) -> String {
        self.lengths().words_up(distance)
    }

    /// A distance in the unit of this length alone, with four significant digits that are rounded up.
    pub fn short_up(self, distance: f64) -> String {
        match self.told_unit() {
            None => RoundedUp(distance).to_string(),
            Some((unit, name)) => format!("{}{}{name}", RoundedUp(distance / unit), if name == "°" { "" } else { " " }),
        }
    }

    /// The unit in which distances are printed next to that of the space: its size in that, and its name.
    pub fn told_unit(self) -> Option<(f64, &'static str)> {
        let unit = self.told.filter(|unit| *unit != Unit::Radian)?;
        Some((unit.radians(self.sphere), unit.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, space: &str) -> f64 {
        text.parse::<Length>().unwrap().on(&space.parse().unwrap(), "--radius").unwrap()
    }

    #[test]
    fn one_length_in_every_unit() {
        let sphere = "sphere:2";
        for text in ["0.5", "0.5rad", "0.5 rad", "28.64788975654116deg", "28.64788975654116°", "3185.5km", "3185500 m"]
        {
            assert!((on(text, sphere) - 0.5).abs() < 1e-15, "{text}");
        }
        assert_eq!(on("2", "euclidean:3"), 2.0);
    }

    #[test]
    fn kilometers_on_another_sphere_than_the_earth() {
        let sphere = "sphere:2";
        for text in ["500km/1737.4km", "500 km / 1737.4 km", "500000m/1737400m"] {
            assert!((on(text, sphere) - 500.0 / 1737.4).abs() < 1e-15, "{text}");
        }
        let moon: Length = "500km/1737.4km".parse().unwrap();
        assert_eq!(moon.words(0.1), "0.1 (173.7 km)");
        for text in
            ["500km/1737", "20deg/1737km", "0.3/1737km", "500km/0km", "500km/-1km", "500km/infkm", "/1km", "5km/"]
        {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }

    #[test]
    fn units_that_a_space_does_not_have_are_refused() {
        for (text, space) in
            [("20deg", "euclidean:2"), ("1rad", "spd-log-euclidean:3"), ("5km", "sphere:3"), ("5m", "kendall:5")]
        {
            let space = space.parse().unwrap();
            let refused = text.parse::<Length>().unwrap().on(&space, "--radius").unwrap_err().to_string();
            assert!(refused.starts_with("--radius "), "{refused}");
        }
        for text in ["", "deg", "km", "1mile", "1 2", "1degdeg"] {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_radius_is_repeated_for_factors() {
        let radii =
            |text: &str| text.parse::<Radii>().map(|radii| radii.0.iter().map(|x| x.number).collect::<Vec<_>>());
        assert_eq!(radii("40deg^3, 2").unwrap(), [40.0, 40.0, 40.0, 2.0]);
        for text in ["1^0", "1^", "1^-1", "1^x", "^2", "1^99999999999"] {
            assert!(radii(text).is_err(), "{text}");
        }
    }

    #[test]
    fn distances_are_told_in_the_unit_that_was_typed() {
        let words = |text: &str| text.parse::<Length>().unwrap().words(0.05);
        assert_eq!(words("0.9"), "0.05");
        assert_eq!(words("2000km"), "0.05 (318.6 km)");
        assert_eq!(words("20deg"), "0.05 (2.865°)");
    }
}
