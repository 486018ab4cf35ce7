"""What docstrings share: texts of parameters, related names, references, and examples that lead to a part of a release.

Each module with public names ends with :func:`complete`. The guide reads the files without running them, and calls
:func:`completed`. This file therefore imports the standard library alone.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable

TEXTS = {
    "manifold": """\
manifold : Manifold or str
    A manifold, its name, or its name without the size, which the records then determine.""",
    "center": """\
center : array of the manifold's ``shape`` or "origin", optional
    Center of the ball; ``"origin"`` is the origin of the manifold. It is the default on Euclidean and hyperbolic space,
    and for balls of nearly the whole space; otherwise a center is required.""",
    "fields": """\
manifold : Manifold or str
    The space of the points, with its size.
basis : array of shape (J, V), Parcels, Splines or Modes
    Public fields that span the released field. Rows of an array have one number per voxel of the mask, in C order; they
    are made orthonormal. If centers differ, a field multiplies the coordinates in the frame at each center.
clip : float
    Public bound c of the root mean square distance, over the voxels, of a field from the center; fields are clipped to
    it. Choose it from knowledge of the field, never by looking at the images.""",
    "grid": """\
center : array, path or nibabel image, optional
    Public point for all voxels, or for each; the mean of an earlier study keeps ``clip`` small. By default the origin
    of Euclidean and hyperbolic space; required on other spaces.
mask : array of shape ``grid``, path or nibabel image, optional
    Public mask of the released voxels, which are not 0. By default those with a parcel, or all of the grid of the
    centers.
layout : {"upper-row", "upper-column", "diagonal-first"}, optional
    Order of the numbers of a symmetric matrix in NIfTI images, if their headers do not state it (intent 1005).""",
    "voxels": """\
on_invalid : {"error", "replace-with-center"}
    Treatment of a voxel of the mask that is not a point of the manifold, or has no logarithm at the center. The center
    replaces such a point, and all points of an image with another shape or affine. A file that cannot be read is always
    an error.""",
    "budget": """\
epsilon : float, optional
    Budget of pure differential privacy (Dwork et al. 2006), or with ``delta`` of approximate differential privacy.
delta : float, optional
    Slack of ``epsilon``, far below one over the number of records, such as 1e-6; given with ``epsilon`` only.
mu : float, optional
    Budget of Gaussian differential privacy (Dong, Roth and Su 2022), instead of ``epsilon``.
rho : float, optional
    Budget of zero-concentrated differential privacy (Bun and Steinke 2016), instead of ``epsilon``.""",
    "located": """\
ball : {"auto"}, BallRelease or Ball, optional
    For an unknown ball, ``"auto"`` finds one with a part of the budget and spends the rest on the mean in it. A
    :class:`BallRelease`, from :class:`PrivateBall`, was found before.
within : float, optional
    With ``ball="auto"``: radius of the public outer ball around ``center`` in which the ball is sought. It may be a
    thousand times too large. By default the whole space if it is bounded, as spheres and shapes are.
quantile : float, optional
    With ``ball="auto"``: the share of the records at which the radius of the ball aims, as for :class:`PrivateBall`;
    0.75 by default.""",
    "spread": """\
spread : bool
    Release also the spread, with a quarter of the budget: how far the records are from the private mean, and their
    share outside the ball, in ``release_.spread``. It shows whether the mean describes the records. With ``groups`` it
    describes contributions, for which records were clipped first, so it does not show a ball that is too small for the
    records (flag ``clipped-before-reduced``).
spread_clip : float, optional
    Public bound at which the distances of the spread are cut off; by default twice the radius.""",
    "neighbours": """\
adjacency : {"replace-one", "add-remove"}
    Neighbouring data sets, which differ in the value of one record, or by one additional record. With ``"add-remove"``
    the number of records is confidential too.
n_guess : int, optional
    With ``"add-remove"``: a public guess of the number of records, for which the release is planned. The guarantee does
    not depend on it.""",
    "ledger": """\
ledger : Ledger or path, optional
    Ledger that counts the budget before the noise is drawn, and refuses if not enough is left. By default the ledger of
    the ``with`` block, if there is one.""",
    "on_invalid": """\
on_invalid : {"error", "replace-with-center"}
    Treatment of a record that is not a point of the manifold.""",
    "random_state": """\
random_state : int, optional
    Reproducible noise, hence **not private**: for tests and demonstrations. The release is flagged ``"seeded"``.""",
    "jobs": """\
n_jobs : int, optional
    Number of threads: -1 for one per core, -2 for one less. By default ``RAYON_NUM_THREADS``, or one per core. Results
    do not depend on it.""",
    "settings": "{ledger}\n{random_state}\n{jobs}",
    "numerics": """\
numerics : {"exact", "any"}
    Proofs that ``"auto"`` accepts: those about the released bits, or also those about real numbers, for noise in
    floating point. A mechanism that you name is always accepted.""",
    "pq": """\
p, q : arrays of shape (..., *shape)
    Points.
check : bool, default=True
    Whether to check that these are points, and to remove rounding.""",
    "v": """\
v : array of shape (..., *shape)
    Tangent vectors at ``p``.
check : bool, default=True
    Whether to check that these are points and tangent vectors there, and to remove rounding.""",
    "converges": """\
Warns
-----
ConvergenceWarning
    When ``max_iter`` ends the iteration: the result is the last iterate.""",
    "self": """\
Returns
-------
self""",
    "always": """\
Raises
------
Error
    Always.""",
    "refusals": """\
Raises
------
Error
    For wrong or conflicting arguments; the message names one, and a remedy.""",
    "unfitted": """\
Raises
------
NotFittedError
    Before ``fit``.
InvalidPointError
    For a record that is not a point; the message names it and the reason.
Error
    For records of another shape than those of ``fit``.""",
}
"""Texts of parameters that several estimators and functions take, and of what several refuse."""


def _rows(table: str) -> list[list[str]]:
    """The cells of a table of a row a line."""
    return [[cell.strip() for cell in row.split("|")] for row in table.strip().split("\n")]


_REFERENCES = _rows("""
Abadi et al. 2016 | Deep learning with differential privacy. CCS, 308–318 | PrivateDescent
Aitchison 1986 | The Statistical Analysis of Compositional Data. Chapman and Hall |
Archakov and Hansen 2021 | A new parametrization of correlation matrices. Econometrica 89, 1699–1715 |
Arsigny et al. 2007 | Geometric means in a novel vector space structure. SIAM J. Matrix Anal. Appl. 29, 328–347 | HPD
Balle and Wang 2018 | Improving the Gaussian mechanism for differential privacy. ICML, 394–403 | calibrate profile
Barachant, Bonnet, Congedo and Jutten 2012 | Multiclass brain–computer interface classification by Riemannian \
geometry. IEEE Trans. Biomed. Eng. 59, 920–928 | classification.PrivateTangentClassifier
Bhattacharya and Patrangenaru 2003 | Large sample theory of intrinsic and extrinsic sample means on manifolds. Ann. \
Statist. 31, 1–29 | EmbeddedMean compare
Bun and Steinke 2016 | Concentrated differential privacy. TCC, 635–658 |
Corrigan-Gibbs and Boneh 2017 | Prio: private, robust, and scalable computation of aggregate statistics. NSDI, \
259–282 | aggregate.Task aggregate.Aggregator
Dong, Roth and Su 2022 | Gaussian differential privacy. J. R. Stat. Soc. B 84, 3–37 |
Dryden and Mardia 2016 | Statistical Shape Analysis. Wiley | Landmarks SizeAndShape align_landmarks
Duchi, Jordan and Wainwright 2018 | Minimax optimal procedures for locally private estimation. J. Am. Stat. Assoc. \
113, 182–201 | randomize collect
Dwork et al. 2006 | Calibrating noise to sensitivity in private data analysis. TCC, 265–284 | sensitivity
Dwork and Roth 2014 | The Algorithmic Foundations of Differential Privacy. Now Publishers | compose
Edelman, Arias and Smith 1998 | The geometry of algorithms with orthogonality constraints. SIAM J. Matrix Anal. \
Appl. 20, 303–353 | Grassmannian
Fisher, Lewis and Embleton 1987 | Statistical Analysis of Spherical Data. Cambridge University Press | \
directional.fisher_statistics directional.axial_statistics
Fletcher 2013 | Geodesic regression and the theory of least squares on Riemannian manifolds. IJCV 105, \
171–185 | PrivateGeodesicRegression
Fletcher, Lu, Pizer and Joshi 2004 | Principal geodesic analysis for the study of nonlinear statistics of shape. \
IEEE Trans. Med. Imaging 23, 995–1005 | PrivateTangentPCA Components
Fletcher, Venkatasubramanian and Joshi 2009 | The geometric median on Riemannian manifolds. NeuroImage 45, \
S143–S152 | GeometricMedian PrivateGeometricMedian
Fréchet 1948 | Les éléments aléatoires de nature quelconque dans un espace distancié. Ann. Inst. Henri Poincaré 10, \
215–310 | FrechetMean PrivateFrechetVariance
Jagielski, Ullman and Oprea 2020 | Auditing differentially private machine learning. NeurIPS | audit
James and Stein 1961 | Estimation with quadratic loss. Fourth Berkeley Symposium 1, 361–379 |
Karcher 1977 | Riemannian center of mass and mollifier smoothing. CPAM 30, 509–541 | FrechetMean
Kendall 1984 | Shape manifolds, Procrustean metrics, and complex projective spaces. Bull. London Math. Soc. 16, 81–121 |
Lin 2019 | Riemannian geometry of SPD matrices via Cholesky decomposition. SIAM J. Matrix Anal. Appl. 40, 1353–1370 |
Lloyd 1982 | Least squares quantization in PCM. IEEE Trans. Inf. Theory 28, 129–137 | PrivateKMeans
Mardia and Jupp 2000 | Directional Statistics. Wiley | Sphere Projective Torus directional.circular_mean \
directional.rotation_mean DirectionalSummary Concentration Concentrations Uniformity
McSherry 2009 | Privacy integrated queries. SIGMOD, 19–30 | parallel
Moakher 2002 | Means and averaging in the group of rotations. SIAM J. Matrix Anal. Appl. 24, 1–16 | Rotations Poses
Nickel and Kiela 2017 | Poincaré embeddings for learning hierarchical representations. NeurIPS | Hyperbolic
Pennec et al. 2006 | A Riemannian framework for tensor computing. IJCV 66, 41–66 | TangentSpace
Rao 1945 | Information and the accuracy attainable in the estimation of statistical parameters. Bull. Calcutta Math. \
Soc. 37, 81–91 | SimplexFisherRao
Reimherr, Bharath and Soto 2021 | Differential privacy over Riemannian manifolds. NeurIPS | PrivateFrechetMean
Thanwerdas 2022 | Riemannian and Stratified Geometries on Covariance and Correlation Matrices. Université Côte d'Azur |
""")
"""Author and year, as docstrings cite them; title and place; and names that have the reference without a citation."""

_GROUPS = _rows("""
Other private statistics. | PrivateFrechetMean PrivateGeometricMedian PrivateFrechetVariance PrivateTangentPCA \
PrivateKMeans PrivateDescent PrivateCount PrivateBall PrivatePCA PrivateQuantiles PrivateScore PrivateSelection
The other private regression. | PrivateGeodesicRegression PrivateFeatureRegression
Other private classifiers. | classification.PrivateNearestCentroid classification.PrivateMDM \
classification.PrivateTangentClassifier
The other release of images. | fields.PrivateFieldMean fields.PrivateFieldRegression
Other estimators without privacy. | FrechetMean GeometricMedian GeodesicRegression TangentSpace
Other terms. | features.Linear features.Poly features.Spline features.Levels features.Product
Other bases. | fields.Parcels fields.Splines fields.Modes
Other files. | preprocessing.read_mat preprocessing.read_nifti read_landmarks
Other questions before anything is spent. | plan sensitivity calibrate profile audit
The other rule. | compose parallel
Other releases. | Release RegressionRelease FeatureRegressionRelease VarianceRelease KMeansRelease CountRelease \
BallRelease CovarianceRelease QuantilesRelease ScoreRelease SelectionRelease
Other uses of releases. | compare pool synthesize report verify run Series
The other parts of records elsewhere. | Remote partial merge
The other half of the local model. | randomize collect
Other parts of the protocol. | aggregate.Task aggregate.Aggregator aggregate.State aggregate.make_keys \
aggregate.make_shared_key aggregate.combine aggregate.adopt
Other records. | directional.fisher_statistics directional.axial_statistics directional.rotation_mean \
directional.circular_mean
Other pictures. | plot.release plot.stereonet plot.plan_curves
The other half of a run. | interop.flower.client_app interop.flower.PrivateSum
Other conversions. | interop.dp_accounting.event interop.dp_accounting.pld interop.dp_accounting.pld_of_profile
Other spaces of directions, angles and motions. | Sphere Projective Rotations Poses Torus
Other spaces of matrices. | SPD HPD Correlations Grassmannian
Other spaces of landmarks. | Kendall Landmarks SizeAndShape
Other spaces of vectors. | Euclidean Hyperbolic Compositions SimplexFisherRao
The other way to join spaces. | Product Power
Other operations. | Manifold.exp Manifold.log Manifold.dist Manifold.inner Manifold.norm Manifold.transport
Other forms of points. | Manifold.read Manifold.write Manifold.project
Other errors. | Error errors.ArgumentTypeError errors.InvalidPointError errors.InvalidCellError errors.CutLocusError \
errors.RadiusTooLargeError errors.TooMuchNoiseError errors.UnsupportedError errors.BudgetError errors.LedgerError \
errors.UnansweredError errors.NoConvergenceError errors.NotFittedError
Other warnings. | errors.WeakBudgetWarning errors.MostlyNoiseWarning errors.TrainingRecordsWarning
""")
"""What a name sees: the others of its group."""

_RELATED = _rows("""
PrivateFrechetMean PrivateFrechetVariance | FrechetMean | Without privacy.
PrivateGeometricMedian | GeometricMedian | Without privacy.
PrivateGeodesicRegression | GeodesicRegression | Without privacy.
FrechetMean | PrivateFrechetMean | With privacy.
GeometricMedian | PrivateGeometricMedian | With privacy.
GeodesicRegression | PrivateGeodesicRegression | With privacy.
PrivateTangentPCA classification.PrivateTangentClassifier | TangentSpace | Coordinates at a reference.
TangentSpace | PrivateTangentPCA | Private components in such coordinates.
PrivateFrechetMean PrivateGeodesicRegression PrivateFeatureRegression | plan run | A promise, and a fit by request.
PrivateFeatureRegression features.names features.rows | features.Linear features.Spline features.Levels | Terms.
features.Linear features.Levels features.names features.rows | PrivateFeatureRegression | Fits the terms.
fields.PrivateFieldMean fields.PrivateFieldRegression | fields.Parcels fields.Splines fields.Modes | Bases.
fields.Parcels fields.FieldPlan | fields.PrivateFieldMean | Plans and releases fields.
fields.FieldEffect | fields.PrivateFieldRegression | Finds it.
preprocessing.ShrinkTrace preprocessing.PublicBall | classification.PrivateMDM | Takes the ball.
classification.PrivateMDM preprocessing.PublicBall | preprocessing.ShrinkTrace | Makes a public ball.
preprocessing.PersonRecenter | classification.PrivateMDM | Takes its records.
Plan Candidate Gain RehearsedBall | plan | Makes it.
Sensitivity | sensitivity | Makes it.
Noise | calibrate | Makes it.
Profile | profile | Makes it.
Audit AuditedPart AuditedProfile | audit | Makes it.
Guarantee Ledger | compose parallel | What several releases guarantee together.
compose parallel LedgerEntry | Guarantee Ledger | A guarantee, and an account of many.
Release | PrivateFrechetMean | Makes it.
Ball Region Spread Components EmbeddedMean Located NoiseDraw Step | Release | Holds it.
Part Radii | Located BallRelease | Hold it.
UniformSpread NoisyNumber | Spread VarianceRelease | Hold it.
DirectionalSummary | EmbeddedMean | Holds it.
Concentration Concentrations Uniformity | DirectionalSummary | Holds it.
Cluster | KMeansRelease | Holds it.
CovarianceRelease | PrivatePCA | Makes it.
PrivatePCA | PrivateTangentPCA | Components on other spaces.
PrivateTangentPCA | PrivatePCA | Components of vectors, with less noise.
private_score | PrivateScore | The same as a scorer.
PrivateScore ScoreRelease | private_score | Makes a release at once.
SelectionRelease | PrivateSelection | Makes it.
QuantilesRelease | PrivateQuantiles | Makes it.
Effect TermTest Predictions | FeatureRegressionRelease | Holds or makes it.
Comparison | compare | Makes it.
PooledMean | pool | Makes it.
MeanOverSites | PooledMean | Holds it.
Synthetic | synthesize | Makes it.
Verification Finding show_versions | verify | Compares a release with its specification.
RandomizedRecord | randomize | Makes it.
Collected | collect | Makes it.
directional.FisherStatistics | directional.fisher_statistics | Makes it.
directional.AxialStatistics | directional.axial_statistics | Makes it.
directional.RotationMean | directional.rotation_mean | Makes it.
directional.CircularMean | directional.circular_mean | Makes it.
plot.Picture | plot.release plot.stereonet plot.plan_curves | Make one.
plot.release plot.stereonet plot.plan_curves | plot.Picture | What is returned.
interop.opendp.measurement | PrivateFrechetMean | Measures the same.
interop.flower.client_app interop.flower.PrivateSum | aggregate.Task aggregate.Aggregator | The protocol of the run.
interop.nvflare.PrivateUpdate | interop.flower.PrivateSum | Less noise, by aggregators.
Kendall Landmarks SizeAndShape | read_landmarks align_landmarks | Files, and rotation onto a template.
read_landmarks align_landmarks | Landmarks SizeAndShape | Spaces of landmarks.
Sphere SPD Euclidean Product Power manifold | Manifold | What all spaces have.
Manifold | manifold | Makes one from its name.
""")
"""Names, what else each sees, and how that is related."""

_RAISES = _rows("""
refusals | audit collect compose parallel profile randomize plot.plan_curves plot.stereonet Ledger.new \
PrivateCount.spec PrivateCount.fit PrivateDescent.spec private_score PrivateScore.spec PrivateScore.guarantee \
PrivateSelection.spec PrivateSelection.fit PrivateSelection.guarantee \
classification.PrivateNearestCentroid.fit \
classification.PrivateNearestCentroid.spec classification.PrivateTangentClassifier.fit \
fields.Parcels.matrix fields.Splines.matrix fields.Modes.matrix preprocessing.ShrinkTrace.ball \
Manifold.dist Manifold.inner Manifold.norm interop.dp_accounting.event interop.dp_accounting.pld \
interop.dp_accounting.pld_of_profile preprocessing.read_nifti
always | PrivateKMeans.fit_predict classification.PrivateNearestCentroid.fit_predict \
classification.PrivateNearestCentroid.fit_transform
unfitted | PrivateSelection.predict \
PrivateKMeans.predict PrivateKMeans.distances PrivatePCA.inverse_transform PrivatePCA.get_covariance \
PrivateTangentPCA.inverse_transform RegressionRelease.predict \
TangentSpace.inverse_transform classification.PrivateNearestCentroid.transform \
classification.PrivateNearestCentroid.predict classification.PrivateNearestCentroid.predict_proba \
classification.PrivateNearestCentroid.score classification.PrivateTangentClassifier.decision_function \
classification.PrivateTangentClassifier.predict classification.PrivateTangentClassifier.predict_proba \
fields.PrivateFieldRegression.effect fields.PrivateFieldRegression.predict \
fields.PrivateFieldRegression.standard_error fields.PrivateFieldMean.to_nifti fields.PrivateFieldRegression.to_nifti \
fields.PrivateFieldMean.standard_error_to_nifti
""")
"""Which of the texts about refusals a name has."""

_EXAMPLES = """
x = karcher.Sphere(2).random_point(5000, scale=0.1, random_state=1)
mean = karcher.PrivateFrechetMean("sphere:2", radius=0.8, center="origin", epsilon=1.0, spread=True)
release = mean.fit(x).release_
: Release = release | Ball = release.ball | Region = release.region | NoiseDraw = release.noise[0]
: Spread = release.spread | UniformSpread = release.spread.uniform | NoisyNumber = release.spread.mean_square
: Comparison = karcher.compare(release, mean.fit(x[:2500]).release_) | Verification = karcher.verify(release)
: PooledMean = karcher.pool([release, mean.fit(x[:2500]).release_])
: MeanOverSites = karcher.pool([release, mean.fit(x[:2500]).release_]).over_sites
: Synthetic = karcher.synthesize(release, n=10)

x = karcher.Sphere(2).random_point(1000, scale=0.1, random_state=1)
release = karcher.PrivateFrechetMean("sphere:2", epsilon=1.0, random_state=0).fit(x).release_
(factor,) = release.extrinsic.factors
: DirectionalSummary = factor | Concentration = factor.concentration | Uniformity = factor.uniformity
: Finding = karcher.verify(release).findings[0]

x = karcher.Projective(2).random_point(1000, scale=0.1, random_state=1)
release = karcher.PrivateFrechetMean("projective:2", epsilon=1.0).fit(x).release_
: Concentrations = release.extrinsic.factors[0].concentrations

x = karcher.Euclidean(2).random_point(1000, random_state=1)
located = karcher.PrivateFrechetMean("euclidean", ball="auto", within=50.0, mu=1.0).fit(x).release_.located
: Located = located | Radii = located.radii | Part = located.parts[0]

x = karcher.SPD(2, "affine-invariant").random_point(1000, scale=0.1, random_state=1)
mean = karcher.PrivateFrechetMean("spd-affine-invariant", 1.0, "origin", mu=1.0, mechanism="karcher-flow")
: Step = mean.fit(x).release_.steps[0]

x = karcher.Euclidean(2).random_point(1000, random_state=1)
clusters = karcher.PrivateKMeans(n_clusters=2, radius=5.0, mu=1.0)
: Components = karcher.PrivateTangentPCA(radius=5.0, mu=1.0).fit(x).release_.components
: VarianceRelease = karcher.PrivateFrechetVariance(clip=5.0, mu=1.0).fit(x).release_
: CovarianceRelease = karcher.PrivatePCA(radius=5.0, mu=1.0).fit(x).release_
: QuantilesRelease = karcher.PrivateQuantiles(radius=5.0, mu=1.0).fit(x).release_
: BallRelease = karcher.PrivateBall(within=50.0, mu=1.0).fit(x).release_
: CountRelease = karcher.PrivateCount(mu=1.0).fit(x).release_
: KMeansRelease = clusters.fit(x).release_ | Cluster = clusters.fit(x).release_.clusters[0]

from types import SimpleNamespace
x = karcher.Euclidean(2).random_point(1000, random_state=1)
sign, other = SimpleNamespace(predict=lambda X: X[:, 0] > 0), SimpleNamespace(predict=lambda X: X[:, 0] > 1)
: ScoreRelease = karcher.private_score(sign, x, x[:, 0] > 0, epsilon=1.0)
: SelectionRelease = karcher.PrivateSelection({"a": sign, "b": other}, mu=1.0).fit(x, x[:, 0] > 0).release_

age = np.linspace(20.0, 80.0, 1000)
line = karcher.PrivateGeodesicRegression(predictor_range=(20, 80), radius=3.0, slope_bound=3.0, epsilon=1.0)
: RegressionRelease = line.fit(age, age / 80).release_

people = {"age": np.linspace(20.0, 80.0, 1000)}
regression = karcher.PrivateFeatureRegression(features=["linear:age:20:80"], radius=3.0, mu=1.0)
release = regression.fit(people, people["age"] / 80).release_
: FeatureRegressionRelease = release | Effect = release.effects[0] | TermTest = release.term_tests[0]
: Predictions = release.predict({"age": [30.0]})

plan = karcher.plan("sphere:2", radius=1.0, n=2000, mu=1.0, expected_spread=0.05)
: Plan = plan | Candidate = plan[plan.best] | Gain = plan["chart"].denoised[0]
: RehearsedBall = plan["two-stage"].rehearsed

space = karcher.Euclidean(2)
: Sensitivity = karcher.sensitivity(space, radius=0.9, n=100)
: Noise = karcher.calibrate(space, 0.02, mechanism="laplace", epsilon=1.0)
: Profile = karcher.profile(space, 0.02, 0.1, mechanism="gaussian", epsilon=[0.1, 1.0])

audit = karcher.audit("euclidean:1", radius=0.5, n=20, epsilon=1.0, spread=True, releases=1000)
: Audit = audit | AuditedPart = audit.parts[0] | AuditedProfile = audit.profile

records = [karcher.randomize([0.3, 0.1], "euclidean:2", radius=1.0, epsilon=1.0) for _ in range(100)]
: RandomizedRecord = records[0] | Collected = karcher.collect(records)

import tempfile
ledger = karcher.Ledger.new(tempfile.mkdtemp() + "/a.ledger", data="people", epsilon=1.0)
counted = karcher.PrivateCount(epsilon=0.5, ledger=ledger).fit([1, 2])
: LedgerEntry = ledger.entries[0]

degrees = np.random.default_rng(0).normal([300.0, 60.0], [8.0, 4.0], size=(2000, 2))
: directional.FisherStatistics = karcher.directional.fisher_statistics(degrees, mu=1.0)
: directional.AxialStatistics = karcher.directional.axial_statistics(degrees, mu=1.0)
: directional.CircularMean = karcher.directional.circular_mean(degrees[:, 0], degrees=True, mu=1.0)
: directional.RotationMean = karcher.directional.rotation_mean(np.tile([1.0, 0.0, 0.0, 0.0], (500, 1)), mu=1.0)

parcels, people = karcher.fields.Parcels([[1, 1], [2, 2]]), {"age": np.linspace(20.0, 80.0, 500)}
images, line = np.zeros((500, 2, 2)), karcher.features.Linear("age", 20, 80)
mean = karcher.fields.PrivateFieldMean("euclidean:1", basis=parcels, clip=1.0, mu=1.0)
fields = karcher.fields.PrivateFieldRegression("euclidean:1", basis=parcels, features=[line], clip=1.0, mu=1.0)
: fields.FieldPlan = mean.plan(500) | fields.FieldEffect = fields.fit(people, images).effect("age", 30, 70)

import karcher.plot
: plot.Picture = karcher.plan("sphere:2", radius=0.9, n=1000, epsilon=1.0).plot()

state = karcher.aggregate.State.from_json('{"rounds": 1}')
: aggregate.State = state
"""
"""Blocks of code, and after each the names of classes with expressions that are objects of them."""

_OBJECTS = {
    name: (code, expression)
    for block in _EXAMPLES.strip().split("\n\n")
    for code, *objects in [re.split(r"\n: | \| ", block)]
    for name, expression in (one.split(" = ", 1) for one in objects)
}
"""The code and the expression of each class."""

_REFUSED = {
    "Error": 'karcher.manifold("spheres:2")',
    "errors.ArgumentTypeError": 'karcher.Sphere("2")',
    "errors.InvalidPointError": "karcher.Sphere(2).project([1, 0, 1])",
    "errors.InvalidCellError": 'karcher.FrechetMean().fit([["a"], ["b"]])',
    "errors.CutLocusError": "karcher.Sphere(1).log([1, 0], [-1, 0])",
    "errors.RadiusTooLargeError": 'karcher.sensitivity("sphere:2", radius=3.0, n=100)',
    "errors.TooMuchNoiseError": 'karcher.Hyperbolic(3).random_point(law="laplace", scale=9.0)',
    "errors.UnsupportedError": 'karcher.Torus(2).random_point(law="laplace")',
    "errors.BudgetError": "import tempfile\n"
    'ledger = karcher.Ledger.new(tempfile.mkdtemp() + "/a.ledger", data="people", epsilon=1.0)\n'
    "karcher.PrivateCount(epsilon=2.0, ledger=ledger).fit([1, 2])",
    "errors.LedgerError": 'karcher.Ledger("missing.ledger")',
    "errors.UnansweredError": 'karcher.PrivateFrechetMean("euclidean:1", 1.0, mu=1.0).fit(karcher.Remote(bytes.lower))',
    "errors.NoConvergenceError": 'raise karcher.errors.NoConvergenceError("try more iterations")',
    "errors.NotFittedError": "karcher.GeodesicRegression().predict([1.0])",
    "errors.WeakBudgetWarning": "karcher.PrivateFrechetMean(radius=1.0, epsilon=100.0).fit([[0.0], [1.0]])",
    "errors.MostlyNoiseWarning": "karcher.PrivateFrechetMean(radius=1.0, epsilon=0.1).fit([[0.0], [1.0]])",
    "errors.TrainingRecordsWarning": "x = np.zeros((100, 1))\n"
    "clusters = karcher.PrivateKMeans(n_clusters=2, radius=1.0, mu=1.0).fit(x)\n"
    "clusters.predict(x)",
}
"""Code whose last line raises an error, or warns."""

_MODULES = {
    "tangent_classification": "classification", "_bases": "fields", "_of_fields": "fields",
    "_foreign_files": "preprocessing", "_recentering": "preprocessing",
}  # fmt: skip
"""Modules whose names another one has."""

_PUBLIC = (
    "aggregate", "classification", "directional", "errors", "features", "fields", "interop.dp_accounting",
    "interop.flower", "interop.nvflare", "interop.opendp", "plot", "preprocessing",
)  # fmt: skip
"""Modules whose names have theirs before them."""

_SECTIONS = (
    "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples",
)  # fmt: skip


def public_name(module: str, name: str) -> str:
    """How a user calls what is defined in a module, after ``karcher.``."""
    own = module.partition(".")[2]
    own = _MODULES.get(own, own)
    return f"{own}.{name}" if own in _PUBLIC and name != "Error" else name


def completed(name: str, text: str) -> str:
    """A docstring, without indentation, with shared texts, errors, related names, references and an example."""
    for _ in range(2):  # a text may have others in it
        text = re.sub(r"(?m)^\{(\w+)\}$", lambda match: TEXTS.get(match[1], match[0]), text)
    related = [(names, how) for how, names in _GROUPS if name in names.split()]
    related += [(seen, how) for names, seen, how in _RELATED if name in names.split()]
    seen = [f"{', '.join(one for one in names.split() if one != name)} : {how}" for names, how in related]
    words = " ".join(text.split())
    cited = [f"{key}: {title}." for key, title, names in _REFERENCES if key in words or name in names.split()]
    made = {
        "Raises": "".join(TEXTS[text] for text, names in _RAISES if name in names.split()),
        "See Also": _section("See Also", seen),
        "References": _section("References", [f".. [{i}] {one}" for i, one in enumerate(cited, 1)]),
        "Examples": _section("Examples", _example(name)),
    }
    first, *others = re.split(r"(?m)^(?=\w[\w ]*\n-{3,}$)", text)
    found = {**made, **{part.partition("\n")[0]: part for part in others}}
    parts = [first, *[found[title] for title in sorted(found, key=_SECTIONS.index)]]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def complete(module: dict[str, Any], *others: str) -> Callable[[], list[str]]:
    """Completes the docstrings of a module, and returns its ``__dir__``, which has the public names alone."""
    own = [name for name, value in module.items() if getattr(value, "__module__", None) == module["__name__"]]
    for name in own:
        for method, value in vars(module[name]).items() if isinstance(module[name], type) else ():
            _complete(getattr(value, "__func__", value), public_name(module["__name__"], f"{name}.{method}"))
        _complete(module[name], public_name(module["__name__"], name))
    public = [name for name in [*module.get("__all__", own), *others] if not name.startswith("_")]
    return lambda: public


def _complete(value: Any, name: str) -> None:
    if (isinstance(value, type) or inspect.isfunction(value)) and value.__doc__:
        value.__doc__ = completed(name, inspect.cleandoc(value.__doc__))


def _section(title: str, rows: list[str]) -> str:
    return "\n".join([title, "-" * len(title), *rows]) if rows else ""


def _example(name: str) -> list[str]:
    """The lines of an example, if there is one."""
    if name in _OBJECTS:
        code, expression = _OBJECTS[name]
        shown = ["import numpy as np, karcher", *code.split("\n"), f"isinstance({expression}, karcher.{name})"]
        return [*[f">>> {line}" for line in shown], "True"]
    of_module = "aggregate" if name.startswith("aggregate.") else "cluster"
    if of_module == "aggregate" or name in ("Remote", "merge", "partial"):
        return [f"See the module :mod:`karcher.{of_module}`."]
    if name not in _REFUSED:
        return []
    *before, last = _REFUSED[name].split("\n")
    lines = ["import warnings, numpy as np, karcher" if name.endswith("Warning") else "import karcher", *before]
    failing = [f">>> {last}"]
    if name.endswith("Warning"):
        always = f'...     warnings.simplefilter("error", karcher.{name})'
        failing = [">>> with warnings.catch_warnings():", always, f"...     {last}"]
    kind = name if name.startswith("errors.") else f"errors.{name}"
    return [*[f">>> {line}" for line in lines], *failing, "Traceback (most recent call last):", f"karcher.{kind}: ..."]
