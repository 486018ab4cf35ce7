//! The fields of a specification as data. One table makes the options of commands, their help, the schema, the page of
//! reference and the checks of fields.
//!
//! A field joins [`FIELDS`] by one row here, [`ReleaseSpec`] by one line, and a statistic by its name in the
//! [description](crate::statistics::Description::fields).

use crate::release::StatisticName;
use crate::spec::{BallSpec, MechanismChoice, ReleaseSpec};
use crate::statistics::statistics_that;
use serde::Serialize;

/// A field of a specification.
///
/// ```
/// use karcher::{field::Field, release::StatisticName};
/// let field = Field::named("expected_spread").ok_or("there is no such field")?;
/// assert!(field.is_of(StatisticName::GeometricMedian) && !field.is_of(StatisticName::KMeans));
/// assert_eq!(field.option.map(|option| option.name), Some("expected-spread"));
/// assert_eq!(Field::named("epsilon").map(|field| field.path), Some("budget.epsilon"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Field {
    /// Its place in the JSON: `ball.radius`.
    pub path: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The statistics that take it.
    pub of: &'static [StatisticName],
    /// Whether these statistics need it. A field of an object is needed where the object is given.
    pub is_required: bool,
    /// Its content, as a noun phrase.
    pub content: &'static str,
    /// The default in words.
    pub default: &'static str,
    /// The option of commands that fills it in, if there is one.
    pub option: Option<FieldOption>,
    /// Whether a specification has it.
    #[serde(skip)]
    is_given: fn(&ReleaseSpec) -> bool,
}

/// The option of a field.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct FieldOption {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// The word for its value; a flag has none.
    pub value: &'static str,
    /// The heading in the help.
    pub heading: &'static str,
    /// The sentences of the help.
    pub help: &'static str,
    /// The default as it is typed; none if the option may be left out for another reason.
    pub default: &'static str,
    /// Options that it needs.
    pub needs: &'static [&'static str],
    /// Options that it does not go with.
    pub excludes: &'static [&'static str],
}

/// What a field holds. Lengths are in the unit of the space in JSON, and may have another one in options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The version of the fields.
    Version,
    /// The name of a statistic.
    Statistic,
    /// The name of a space.
    Space,
    /// An object of the fields whose paths begin with its own.
    Object,
    /// A guarantee: an object of one of four kinds.
    Budget,
    /// The numbers of a point.
    Point,
    /// A length.
    Length,
    /// A length for each factor of a product.
    Lengths,
    /// A number above 0.
    Positive,
    /// A probability strictly between 0 and 1.
    Probability,
    /// A whole number, from one number to another.
    Whole(usize, usize),
    /// A list of whole numbers from 1 on.
    Wholes,
    /// A list of numbers above 0.
    Numbers,
    /// Whether something is done.
    Flag,
    /// One of several names, each with what it means.
    Choice(&'static [(&'static str, &'static str)]),
    /// The name of a mechanism, or `auto`.
    Mechanism,
    /// The theorem behind a sensitivity.
    Bound,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// Two ends of a range.
    Range,
    /// Terms of a regression.
    Features,
    /// Rows with the numbers of a point each: points, or tangent vectors.
    Rows,
}

/// Every statistic.
const ALL: &[StatisticName] = &StatisticName::ALL;

/// Statistics on a space.
const ON_SPACES: &[StatisticName] = statistics_that!(is_on_spaces);

/// Statistics with a public ball.
const IN_BALLS: &[StatisticName] = statistics_that!(has_ball);

/// Statistics that a collector of records releases on a space.
const COLLECTED: &[StatisticName] = statistics_that!(is_collected);

/// A field of the statistics whose descriptions name it, or the object that it is a part of.
macro_rules! own {
    ($path:literal, $kind:expr, $content:literal) => {
        field($path, $kind, statistics_that!(takes($path)), $content)
    };
}

/// Headings of the help.
const OPTIONS: &str = "Options";
const BUDGET: &str = "Privacy budget";
const BALL: &str = "Ball";
const MECHANISM: &str = "Mechanism";
const NEIGHBOURS: &str = "Neighbouring data sets";
const GROUPS: &str = "Groups";
const COMPANIONS: &str = "Companion statistics";

/// Every field, in the order in which pages and helps list them.
pub const FIELDS: &[Field] = &[
    field("spec", Kind::Version, ALL, "version of these fields, 1").required(|_| true),
    field("statistic", Kind::Statistic, ALL, "name of the statistic").required(|_| true).option(
        "statistic",
        "STATISTIC",
        MECHANISM,
        "Statistic that is released.",
    ),
    field("manifold", Kind::Space, ON_SPACES, "name of the space").required(|spec| spec.manifold.is_some()).option(
        "manifold",
        "SPACE",
        OPTIONS,
        "Space of the records, for example sphere:2, spd-log-euclidean:3, kendall:50.",
    ),
    field("ball", Kind::Object, IN_BALLS, "public ball, or the outer ball in which one is located")
        .required(|spec| spec.ball.is_some())
        .option(
            "ball",
            "BALL.json|auto",
            BALL,
            "Ball from a file that karcher locate wrote, or `auto`. With auto, a part of the budget locates a ball \
             within --within; the rest is spent on the mean in it.",
        ),
    field("ball.center", Kind::Point, IN_BALLS, "center of the ball").required(|spec| spec.ball.is_some()).option(
        "center",
        "VALUES|FILE",
        OPTIONS,
        "Center of the public ball, in the layout and the units of the records. It is one of: numbers separated by \
         commas; a file with one record (--columns applies to it); a value that karcher wrote with --output; \
         S*identity, a multiple of the identity matrix; or `origin` (0, the first unit vector, the identity matrix, \
         the regular polygon). With --shrink-trace its units are those of the shrunk matrices, of trace K, and \
         --multiply-by does not apply. Default: origin on euclidean and hyperbolic space, and if the ball holds \
         (nearly) the whole space; with --shrink-trace the ball that holds every matrix; required elsewhere.",
    ),
    field("ball.radius", Kind::Length, IN_BALLS, "radius of a known ball")
        .given(|spec| matches!(spec.ball, Some(BallSpec::Known { .. })))
        .option(
            "radius",
            "R",
            OPTIONS,
            "Radius of the public ball. Records farther from its center are moved to its edge. Units are those of \
             distance (radians on a sphere), or given: 20deg, 2000km (on sphere:2, the Earth). On a product one radius \
             for each factor may be given, as in 30deg,2: each factor is then clipped by itself. Optional with \
             --shrink-trace, like the center.",
        )
        .excludes(&["ball"]),
    own!("ball.radii", Kind::Lengths, "instead, a radius for each factor of a product")
        .given(|spec| matches!(spec.ball, Some(BallSpec::Factors { .. }))),
    own!("ball.within", Kind::Length, "instead, the radius of the outer ball")
        .given(ReleaseSpec::locates)
        .option(
            "within",
            "R",
            BALL,
            "Radius of the public outer ball around --center, for --ball auto. It may be a thousand times as large as \
             the region of the records. Default: the whole space if it is bounded (spheres, shapes); required elsewhere.",
        )
        .needs(&["ball"]),
    own!("ball.quantile", Kind::Probability, "fraction of the records that a located radius aims at")
        .default("0.75")
        .given(|spec| matches!(spec.ball, Some(BallSpec::Locate { quantile: Some(_), .. })))
        .option(
            "quantile",
            "FRACTION",
            BALL,
            "Fraction of the records that the radius of a located ball aims at, below 1. The radius is then enlarged \
             to hold 97 % of a normal cluster. Default: 0.75, which fewer than a quarter of wild records cannot affect.",
        ),
    own!("clusters", Kind::Object, "clusters of a k-means")
    .required(|spec| spec.clusters.is_some()),
    own!("clusters.number", Kind::Whole(2, 1_000), "number of clusters")
        .required(|spec| spec.clusters.is_some())
        .option("clusters", "K", OPTIONS, "Number of clusters."),
    own!("clusters.centers", Kind::Rows, "public first centers")
        .default("drawn in the ball")
        .given(|spec| spec.clusters.as_ref().is_some_and(|clusters| clusters.centers.is_some()))
        .option(
            "first-centers",
            "FILE",
            OPTIONS,
            "File of public first centers, .npy or .csv, one a row with the numbers of a point. Default: many cells \
             drawn in the ball, which are merged.",
        ),
    own!("clusters.cost", Kind::Flag, "whether the cost is released")
        .default("`false`")
        .given(|spec| spec.clusters.as_ref().is_some_and(|clusters| clusters.cost))
        .option(
            "cost",
            "",
            OPTIONS,
            "Release the cost too: the mean square of the distances to the nearest center. It takes an eighth of the \
             budget.",
        ),
    own!("features", Kind::Features, "terms of a regression, or `{\"matrix\": q}`")
        .required(|spec| spec.features.is_some())
        .option(
            "term",
            "TERM",
            OPTIONS,
            "Term of a linear regression on features, instead of --predictor. May be given several times: \
             linear:age:20:80, poly:age:20:80:3 (a polynomial of degree 3), spline:age:20:80:6 (cubic, on 6 knots), \
             levels:sex:F,M, and products such as product:linear:age:20:80*levels:sex:F,M. Ranges and levels are \
             public: values outside count as the ends, and other levels as one more level. A column with a colon or a \
             comma in its name is quoted: 'linear:\"a:b,c\":20:80'.",
        )
        .excludes(&["predictor-range", "slope-bound", "residual-bound"]),
    own!("basis", Kind::Rows, "public tangent vectors at the center, whose span holds the response")
        .default("the whole tangent space")
        .given(|spec| spec.basis.is_some())
        .option(
            "basis",
            "FILE",
            OPTIONS,
            "File of a public basis, .npy or .csv: tangent vectors at the center of the ball, one a row, with the \
             numbers of a point. Responses are fitted in their span, with --term. The noise then has the dimension of the span.",
        ),
    own!("predictor_range", Kind::Range, "range of the predictor")
        .required(|spec| spec.predictor_range.is_some())
        .option(
            "predictor-range",
            "LOW HIGH",
            OPTIONS,
            "Public range of the predictor; values outside count as its ends.",
        ),
    own!("slope_bound", Kind::Length, "distance that the geodesic covers at most")
        .required(|spec| spec.slope_bound.is_some())
        .option(
            "slope-bound",
            "V",
            OPTIONS,
            "Public bound of the distance that the geodesic covers over the range of the predictor. It must be below \
             the injectivity radius: π on sphere:D, π/2 on kendall:K.",
        ),
    own!("residual_bound", Kind::Length, "distance of a record from the geodesic at most")
        .default("a bound that no residual exceeds")
        .given(|spec| spec.residual_bound.is_some())
        .option(
            "residual-bound",
            "B",
            OPTIONS,
            "Public bound of the distance between a record and the geodesic. Residuals are clipped to it: a smaller \
             bound means less noise. Default: a bound that no residual exceeds, 2R + V/2 or the diameter of the space.",
        ),
    own!("descent", Kind::Object, "steps that lead to a minimizer").required(|spec| spec.descent.is_some()),
    own!("descent.records", Kind::Space, "space of the records").required(|spec| spec.descent.is_some()),
    own!("descent.clip", Kind::Positive, "length of clipped gradients")
        .required(|spec| spec.descent.is_some())
        .option("gradient-clip", "C", OPTIONS, "Length to which the gradient of each record is clipped."),
    own!("descent.step_sizes", Kind::Numbers, "size of each step")
        .required(|spec| spec.descent.is_some())
        .option("step-sizes", "S,...", OPTIONS, "Sizes of the steps, separated by commas: 0.5,0.3,0.2."),
    own!("descent.loss", Kind::Text, "words for the loss")
        .given(|spec| spec.descent.as_ref().is_some_and(|descent| descent.loss.is_some())),
    own!("score", Kind::Object, "metric of a score").required(|spec| spec.score.is_some()),
    own!(
        "score.metric",
        Kind::Choice(&[
            ("accuracy", "Share of right predictions."),
            ("balanced-accuracy", "Mean over the labels of the share of right predictions."),
            ("confusion", "Number of records of each pair of labels, with the accuracy."),
            ("mean-loss", "Mean of losses that are cut off."),
            ("r2", "Coefficient of determination, R²."),
        ]),
        "what is scored"
    )
    .required(|spec| spec.score.is_some())
    .option("metric", "METRIC", OPTIONS, "Score of the predictions."),
    own!("score.labels", Kind::Texts, "public list of labels")
        .given(|spec| spec.score.as_ref().is_some_and(|score| !score.labels.is_empty()))
        .option(
            "labels",
            "A,B,C",
            OPTIONS,
            "Labels, a public list that does not depend on the records: left,right. A record with another label counts as \
             wrong, and is in no cell of a table.",
        ),
    own!("score.bound", Kind::Positive, "bound at which losses are cut off")
        .given(|spec| spec.score.as_ref().is_some_and(|score| score.bound.is_some()))
        .option("loss-bound", "B", OPTIONS, "Public bound at which losses are cut off, for --metric mean-loss."),
    own!("score.range", Kind::Range, "public range of actual and predicted numbers")
        .given(|spec| spec.score.as_ref().is_some_and(|score| score.range.is_some()))
        .option("range", "LOW HIGH", OPTIONS, "Public range of the numbers, to which they are moved, for --metric r2."),
    own!("candidates", Kind::Texts, "names of the candidates")
        .required(|spec| spec.candidates.is_some())
        .option("candidates", "A,B,C", OPTIONS, "Names of the candidates, a public list."),
    own!("quantiles", Kind::Object, "levels and grid of quantiles")
        .default("quartiles")
        .given(|spec| spec.quantiles.is_some()),
    own!("quantiles.levels", Kind::Numbers, "levels strictly between 0 and 1, in rising order")
        .default("0.25, 0.5, 0.75")
        .given(|spec| spec.quantiles.is_some())
        .option(
            "levels",
            "Q,...",
            OPTIONS,
            "Levels of the quantiles, strictly between 0 and 1, in rising order. All of them together cost the budget \
             once. Default: 0.25,0.5,0.75.",
        ),
    own!("quantiles.cells", Kind::Whole(2, 4_096), "number of cells of the grid, a power of two")
        .default("1024")
        .given(|spec| spec.quantiles.as_ref().is_some_and(|quantiles| quantiles.cells.is_some()))
        .option(
            "cells",
            "M",
            OPTIONS,
            "Number of cells of the public grid on which quantiles lie, a power of two. Default: 1024.",
        ),
    own!("quantiles.distances", Kind::Flag, "whether distances are measured on a line and a circle, too")
        .default("`false`")
        .given(|spec| spec.quantiles.as_ref().is_some_and(|quantiles| quantiles.distances))
        .option(
            "distances",
            "",
            OPTIONS,
            "Quantiles of the distances to the center, instead of numbers (euclidean:1) or angles (sphere:1, torus:1).",
        ),
    field("budget", Kind::Budget, ALL, "privacy budget").required(|_| true),
    field("budget.epsilon", Kind::Positive, ALL, "ε, of the definitions `pure` and `approximate`").given(|_| true).option(
        "epsilon",
        "E",
        BUDGET,
        "Privacy budget ε, for example 1; smaller is more private. Alone it means pure differential privacy, with \
         --delta (ε, δ).",
    ),
    field("budget.delta", Kind::Probability, ALL, "δ, of the definition `approximate`")
        .given(|_| true)
        .option(
            "delta",
            "D",
            BUDGET,
            "Parameter δ of (ε, δ): far below one over the number of people, for example 1e-6.",
        )
        .excludes(&["mu", "rho"]),
    field("budget.mu", Kind::Positive, ALL, "μ, of the definition `gaussian`")
        .given(|_| true)
        .option(
            "mu",
            "U",
            BUDGET,
            "Budget μ of Gaussian differential privacy, for example 0.5. Distinguishing data sets that differ in one \
             record is then as hard as distinguishing N(0,1) from N(μ,1) by one draw.",
        )
        .excludes(&["epsilon"]),
    field("budget.rho", Kind::Positive, ALL, "ρ, of the definition `concentrated`")
        .given(|_| true)
        .option("rho", "P", BUDGET, "Budget ρ of zero-concentrated differential privacy, for example 0.1.")
        .excludes(&["epsilon", "mu"]),
    field(
        "adjacency",
        Kind::Choice(&[
            ("replace-one", "Pairs that differ in the value of one record. The number of records is public."),
            ("add-remove", "Pairs in which one has a record more. The number of records is confidential."),
        ]),
        ALL,
        "data sets that count as neighbours",
    )
    .default("`replace-one`; a count requires `add-remove`")
    .given(|_| true)
    .option(
        "adjacency",
        "WHICH",
        NEIGHBOURS,
        "Pairs of data sets that the guarantee makes hard to distinguish. With add-remove the number of records is \
         confidential, too.",
    )
    .typed(),
    field("n_guess", Kind::Whole(1, 1_000_000_000_000_000), COLLECTED, "guessed number of records, with `add-remove`")
        .given(|spec| spec.n_guess.is_some())
        .option(
            "n-guess",
            "N",
            NEIGHBOURS,
            "Public guess of the number of records, with --adjacency add-remove. The release is planned for it; the \
             guarantee does not depend on it. With --by, one guess for all groups, or one for each: 500,20,80.",
        ),
    field(
        "unit",
        Kind::Choice(&[("record", "One record."), ("person", "All records of one person.")]),
        ALL,
        "what the guarantee protects",
    )
    .default("`record`")
    .given(|_| true),
    own!("groups", Kind::Object, "public list of groups, each with a release of its own")
        .given(|spec| spec.groups.is_some()),
    own!("groups.by", Kind::Text, "column of the groups")
        .required(|spec| spec.groups.is_some())
        .option(
            "by",
            "COLUMN",
            GROUPS,
            "Column of the groups, by name or number from 1; in an .npz file the name of an array. The statistic of \
             every group in --groups is released. Every group has the whole budget, because a record is in one group \
             at most. It requires --adjacency add-remove; --n-guess is the number of records of a group.",
        )
        .needs(&["groups"]),
    own!("groups.names", Kind::Texts, "names of the groups")
        .required(|spec| spec.groups.is_some())
        .option(
            "groups",
            "A,B,C",
            GROUPS,
            "Groups to release, a public list that does not depend on the column: F,M or '\"Korea, South\",Japan'. \
             Records in other groups are left out, and their number is not released. A group without records is \
             released like any other.",
        )
        .needs(&["by"]),
    own!("groups.n_guess", Kind::Wholes, "guessed number of records of each")
        .required(|spec| spec.groups.is_some()),
    field("mechanism", Kind::Mechanism, COLLECTED, "[a name](releases.md), `two-stage`, or `auto`")
        .default("`auto`")
        .given(|spec| spec.mechanism != MechanismChoice::Auto)
        .option(
            "mechanism",
            "MECHANISM",
            MECHANISM,
            "Mechanism of the release. auto takes the one with the smallest expected error that keeps the budget and \
             that --numerics accepts.",
        )
        .typed(),
    own!("steps", Kind::Whole(1, 1_000), "steps of an iteration")
        .default("the best number")
        .given(|spec| spec.steps.is_some())
        .option(
            "steps",
            "T",
            MECHANISM,
            "Number of steps of the Karcher flow, or of the median flow, up to 1,000. Default: the number that \
             promises the smallest error, or does best in a simulation.",
        )
        .excludes(&["term"]),
    own!(
        "calibration",
        Kind::Choice(&[
            ("analytic", "The smallest sufficient noise, for every ε and δ."),
            ("classical", "The textbook formula, for ε below 1 only."),
        ]),
        "calibration of Gaussian noise on flat spaces"
    )
    .default("`analytic`")
    .given(|spec| spec.calibration.is_some())
    .option("calibration", "CALIBRATION", MECHANISM, "Calibration of Gaussian noise on flat spaces to (ε, δ).")
    .typed(),
    own!("bound", Kind::Bound, "bound of the mean's sensitivity")
        .default("`optimal`")
        .given(|spec| spec.bound.is_some())
        .option(
            "bound",
            "BOUND",
            MECHANISM,
            "Theorem for how far one record can move the mean: published, averaged-hessian, sharp or optimal. Default: \
             the one with the smallest number, optimal.",
        ),
    own!("tolerance", Kind::Positive, "gradient norm at which the iteration for a mean stops")
        .default("1e-12 of the radius")
        .given(|spec| spec.tolerance.is_some()),
    field(
        "numerics",
        Kind::Choice(&[
            ("exact", "A proof for the exact output bits."),
            ("any", "Also a proof for real numbers, with noise that is drawn in floating point."),
        ]),
        ALL,
        "proofs that `auto` may rely on",
    )
    .default("`exact`")
    .given(|_| true)
    .option("numerics", "NUMERICS", MECHANISM, "Kind of proof that auto requires of a mechanism.")
    .typed(),
    own!(
        "denoise",
        Kind::Choice(&[
            ("shrink", "The noisy value is shrunk towards the center and into the ball, which is free."),
            ("none", "The noisy value is released."),
        ]),
        "denoising of noise on a vector"
    )
    .default("`shrink` where noise is a vector")
    .given(|spec| spec.denoise.is_some())
    .option(
        "denoise",
        "HOW",
        MECHANISM,
        "Treatment of noise on a vector after it was drawn (the release also holds the value before that). Default: \
         shrink, if noise is a vector.",
    ),
    own!("assume_in_ball", Kind::Flag, "`true` clips no record")
        .default("`false`")
        .given(|spec| spec.assume_in_ball)
        .option(
            "assume-in-ball",
            "",
            BALL,
            "No clipping: you know that all records lie in the ball. The guarantee holds only if they do.",
        ),
    own!("expected_spread", Kind::Length, "guessed distance of records from their mean")
        .given(|spec| spec.expected_spread.is_some())
        .option(
            "expected-spread",
            "S",
            BALL,
            "Public guess of the root mean square distance of the records to their mean, a length like the radius. \
             With it, auto also considers two stages: a part of the budget first finds a smaller ball. It takes them \
             if a simulation expects less error. The expected error of a median is then that of a cloud of this \
             spread. The guarantee does not depend on the guess.",
        ),
    own!("spread", Kind::Object, "spread about a mean, `{}` or with a clip")
        .given(|spec| spec.spread.is_some())
        .option(
            "spread",
            "",
            COMPANIONS,
            "Release the spread too, with a quarter of the budget: the root mean square distance of the records to the \
             private mean, and the fraction of them outside the ball. It shows whether the records have a useful mean, \
             and where the mean of the population is.",
        ),
    own!("spread.clip", Kind::Length, "distance at which distances are cut off")
        .default("twice the radius")
        .given(|spec| spec.spread.is_some_and(|spread| spread.clip.is_some()))
        .option(
            "spread-clip",
            "C",
            COMPANIONS,
            "Distance at which the distances of the spread are cut off, a length like the radius. Default: twice the \
             radius of the ball.",
        )
        .needs(&["spread"]),
    own!("components", Kind::Object, "components about a mean, `{}` or with a clip")
        .given(|spec| spec.components.is_some())
        .option(
            "components",
            "",
            COMPANIONS,
            "Release the principal components too, as karcher components does, with half of the budget.",
        ),
    own!("components.clip", Kind::Length, "length to which logarithms are shortened")
        .default("the radius")
        .given(|spec| spec.components.is_some_and(|components| components.clip.is_some()))
        .option(
            "components-clip",
            "C",
            COMPANIONS,
            "Length to which logarithms at the private mean are shortened, like the radius. With twice the radius \
             there is also an ellipsoid for the mean of the population. Default: the radius of the ball.",
        )
        .needs(&["components"]),
    own!("region", Kind::Probability, "probability of the region around a mean")
        .default("0.95")
        .given(|spec| spec.region.is_some())
        .option(
            "region",
            "P",
            COMPANIONS,
            "Probability that the region holds the mean of the clipped records. The region is printed, and written as \
             JSON.",
        )
        .typed(),
    field(
        "trust",
        Kind::Choice(&[("one of two aggregators", "Two aggregators add up; one of them has to be honest.")]),
        ALL,
        "who has to be honest, where aggregators add up",
    )
    .given(|spec| spec.trust.is_some()),
];

/// The name in quotes that begins a text, or a text that begins with none.
const fn unquoted(text: &'static str) -> &'static str {
    let [b'`', ..] = text.as_bytes() else { return text };
    let (_, text) = text.split_at(1);
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != b'`' {
        end += 1;
    }
    text.split_at(end).0
}

/// A field that may be absent, and is never given.
const fn field(path: &'static str, kind: Kind, of: &'static [StatisticName], content: &'static str) -> Field {
    Field { path, kind, of, is_required: false, content, default: "none", option: None, is_given: |_| false }
}

impl Field {
    const fn required(self, is_given: fn(&ReleaseSpec) -> bool) -> Self {
        Self { is_required: true, default: "required", is_given, ..self }
    }

    const fn given(self, is_given: fn(&ReleaseSpec) -> bool) -> Self {
        Self { is_given, ..self }
    }

    const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    const fn option(self, name: &'static str, value: &'static str, heading: &'static str, help: &'static str) -> Self {
        let option = FieldOption { name, value, heading, help, default: "", needs: &[], excludes: &[] };
        Self { option: Some(option), ..self }
    }

    /// Commands state the default as one that may be typed.
    const fn typed(self) -> Self {
        let Some(option) = self.option else { return self };
        Self { option: Some(FieldOption { default: unquoted(self.default), ..option }), ..self }
    }

    const fn needs(self, needs: &'static [&'static str]) -> Self {
        let Some(option) = self.option else { return self };
        Self { option: Some(FieldOption { needs, ..option }), ..self }
    }

    const fn excludes(self, excludes: &'static [&'static str]) -> Self {
        let Some(option) = self.option else { return self };
        Self { option: Some(FieldOption { excludes, ..option }), ..self }
    }

    /// The field of a path, or of the name that errors have for it: `ball.radius` is `radius`, and `spread.clip` is
    /// `spread_clip`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let find = |is: &dyn Fn(&Field) -> bool| FIELDS.iter().find(|field| is(field));
        let of_one_word = |field: &Field| {
            ["ball.", "budget.", "descent."].iter().any(|object| field.path.strip_prefix(object) == Some(name))
        };
        find(&|field| field.path == name)
            .or_else(|| find(&|field| field.path.replace('.', "_") == name))
            .or_else(|| find(&of_one_word))
    }

    /// The field with an option.
    pub fn of_option(name: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.option.is_some_and(|option| option.name == name))
    }

    /// Whether a statistic takes it.
    pub fn is_of(&self, statistic: StatisticName) -> bool {
        self.of.contains(&statistic)
    }

    /// Whether a specification has it.
    pub fn is_given(&self, spec: &ReleaseSpec) -> bool {
        (self.is_given)(spec)
    }

    /// The object that it is a part of, and its name there.
    pub fn parent(&self) -> Option<(&'static str, &'static str)> {
        self.path.split_once('.')
    }

    /// The statistics that take it, with articles: `a frechet-mean or an extrinsic-mean`.
    pub fn takers(&self) -> String {
        let takers: Vec<String> = self.of.iter().map(|statistic| statistic.with_article()).collect();
        match &takers[..] {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            takers => takers.concat(),
        }
    }
}

impl FieldOption {
    /// The sentences of the help for a command that releases a statistic.
    pub fn help_of(&self, statistic: StatisticName) -> &'static str {
        let own = statistic.description().helps.iter().find(|(option, _)| *option == self.name);
        own.map_or(self.help, |(_, help)| help)
    }
}
