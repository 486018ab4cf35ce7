//! The remedies for records that are no points, in the options of the command.

use crate::convert::ConvertOptions;
use karcher::Manifold;
use karcher::manifold::{Layout, Remedy, Shape, remedy};

/// The reason why a record is no point, with the remedy if its numbers say one.
pub(crate) fn advised(
    reason: String,
    (manifold, layout): (&dyn Manifold, &Layout),
    record: &[f64],
    names: Option<&[String]>,
    options: &ConvertOptions,
) -> String {
    let is_left = |remedy: &Remedy| match remedy {
        Remedy::Singular => options.shrinkage.is_none(),
        // numbers in units of their own have no sum
        Remedy::Projected { .. } | Remedy::InLayout { projected: true, .. } if names.is_some_and(say_units) => false,
        other => options.rounding.lacks(*other),
    };
    match remedy(manifold, layout, record).filter(is_left) {
        Some(remedy) => format!("{reason}; {}", words(remedy, manifold)),
        None => reason,
    }
}

/// Whether names of columns say units, such as wt% and ppm.
fn say_units(names: &[String]) -> bool {
    const UNITS: [&str; 7] = ["%", "(", "[", "ppm", "ppb", "pct", "wt"];
    names.iter().any(|name| UNITS.iter().any(|unit| name.to_lowercase().contains(unit)))
}

fn words(remedy: Remedy, manifold: &dyn Manifold) -> String {
    match remedy {
        Remedy::Rounded(digits) => format!("if numbers were rounded, give --tolerance 1e-{digits}"),
        Remedy::Projected { condition } => format!("{condition}, give --normalize"),
        Remedy::InLayout { layout, projected, condition } => {
            let projected = if projected { " --normalize" } else { "" };
            format!("{condition}, give --layout {layout}{projected}")
        }
        Remedy::Angles => {
            "if some of its columns are angles, choose them with --columns, and a layout of angles with --layout"
                .to_owned()
        }
        Remedy::Singular => match manifold.shape() {
            Shape::PositiveDefinite(_) => {
                "if it is a covariance matrix of few samples, --shrink 0.01 mixes it with the identity".to_owned()
            }
            Shape::Vector(_)
            | Shape::Matrix { .. }
            | Shape::HermitianPositiveDefinite(_)
            | Shape::Landmarks(_)
            | Shape::Matrices { .. } => {
                "if it is singular, mix it with the identity first: 0.99·X + 0.01·(tr X / K)·I".to_owned()
            }
        },
    }
}
