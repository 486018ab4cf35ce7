//! The lists of statistics and of mechanisms. Each joins the library by its own file or folder, and one line here.

/// Passes the list to the macro `$with`: a description of the mechanism, its variant of `MechanismName`, its name, and
/// the type that plans it.
macro_rules! mechanisms {
    ($with:ident) => {
        $with! {
            /// `laplace`: noise whose density decreases exponentially with the distance.
            Laplace "laplace" Laplace;
            /// `gaussian`: noise with the density of a bell curve.
            Gaussian "gaussian" Gaussian;
            /// `chart`: noise in the tangent space at the center of the ball.
            Chart "chart" Chart;
            /// `extrinsic`: noise on the mean of embedded records, without a ball.
            Extrinsic "extrinsic" Extrinsic;
            /// `privunit`: a random direction, more often on the side of the record; in the local model.
            PrivUnit "privunit" PrivUnit;
            /// `linear`: regression from noisy sufficient statistics.
            Linear "linear" Linear;
            /// `gradient-descent`: regression by noisy descent.
            GradientDescent "gradient-descent" GradientDescent;
            /// `kng`: the K-norm gradient mechanism.
            Kng "kng" Kng;
            /// `karcher-flow`: noisy gradient steps towards the mean.
            KarcherFlow "karcher-flow" Flow;
            /// `two-stage`: a smaller ball, then the mean in it. A release is by the mechanism of that mean.
            TwoStage "two-stage" TwoStage;
            /// `median-flow`: noisy steps of public length towards the geometric median.
            MedianFlow "median-flow" MedianFlow;
            /// `lloyd`: noisy steps of Lloyd's algorithm.
            Lloyd "lloyd" Lloyd;
            /// `riemannian-descent`: noisy gradient steps on a user's loss.
            RiemannianDescent "riemannian-descent" RiemannianDescent;
            /// `locate`: a median flow, or medians of coordinates, for the center of a ball, then a private quantile of
            /// distances for its radius.
            Locate "locate" Locate;
            /// `table`: independent noise on the numbers of records in the cells of a table.
            Table "table" Table;
            /// `noisy-maximum`: the largest of confidential sums with noise.
            NoisyMaximum "noisy-maximum" NoisyChoice;
            /// `distribution`: noise on a distribution function, from which quantiles follow.
            Distribution "distribution" NoisyDistribution;
        }
    };
}
pub(crate) use mechanisms;

/// Passes the list to the macro `$with`: a description of the statistic, its variant of `StatisticName`, whose name in
/// JSON is that in kebab case, and its module in `statistics`.
macro_rules! statistics {
    ($with:ident) => {
        $with! {
            /// The Fréchet mean.
            FrechetMean frechet_mean;
            /// Geodesic regression on one predictor.
            GeodesicRegression geodesic_regression;
            /// Linear regression on features.
            FeatureRegression feature_regression;
            /// The geometric median.
            GeometricMedian geometric_median;
            /// A ball that holds most records.
            Ball ball;
            /// The Fréchet variance about a public point.
            FrechetVariance frechet_variance;
            /// The mean and the covariance of vectors.
            Covariance covariance;
            /// The number of records.
            Count count;
            /// One record, randomized by the person it is about.
            Record record;
            /// The extrinsic mean: of embedded records, without a ball.
            ExtrinsicMean extrinsic_mean;
            /// Centers of clusters.
            KMeans k_means;
            /// A point that nearly minimizes a user's loss.
            Minimizer minimizer;
            /// A score of fixed predictions.
            Score score;
            /// One of several public candidates, by a utility.
            Selection selection;
            /// Quantiles of numbers, angles or distances.
            Quantiles quantiles;
        }
    };
}
pub(crate) use statistics;
