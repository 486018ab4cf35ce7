//! The items, one file each.

mod comparison;
mod jiang_figure_1;
mod kulkarni_bounds;
mod kulkarni_figure_5;
mod kulkarni_figure_6;
mod kulkarni_proven;
mod kulkarni_sphere;
mod kulkarni_study;
mod kulkarni_wine;
mod reimherr_bound;
mod reimherr_radii;
mod reimherr_spd;
mod reimherr_sphere;
mod soto;
mod soto_shapes;
mod soto_spd;
mod soto_sphere;
mod utpala_figure_1;
mod utpala_figure_4;
mod utpala_images;

use crate::item::Item;

const REIMHERR: &str = "Reimherr, Bharath and Soto 2021, Differential Privacy Over Riemannian Manifolds";
const UTPALA: &str = "Utpala, Vepakomma and Miolane 2023, Differentially Private Fréchet Mean on the Manifold of SPD \
                      Matrices with log-Euclidean Metric";
const SOTO: &str = "Soto, Bharath, Reimherr and Slavković 2022, Shape and Structure Preserving Differential Privacy";
const KULKARNI: &str = "Kulkarni and Soto 2025, Differentially Private Geodesic and Linear Regression";
const JIANG: &str = "Jiang, Chang, Liu, Ding, Kong and Jiang 2023, Gaussian Differential Privacy on Riemannian \
                     Manifolds";

/// Every item.
pub const ALL: [Item; 14] = [
    Item {
        name: "reimherr-sphere",
        paper: REIMHERR,
        title: "Private means on the sphere against noise in the ambient space",
        needs: None,
        run: reimherr_sphere::run,
    },
    Item {
        name: "reimherr-spd",
        paper: REIMHERR,
        title: "Private means of SPD matrices against noise in the ambient space",
        needs: None,
        run: reimherr_spd::run,
    },
    Item {
        name: "reimherr-bound",
        paper: REIMHERR,
        title: "Supplement, figure 1: the empirical bound on the sphere",
        needs: None,
        run: reimherr_bound::run,
    },
    Item {
        name: "reimherr-radii",
        paper: REIMHERR,
        title: "Supplement, 1.2.2 and 1.3.2: radii in the ambient space",
        needs: None,
        run: reimherr_radii::run,
    },
    Item {
        name: "soto-sphere",
        paper: SOTO,
        title: "K-norm gradient and Laplace noise on the sphere",
        needs: None,
        run: soto_sphere::run,
    },
    Item {
        name: "soto-spd",
        paper: SOTO,
        title: "K-norm gradient and Laplace noise on SPD matrices",
        needs: None,
        run: soto_spd::run,
    },
    Item {
        name: "soto-shapes",
        paper: SOTO,
        title: "K-norm gradient and pointwise noise on mean shapes",
        needs: Some("shapes/corpus_callosum_50pts.csv"),
        run: soto_shapes::run,
    },
    Item {
        name: "utpala-figure-1",
        paper: UTPALA,
        title: "Figure 1: Gaussian, Laplace and extrinsic noise over the size of the matrices",
        needs: None,
        run: utpala_figure_1::run,
    },
    Item {
        name: "utpala-figure-2",
        paper: UTPALA,
        title: "Figure 2: means of covariance descriptors of medical images",
        needs: Some("images/pneumoniamnist.npz"),
        run: utpala_images::figure_2,
    },
    Item {
        name: "utpala-figure-3",
        paper: UTPALA,
        title: "Figure 3: means of covariance descriptors of standard images",
        needs: Some("images/mnist.npz, fashion_test.npz or cifar10_test_jpg.tar"),
        run: utpala_images::figure_3,
    },
    Item {
        name: "utpala-figure-4",
        paper: UTPALA,
        title: "Figure 4: time, burn-in, and with images at hand how tight Theorem 5 is",
        needs: None,
        run: utpala_figure_4::run,
    },
    Item {
        name: "kulkarni-sphere",
        paper: KULKARNI,
        title: "Figures 1, 2, 3, 5 and 6: geodesic regression on the sphere, as published and with a proof",
        needs: None,
        run: kulkarni_sphere::run,
    },
    Item {
        name: "kulkarni-wine",
        paper: KULKARNI,
        title: "Figure 4 and table 1: linear regression on the wine data",
        needs: Some("regression/winequality-red.csv"),
        run: kulkarni_wine::run,
    },
    Item {
        name: "jiang-figure-1",
        paper: JIANG,
        title: "Figure 1: the privacy of Gaussian noise on the circle and the line, and its use on the sphere",
        needs: None,
        run: jiang_figure_1::run,
    },
];
