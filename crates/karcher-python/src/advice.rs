//! The remedies for records that are no points, in the words of the package.

use karcher::Manifold;
use karcher::manifold::{Layout, Remedy, Shape, remedy};

/// The reason why a record in a layout is no point, with the remedy if its numbers say one.
pub fn advised(reason: String, manifold: &dyn Manifold, layout: &Layout, record: &[f64]) -> String {
    match remedy(manifold, layout, record) {
        Some(remedy) => format!("{reason}; {}", words(remedy, manifold, layout.name())),
        None => reason,
    }
}

fn words(remedy: Remedy, manifold: &dyn Manifold, layout: &str) -> String {
    let space = format!("karcher.manifold('{}')", manifold.space());
    let read = |layout: &str, how: &str| format!("{space}.read(X, '{layout}'{how})");
    match remedy {
        Remedy::Rounded(digits) => {
            format!("if numbers were rounded, give {}", read(layout, &format!(", tolerance=1e-{digits}")))
        }
        Remedy::Projected { condition } => format!("{condition}, give {}", read(layout, ", normalize=True")),
        Remedy::InLayout { layout, projected, condition } => {
            format!("{condition}, give {}", read(layout, if projected { ", normalize=True" } else { "" }))
        }
        Remedy::Angles => format!("if some of its columns are angles, take them alone, in one of {space}.layouts"),
        Remedy::Singular => match manifold.shape() {
            Shape::PositiveDefinite(_) => {
                "if it is a covariance matrix, karcher.preprocessing.ShrinkTrace makes it positive definite".to_owned()
            }
            Shape::Vector(_)
            | Shape::Matrix { .. }
            | Shape::HermitianPositiveDefinite(_)
            | Shape::Landmarks(_)
            | Shape::Matrices { .. } => {
                "if it is singular, mix it with the identity: 0.99 * X + 0.01 * np.trace(X) / K * np.eye(K)".to_owned()
            }
        },
    }
}
