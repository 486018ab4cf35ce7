"""Claims and numbers of the README and of the how-to pages that no block of code on them prints."""

import html
import json
import logging
import math
import pathlib
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import karcher

ROOT = pathlib.Path(__file__).parents[3]


def says(page, words):
    """That a page has these words, wherever its lines break."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert words in text, f"{page} does not say {words!r}"


@pytest.mark.parametrize(
    ("space", "budget"),
    [
        ("euclidean:2", {"epsilon": 1.0}),
        ("euclidean:2", {"mu": 1.0, "mechanism": "karcher-flow"}),
        ("hyperbolic:2", {"epsilon": 1.0, "mechanism": "laplace"}),
        ("sphere:2", {"epsilon": 1.0}),
        ("kendall:4", {"epsilon": 1.0, "delta": 1e-6}),
    ],
)
def test_only_private_values_of_a_release_depend_on_the_records(space, budget):
    space = karcher.manifold(space)
    said = []
    for seed, scale in ((1, 0.01), (2, 0.5)):
        records = space.random_point(200, scale=scale, random_state=seed)
        mean = karcher.PrivateFrechetMean(space, 0.3, space.origin, **budget).fit(records)
        said.append(json.loads(mean.release_.to_json()))
    assert {name for name in said[0] if said[0][name] != said[1][name]} <= {"value", "noisy_value", "noisy_coordinates"}
    assert set(said[0]) == set(said[1]) and said[0]["value"] != said[1]["value"]


@pytest.mark.parametrize("space", ["sphere:2", "kendall:4", "projective:2", "rotations:3", "torus:1"])
def test_a_ball_on_a_bounded_space_is_found_from_nothing(space):
    space = karcher.manifold(space)
    records = space.random_point(3000, scale=0.05, random_state=1)
    release = karcher.PrivateFrechetMean(space, ball="auto", mu=5.0).fit(records).release_
    assert space.dist(release.value, karcher.FrechetMean(space).fit(records).estimate_) < 0.2


def test_a_record_outside_of_an_assumed_ball_moves_the_mean_beyond_the_sensitivity():
    says("docs/understand/threats.md", "With `--assume-in-ball` the guarantee holds only if every possible record")
    at = {"radius": 1.0, "center": [1.0, 0.0, 0.0], "epsilon": 1e3, "mechanism": "laplace"}

    def apart(assumed):
        """The move of the mean, in sensitivities, when one record goes from one end to the other."""
        mean = karcher.PrivateFrechetMean("hyperbolic:2", assume_in_ball=assumed, **at)
        last = [[math.cosh(10.0), end * math.sinh(10.0), 0.0] for end in (-1, 1)]
        releases = [mean.fit([[1.0, 0.0, 0.0]] * 99 + [record]).release_ for record in last]
        return karcher.Hyperbolic(2).dist(*(release.value for release in releases)) / releases[0].sensitivity.value

    assert apart(assumed=False) < 1.1 and apart(assumed=True) > 1.9


def test_the_mean_in_a_large_ball_of_negative_curvature_has_less_noise_than_the_chart():
    says("docs/reference/spaces/hyperbolic.md", "In large balls noise around the mean (`--numerics any`) is much")
    plan = karcher.plan("hyperbolic:2", 8.0, 1000, epsilon=1.0)
    assert 2 * plan["laplace"].expected_distance < plan["chart"].expected_distance


def test_releases_add_up_as_the_pages_say():
    says("docs/how-to/diffusion-tensors.md", r"with 1,000 voxels each has $`\varepsilon/1000`$, or $`\mu/\sqrt{1000}`$")
    voxels = karcher.compose(*[karcher.Guarantee(mu=1 / math.sqrt(1000))] * 1000)
    assert voxels.mu == pytest.approx(1.0, rel=1e-12)
    assert karcher.compose(*[karcher.Guarantee(epsilon=0.001)] * 1000).epsilon == pytest.approx(1.0, rel=1e-12)


def test_no_epsilon_bounds_beliefs_under_mu():
    says("docs/how-to/choose-epsilon.md", "**No bound on beliefs** as the one above exists for μ")
    says("docs/tutorials/sign-off.md", "there is no bound on beliefs")
    assert all(karcher.Guarantee(mu=1.0).delta_at(epsilon) > 0 for epsilon in (1.0, 10.0, 30.0))
    assert karcher.Guarantee(epsilon=1.0).delta_at(1.0) == 0


def test_a_spread_of_persons_does_not_see_records_outside():
    says("docs/how-to/choose-a-ball.md", "the spread reports about 0 % outside")
    visits, patient = np.random.default_rng(0).normal(size=(6000, 2)), np.repeat(np.arange(2000), 3)
    visits *= 50 / np.linalg.norm(visits, axis=1, keepdims=True)
    mean = karcher.PrivateFrechetMean("euclidean:2", radius=3.0, epsilon=0.5, spread=True)
    # the noise on the share is about 1/(n·ε/8) wide
    assert mean.fit(visits, groups=patient).release_.spread.fraction_outside.value < 0.2


def test_white_matter_is_as_far_from_the_center_as_the_page_says():
    says("docs/how-to/diffusion-tensors.md", r"$`\sqrt{0.89^2 + 2 \cdot 0.85^2} = 1.5`$ from $`0.7I`$")
    tensor, center = np.diag([1.7, 0.3, 0.3]), 0.7 * np.eye(3)
    assert round(karcher.SPD(3).dist(center, tensor), 1) == 1.5
    assert [round(abs(math.log(x / 0.7)), 2) for x in (1.7, 0.3)] == [0.89, 0.85]


def test_a_spread_takes_a_quarter_of_the_budget_and_goes_with_the_resultant_length():
    for page in ("docs/how-to/choose-a-ball.md", "docs/how-to/directions-and-axes.md"):
        says(page, "a quarter of the budget")
    sphere = karcher.Sphere(2)
    headings = sphere.random_point(100_000, center=[0, 0, 1], scale=0.1, random_state=0)
    mean = karcher.PrivateFrechetMean(sphere, 0.8, [0, 0, 1], epsilon=100.0, spread=True).fit(headings)
    assert mean.release_.spread.mean_guarantee.epsilon == 75
    resultant = np.linalg.norm(headings.mean(axis=0))
    assert resultant == pytest.approx(1 - mean.release_.spread.root_mean_square**2 / 2, abs=1e-3)


def test_axes_are_at_most_a_right_angle_apart():
    says("docs/how-to/directions-and-axes.md", "two axes are never more than 90° apart")
    axes = karcher.Projective(2)
    points = axes.random_point(1000, scale=10.0, random_state=0)
    distances = axes.dist(points[:, np.newaxis], points)
    assert math.radians(89) < distances.max() <= math.radians(90) + 1e-12


def test_a_record_that_is_no_point_is_not_logged(caplog, capfd):
    def ask(question):
        parts = [[0.6, 0.0, 0.8]] * 100, [[0.6, 0.0, 0.8]] * 99 + [[3.0, 0.0, 0.0]]
        return karcher.merge(*(karcher.partial(np.array(part), question) for part in parts))

    says("docs/how-to/large-data.md", "The package writes no log.")
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0)
    with caplog.at_level(logging.DEBUG), pytest.raises(karcher.Error):
        mean.fit(karcher.Remote(ask))
    mean.set_params(on_invalid="replace-with-center").fit(karcher.Remote(ask))
    assert not caplog.records and capfd.readouterr() == ("", "")


def test_a_report_has_the_sentence_of_every_flag():
    says("docs/how-to/report.md", "every [flag](../reference/flags.md) with its sentence")
    records = karcher.Sphere(2).random_point(100, scale=0.2, random_state=0)
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, mechanism="laplace", random_state=1)
    release = mean.fit(records).release_
    page = html.unescape(karcher.report(release))
    assert {"seeded", "idealized-numerics"} <= set(release.flags)
    notes = [line.split("  ", 1) for line in repr(release).splitlines()]
    first = [words.strip().split(": ") for name, words in notes if name == "note"]
    assert [flag for flag, _ in first] == list(release.flags) and all(sentence in page for _, sentence in first)


def classes():
    """Made-up matrices of twenty subjects, and the model of their class means."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(400, 2, 6))
    X = noise @ noise.swapaxes(1, 2)
    y, subject = np.tile(["left", "right"], 200), np.repeat([f"S{number:02}" for number in range(20)], 20)
    shrink = ShrinkTrace(alpha=0.3)
    return X, PrivateMDM(**shrink.ball(2), mu=0.7).fit(shrink.transform(X), y, groups=subject)


def test_the_file_of_one_class_names_neither_class_nor_alpha_nor_the_other():
    says("docs/how-to/publish-in-a-paper.md", "It names neither its class, nor α, nor that its people are in the")
    for release in classes()[1].releases_:
        text = release.to_json()
        assert not any(word in text for word in ("left", "right", "alpha", "class", "S01"))


def test_a_pickled_classifier_holds_no_epoch():
    says("docs/how-to/eeg.md", "`pickle.dumps(model)` holds no epoch, only the releases, the parameters,")
    X, model = classes()
    numbers = np.concatenate([X.ravel(), ShrinkTrace(alpha=0.3).transform(X).ravel()])

    def holds_one(pickled):
        forms = ((x.tobytes(), x.tobytes()[::-1], repr(float(x)).encode()) for x in numbers)
        return any(form in pickled for three in forms for form in three)

    assert not holds_one(pickle.dumps(model))
    assert holds_one(pickle.dumps((model, X))) and holds_one(pickle.dumps((model, X[7].tolist())))  # it would be seen


def test_there_are_as_many_epochs_as_the_page_says(tmp_path):
    text = (ROOT / "docs/how-to/eeg.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    made_up, read = (next(block for block in blocks if word in block) for word in ("create_info", "read_epochs"))
    script = tmp_path / "epochs.py"
    script.write_text(made_up + read, encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    says("docs/how-to/eeg.md", f"# {run.stdout.strip().replace(') ', ') in µV², ')} subjects")


def test_a_rhythm_is_as_far_off_as_the_page_says():
    space, shrink = karcher.SPD(2), ShrinkTrace(alpha=0.3)
    apart = space.dist(*shrink.transform([np.diag([0.25, 1.0]), np.diag([1.0, 0.25])]))
    says("docs/how-to/eeg.md", f"puts the classes about {apart:.2f} apart")


def test_an_average_reference_over_two_channels_makes_all_matrices_equal():
    says("docs/how-to/eeg.md", "over two channels it makes all matrices equal, without a warning")
    volts = np.random.default_rng(0).normal(size=(100, 2, 64)) * [[1.0], [3.0]]
    volts -= volts.mean(axis=1, keepdims=True)
    shrunk = ShrinkTrace(alpha=0.3).transform(volts @ volts.swapaxes(1, 2))
    assert np.ptp(shrunk, axis=0).max() < 1e-12


def test_groups_of_a_cross_validation_do_not_reach_fit(tmp_path):
    says("docs/how-to/eeg.md", "gives groups to the splitter, not to `fit`; add `params=")
    says("docs/how-to/eeg.md", 'a ledger with `unit="person"` refuses the fit')
    noise, shrink = np.random.default_rng(0).normal(size=(400, 2, 6)), ShrinkTrace(alpha=0.3)
    X, y, subject = noise @ noise.swapaxes(1, 2), np.tile(["left", "right"], 200), np.repeat(np.arange(20), 20)
    study = karcher.Ledger.new(tmp_path / "study.db", data="made up", unit="person", mu=2.0)
    model = make_pipeline(shrink, PrivateMDM(**shrink.ball(2), mu=0.7, ledger=study))
    options = {"cv": GroupKFold(2), "groups": subject, "error_score": "raise"}
    with pytest.raises(karcher.errors.LedgerError, match="groups"):
        cross_val_score(model, X, y, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two fits on some of the same records
        cross_val_score(model, X, y, **options, params={"privatemdm__groups": subject})
    assert study.spent["mu"] == pytest.approx(1.4)


def test_a_comparison_needs_a_spread_and_different_people():
    says("docs/how-to/publish-in-a-paper.md", "needs two releases with a spread, in one ball, of *different* people")
    with pytest.raises(karcher.Error, match="has no spread"):
        karcher.compare(*classes()[1].releases_)


def test_the_paper_of_the_tutorial_states_what_its_release_prints():
    page = (ROOT / "docs/tutorials/directions.md").read_text(encoding="utf-8")
    printed, words = (" ".join(text.split()) for text in (page[page.index("private mean  ") :], page))
    elevation, azimuth = re.search(r"elevation (\S+)°, azimuth (\S+)°", printed).groups()
    pattern = r"clipped population's mean is within (\S+)° of it with about.*?at most about (\S+)°"
    population, clipping = re.search(pattern, printed).groups()
    outside = re.search(r"(\S+) % of the records are outside the ball, from (\S+) % to (\S+) %", printed).groups()
    words = words.replace("> ", "")
    assert f"is {-float(elevation):.2f}° down and {float(azimuth):.2f}° to the right" in words
    assert f"within {math.ceil(100 * float(population)) / 100:.2f}° of the mean of their population" in words
    assert "{} % of the records were outside (95 %: {} to {} %)".format(*outside) in words
    assert f"by at most about {clipping}°." in words


def test_memory_is_that_of_the_help():
    says("docs/how-to/large-data.md", "less than `--memory` (512MB by default) are kept")
    options = (ROOT / "crates/karcher-cli/src/input.rs").read_text(encoding="utf-8")
    assert 'default_value = "512MB"' in options


def test_noise_by_hand_and_by_two_aggregators_are_those_of_the_page():
    def largest(epsilon, delta):
        """The μ that keeps (ε, δ)."""
        low, high = 1e-3, 10.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if karcher.Guarantee(mu=middle).delta_at(epsilon) <= delta else (low, middle)
        return low

    def by_hand(epsilon, delta):
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon

    page, mu = "docs/how-to/federated-learning.md", largest(1.0, 1e-5)
    broken = karcher.Guarantee(mu=1 / by_hand(10.0, 1e-5)).delta_at(10.0)
    says(page, f"at ε = 10, δ is {broken * 1e5:.1f} · 10⁻⁵")
    says(page, f"{math.sqrt(10) * by_hand(1.0, 1e-5):.1f} Δ, if each site adds it | {math.sqrt(2) / mu:.1f} Δ, of both")
    rounds = math.sqrt(10) * by_hand(0.01, 1e-7), math.sqrt(2 * 100) / mu
    says(page, "{:.0f} Δ, by adding up ε and δ | {:.1f} Δ, by adding up μ²".format(*rounds))
    assert karcher.Guarantee(mu=1 / by_hand(1.0, 1e-5)).delta_at(1.0) <= 1e-5
