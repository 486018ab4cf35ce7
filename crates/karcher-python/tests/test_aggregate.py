"""Sums by two aggregators: reporters, aggregators and the collector, in Python and with the command."""

import json
import os
import shutil
import stat
import threading
import time

import numpy as np
import pytest

import karcher
from karcher.aggregate import Aggregator, State, Task, adopt, combine, make_keys, make_shared_key

ONE = np.array([[0.5, 0.25], [0.125, 0.0], [-0.5, 0.75]])
TWO = np.array([[3.0, 4.0], [0.0, 1.0]])  # the first is clipped to length 1
MEAN = np.array([(0.5 + 0.125 - 0.5 + 0.6) / 5.0, (0.25 + 0.75 + 0.8 + 1.0) / 5.0])


class Pair:
    """Two aggregators with their files."""

    def __init__(self, folder):
        make_shared_key(folder / "both.key")
        self.files = [folder / "a.key", folder / "b.key"]
        self.keys = tuple(make_keys(file, shared=folder / "both.key") for file in self.files)
        self.both = [Aggregator(file) for file in self.files]

    def task(self, estimator, n=None, **options):
        return Task(estimator, n, keys=self.keys, **options)

    def sums(self, task, reports, ledger=None):
        checked = [one.check(task, reports) for one in self.both]
        return [one.add(task, reports, other, ledger=ledger) for one, other in zip(self.both, reversed(checked))]


@pytest.fixture
def pair(tmp_path):
    return Pair(tmp_path)


def plane(**budget):
    return karcher.PrivateFrechetMean("euclidean:2", radius=1.0, denoise="none", **budget)


@pytest.mark.parametrize("budget", [{"epsilon": 2000.0}, {"mu": 2000.0}])
def test_two_sites_release_a_mean(pair, budget):
    task = pair.task(plane(**budget), 5)
    reports = task.share(ONE) + task.share(TWO)
    assert len(reports) == 2
    release = combine(task, pair.sums(task, reports))
    assert isinstance(release, karcher.Release)
    # about 0.002, of pure ε: beyond 0.05 with less than 1e-10
    assert release.value == pytest.approx(MEAN, abs=0.05)
    assert (release.n, release.guarantee, release.trust) == (5, karcher.Guarantee(**budget), "one of two aggregators")
    assert "one of two aggregators has to be honest" in repr(release)
    assert release.spec == task.spec and task.spec["trust"] == release.trust
    assert not karcher.verify(release).findings
    assert "has to be honest" in karcher.report(release)
    back = karcher.Release.from_json(release.to_json())
    assert back == release and back.trust == release.trust


def test_the_noise_is_that_of_two(pair):
    """Twelve releases of 40 numbers have the announced mean length within five standard errors (below 1e-6). The noise
    of one party alone is shorter by a factor of 1.41, which is nine."""
    mean = karcher.PrivateFrechetMean("euclidean:40", radius=1.0, denoise="none", mu=1.0)
    lengths = []
    for i in range(12):
        task = pair.task(mean, 3, name=str(i))
        release = combine(task, pair.sums(task, task.share(np.zeros((3, 40)))))
        lengths.append(np.linalg.norm(release.value) / release.expected_distance)
    assert np.mean(lengths) == pytest.approx(1.0, abs=5 / np.sqrt(2 * 40 * 12))


def test_persons_report_one_record_each(pair):
    task = pair.task(plane(mu=2000.0), 6, reporters="persons")
    reports = task.share(np.concatenate([ONE, TWO]))
    assert len(reports) == 5 and len({json.loads(report)["id"] for report in reports}) == 5
    # the sixth person is silent, and lines that are no reports are left out
    sums = pair.sums(task, ["\n".join(reports[:2]), *reports[2:], reports[0], "no report", '{"task": 1}'])
    assert [json.loads(noisy)["reports"] for noisy in sums] == [5, 5]
    assert combine(task, sums).value == pytest.approx(5 * MEAN / 6, abs=0.05)
    # from other arrays, and from one person alone
    for given in (ONE.astype(np.float32), ONE.tolist(), ONE[:1]):
        assert len(task.share(given)) == len(given)
    with pytest.raises(karcher.Error, match="takes an array in memory"):
        task.share(pytest.importorskip("pyarrow").table({"x": ONE[:, 0], "y": ONE[:, 1]}))


def test_records_of_one_person_are_one_report(pair):
    spec = plane(mu=2000.0).spec(unit="person")
    persons = pair.task(spec, 2, reporters="persons")
    reports = persons.share(ONE, groups=["ann", "bob", "ann"])
    assert len(reports) == 2
    release = combine(persons, pair.sums(persons, reports))
    assert release.value == pytest.approx((np.array([0.0, 0.5]) + ONE[1]) / 2, abs=0.05)
    assert release.unit == "person"
    sites = pair.task(spec, 2, name="sites")
    release = combine(sites, pair.sums(sites, sites.share(ONE, groups=["ann", "bob", "ann"])))
    assert release.value == pytest.approx((np.array([0.0, 0.5]) + ONE[1]) / 2, abs=0.05)
    with pytest.raises(karcher.Error, match="the specification protects a person"):
        sites.share(ONE)


def test_a_flow_takes_rounds(pair, tmp_path):
    X = karcher.Sphere(2).random_point(40, center=[0.0, 0.0, 1.0], scale=0.2, random_state=1)
    flow = karcher.PrivateFrechetMean(
        "sphere:2", radius=0.9, center=[0.0, 0.0, 1.0], mechanism="karcher-flow", steps=3, mu=300.0
    )
    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="directions", mu=600.0)
    task = pair.task(flow, 40)
    assert task.rounds == 3
    for round in (1, 2, 3):
        assert task.round == round
        found = combine(task, pair.sums(task, task.share(X[:25]) + task.share(X[25:]), ledger))
        if round < 3:
            assert isinstance(found, State) and found.rounds == round
            assert State.from_json(found.to_json()) == found
            (tmp_path / "state.json").write_text(found.to_json())
            of_file = pair.task(flow, 40, state=tmp_path / "state.json")
            task = task.after(found)
            assert of_file.share(X[:1]) and of_file.round == task.round
    assert found.mechanism == "karcher-flow" and not karcher.verify(found).findings
    assert karcher.Sphere(2).dist(found.value, karcher.FrechetMean("sphere:2").fit(X).estimate_) < 0.02
    # each aggregator counts once for all rounds; here both use one ledger
    assert [entry.guarantee for entry in ledger.entries] == [karcher.Guarantee(mu=300.0)] * 2
    with pytest.raises(karcher.Error, match="is that after 3 of 3 rounds"):
        task.after(json.dumps({"rounds": 3, "numbers": [0.0, 0.0, 1.0]}))


def test_a_regression_on_features_is_shared(pair):
    rng = np.random.default_rng(0)
    people = {"age": rng.uniform(20, 80, 400)}
    heights = 150.0 + people["age"] / 4 + rng.normal(0, 3, 400)
    given = dict(features=["linear:age:20:80"], center=[165.0], radius=30.0, mu=500.0)
    regression = karcher.PrivateFeatureRegression("euclidean:1", **given)
    parts = [({"age": people["age"][some]}, heights[some]) for some in (slice(0, 150), slice(150, None))]
    for reporters in ("sites", "persons"):
        task = pair.task(regression, 400, reporters=reporters)
        reports = [report for ages, of_part in parts for report in task.share(of_part, ages)]
        release = combine(task, pair.sums(task, reports))
        assert isinstance(release, karcher.FeatureRegressionRelease) and release.trust
        of_one = karcher.PrivateFeatureRegression("euclidean:1", **{**given, "mu": 1e4}).fit(people, heights)
        assert release.predict({"age": [30.0, 70.0]}).points == pytest.approx(
            of_one.release_.predict({"age": [30.0, 70.0]}).points, abs=0.5
        )
    with pytest.raises(karcher.Error, match="takes arrays"):
        task.share(heights, people, layout="vectors")


def test_records_come_as_estimators_take_them(pair):
    task = pair.task(karcher.PrivateFrechetMean("sphere:2", epsilon=2000.0), 6)  # an extrinsic mean
    X = karcher.Sphere(2).random_point(6, center=[0.0, 0.0, 1.0], scale=0.1, random_state=1)
    arrow = pytest.importorskip("pyarrow")
    latlon = arrow.table(dict(zip(("lat", "lon"), karcher.Sphere(2).write(X[1:3], "latlon").T)))
    remote = karcher.Remote(lambda question: karcher.partial(X[3:4], question))
    # an exact mean of float32 rows needs none of their noise
    reports = [
        *task.share(X[:1]),
        *task.share(latlon, columns=["lat", "lon"], layout="latlon"),
        *task.share(remote),
        *task.share((X[4:] / np.linalg.norm(X[4:], axis=1, keepdims=True)).astype(np.float32)),
    ]
    expected = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    assert combine(task, pair.sums(task, reports)).value == pytest.approx(expected, abs=0.05)


def test_a_confidential_number_of_records_is_planned_for_a_guess(pair):
    mean = plane(mu=2000.0, adjacency="add-remove", n_guess=5)
    task = pair.task(mean)
    reports = task.share(ONE) + task.share(TWO)
    assert "records" not in json.loads(reports[0])
    release = combine(task, pair.sums(task, reports))
    assert (release.n, release.n_guess) == (None, 5) and release.value == pytest.approx(MEAN, abs=0.1)
    with pytest.raises(karcher.Error, match="n does not go with adjacency='add-remove'"):
        pair.task(mean, 5)
    with pytest.raises(karcher.Error, match="take replace-one"):
        pair.task(mean, reporters="persons")


def test_a_step_that_is_repeated_gives_the_same_bytes(pair, tmp_path):
    task = pair.task(plane(epsilon=1.0), 5)
    reports = task.share(ONE) + task.share(TWO)
    first = pair.sums(task, reports)
    assert pair.sums(task, [*reversed(reports), *reports]) == first  # copies count once
    again = Aggregator(pair.files[0])  # another process
    assert again.add(task, reports, pair.both[1].check(task, reports)) == first[0]
    with pytest.raises(karcher.Error, match="was added up before from other reports"):
        pair.sums(task, task.share(ONE) + task.share(TWO))
    os.remove(tmp_path / "a.journal")
    with pytest.raises(karcher.Error, match="without it noise could be added twice"):
        again.add(task, reports, pair.both[1].check(task, reports))
    with pytest.raises(karcher.Error, match="without it noise could be added twice"):
        Aggregator(pair.files[0])


def test_a_ledger_counts_before_noise_is_added(pair, tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="places", epsilon=1.5)
    task = pair.task(plane(epsilon=1.0), 5)
    reports = task.share(ONE) + task.share(TWO)
    checked = [one.check(task, reports) for one in pair.both]
    first, second = pair.both
    with ledger:
        noisy = first.add(task, reports, checked[1])
        assert first.add(task, reports, checked[1]) == noisy and ledger.spent == {"epsilon": 1.0}
        with pytest.raises(karcher.errors.BudgetError, match="left epsilon 0.5"):
            second.add(task, reports, checked[0])
    assert json.loads(second.add(task, reports, checked[0]))["reports"] == 2  # nothing was drawn before
    of_counts = karcher.Ledger.new(tmp_path / "other.db", data="places", epsilon=5.0, adjacency="add-remove")
    another = pair.task(plane(epsilon=1.0), 5, name="another")
    with pytest.raises(karcher.errors.BudgetError, match="is for add-remove neighbours"):
        first.add(another, reports, checked[1], ledger=of_counts)


def test_a_release_is_reconciled_with_both_ledgers(pair, tmp_path):
    ledgers = [karcher.Ledger.new(tmp_path / f"{name}.db", data=name, epsilon=5.0) for name in "ab"]
    task = pair.task(plane(epsilon=1.0), 5)
    reports = task.share(ONE) + task.share(TWO)
    checked = [one.check(task, reports) for one in pair.both]
    both = zip(pair.both, reversed(checked), ledgers)
    release = combine(task, [one.add(task, reports, other, ledger=ledger) for one, other, ledger in both])
    assert [entry["entry"] for entry in json.loads(release.to_json())["ledgers"]] == [1, 1]
    for ledger in ledgers:
        assert [entry.status for entry in ledger.entries] == ["released"]
        assert not karcher.verify(release, ledger=ledger).findings
    other = karcher.Ledger.new(tmp_path / "other.db", data="other", epsilon=5.0)
    assert karcher.verify(release, ledger=other).findings


@pytest.mark.skipif(os.name != "posix", reason="the system does not tell a copy")
def test_a_journal_that_was_moved_is_accepted_by_its_owner(pair, tmp_path):
    task = pair.task(plane(epsilon=1.0), 5)
    reports = task.share(ONE) + task.share(TWO)
    first = pair.sums(task, reports)
    for end in ("key", "journal"):
        shutil.copy(tmp_path / f"a.{end}", tmp_path / f"moved.{end}")
    with pytest.raises(karcher.Error, match="is a copy of a journal"):
        Aggregator(tmp_path / "moved.key")
    adopt(tmp_path / "moved.key")
    checked = pair.both[1].check(task, reports)
    assert Aggregator(tmp_path / "moved.key").add(task, reports, checked) == first[0]


def test_a_site_of_more_records_than_were_guessed(pair):
    """20 times the guess. The mean is off by 1e-4; 10 standard deviations are exceeded with less than 1e-20."""
    task = pair.task(plane(mu=1e4, adjacency="add-remove", n_guess=100))
    reports = task.share(np.full((2000, 2), 0.5)) + task.share(np.full((10, 2), -0.5))
    release = combine(task, pair.sums(task, reports))
    assert release.value == pytest.approx((2000 * 0.5 - 10 * 0.5) / 2010, abs=1e-3)
    assert release.private_count.value == pytest.approx(2010, abs=1)


def test_keys_are_files_of_their_owner(tmp_path, pair):
    assert (tmp_path / "a.pub").read_text() == pair.keys[0] == pair.both[0].public_key
    for secret in ("both.key", "a.key"):
        assert os.name != "posix" or stat.S_IMODE((tmp_path / secret).stat().st_mode) == 0o600
    private = json.loads((tmp_path / "a.key").read_text())["private"]
    assert private not in repr(pair.both[0]) and private not in repr(vars(pair.both[0]))
    before = (tmp_path / "a.key").read_bytes()
    for make in (
        lambda: make_shared_key(tmp_path / "both.key"),
        lambda: make_keys(tmp_path / "a.key", shared=tmp_path / "both.key"),
    ):
        with pytest.raises(karcher.Error, match="exist"):
            make()
    assert (tmp_path / "a.key").read_bytes() == before
    (tmp_path / "c.pub").write_text("")
    with pytest.raises(karcher.Error, match="c.pub: exists"):
        make_keys(tmp_path / "c.key", shared=tmp_path / "both.key")
    assert not (tmp_path / "c.key").exists()  # all files or none
    with pytest.raises(karcher.Error, match="ends in .key"):
        make_keys(tmp_path / "d.pub", shared=tmp_path / "both.key")
    with pytest.raises(karcher.Error, match="is not a shared key"):
        make_keys(tmp_path / "d.key", shared=tmp_path / "a.key")
    with pytest.raises(karcher.Error, match="is not a private key"):
        Aggregator(tmp_path / "both.key")
    with pytest.raises(karcher.Error, match="cannot be read"):
        Aggregator(tmp_path / "none.key")


def test_what_does_not_fit_is_refused_in_a_sentence(pair, tmp_path):
    mean = plane(epsilon=1.0)
    with pytest.raises(karcher.Error, match="n is missing: the number of records of all reporters"):
        pair.task(mean)
    with pytest.raises(karcher.Error, match="reporters is 'site': expected 'sites' or 'persons'"):
        pair.task(mean, 5, reporters="site")
    with pytest.raises(karcher.Error, match="not computed from sums"):
        pair.task(karcher.PrivateGeometricMedian("euclidean:2", radius=1.0, epsilon=1.0), 5)
    with pytest.raises(karcher.Error, match="does not go with trust"):
        pair.task(plane(epsilon=1.0, spread=True), 5)
    with pytest.raises(karcher.Error, match="are of one aggregator"):
        Task(mean, 5, keys=(pair.keys[0], pair.keys[0]))
    with pytest.raises(karcher.Error, match="keys are not two"):
        Task(mean, 5, keys=pair.keys[0])
    with pytest.raises(karcher.Error, match="keys is not a public key"):
        Task(mean, 5, keys=(tmp_path / "a.key", tmp_path / "b.pub"))
    with pytest.raises(karcher.Error, match="cannot be read as a file"):
        Task(mean, 5, keys=("a.pub", tmp_path / "b.pub"))
    with pytest.raises(karcher.Error, match="state is not a state"):
        pair.task(mean, 5, state="{}")
    task = pair.task(mean, 2)
    with pytest.raises(karcher.Error, match="is of 3 records, and the task is for 2 in all"):
        task.share(ONE)
    with pytest.raises(karcher.errors.InvalidPointError, match="record 2"):
        task.share([[0.0, 0.0], [np.nan, 0.0]])
    with pytest.raises(karcher.Error, match="predictors belong to a regression"):
        task.share(TWO, [1.0, 2.0])
    reports = task.share(TWO)
    first, second = pair.both
    with pytest.raises(karcher.Error, match="task is of type str"):
        first.check("task", reports)
    with pytest.raises(karcher.Error, match=r"reports\[1\] is of type bytes"):
        first.check(task, [reports[0], b""])
    with pytest.raises(karcher.Error, match="is of another task, or of this aggregator"):
        first.add(task, reports, first.check(task, reports))
    with pytest.raises(karcher.Error, match="checked is not what the method check"):
        first.add(task, reports, "{}")
    with pytest.raises(karcher.Error, match="no report with right proofs"):
        first.add(task, [], second.check(task, reports))
    sums = pair.sums(task, reports)
    with pytest.raises(karcher.Error, match="both of one aggregator"):
        combine(task, [sums[0], sums[0]])
    with pytest.raises(karcher.Error, match="sums is not a sum"):
        combine(task, [sums[0], "{}"])
    with pytest.raises(karcher.Error, match="is of another task"):
        combine(pair.task(mean, 2, name="other"), sums)
    (tmp_path / "other").mkdir()
    others = Pair(tmp_path / "other")
    with pytest.raises(karcher.Error, match="those of other aggregators"):
        others.both[0].check(task, reports)


def test_a_specification_for_aggregators_is_planned_and_not_run(pair):
    mean = karcher.PrivateFrechetMean("euclidean:3", radius=1.0, epsilon=1.0)
    task = pair.task(mean, 1000)
    alone, plan = karcher.plan(mean.spec(), n=1000), karcher.plan(task.spec, n=1000)
    # the error of two draws of Laplace noise is larger by Γ(4.5)·Γ(2)·2 / (3·Γ(4)·Γ(1.5)) = 1.458
    of_two = plan[plan.best].expected_distance / alone["laplace"].expected_distance
    assert plan.best == "laplace" and of_two == pytest.approx(1.4583, abs=1e-3)
    curved = pair.task(karcher.PrivateFrechetMean("sphere:2", radius=0.5, center=[0.0, 0.0, 1.0], mu=1.0), 1000)
    of_flow = karcher.plan(curved.spec, n=1000)
    assert of_flow.best == "karcher-flow" and "not computed from sums" in of_flow["chart"].reason
    assert karcher.plan(task.spec, error=plan[plan.best].expected_distance * 1.001).n == pytest.approx(1000, abs=1)
    X = np.zeros((1000, 3))
    for records in (X, karcher.Remote(lambda question: karcher.partial(X, question))):
        with pytest.raises(karcher.Error, match="asks for aggregators, and here are all .*karcher.aggregate"):
            karcher.run(task.spec, records)


def test_other_threads_run_while_proofs_are_checked(pair):
    task = pair.task(plane(mu=1.0), 600, reporters="persons")
    reports = task.share(np.zeros((600, 2)))
    ticks, done = 0, []
    checking = threading.Thread(target=lambda: done.append(pair.both[0].check(task, reports)))
    started = time.perf_counter()
    checking.start()
    while checking.is_alive():
        time.sleep(0.001)
        ticks += 1
    took = time.perf_counter() - started
    assert len(json.loads(done[0])["reports"]) == 600
    assert ticks > 10 or took < 0.03, (ticks, took)  # with the GIL there would be a few at the ends


def test_python_and_the_command_are_parties_of_one_release(pair, tmp_path, command):
    """A site and an aggregator with the command, a site, an aggregator and the collector in Python."""
    (tmp_path / "spec.json").write_text(json.dumps(plane(mu=2000.0).spec()))
    np.savetxt(tmp_path / "one.csv", ONE, delimiter=",")
    agreed = ["--n", "5", "--to", "a.pub", "--to", "b.pub"]
    command("aggregate", "keys", "c.key", "--shared", "both.key")  # Python's key of both
    command("share", "spec.json", "one.csv", *agreed, "--output", "one.share")
    task = Task(tmp_path / "spec.json", 5, keys=(tmp_path / "a.pub", tmp_path / "b.pub"))
    reports = [(tmp_path / "one.share").read_text(), *task.share(TWO)]
    (tmp_path / "two.share").write_text(reports[1] + "\n")
    reading = ["spec.json", "one.share", "two.share", *agreed, "--key", "b.key"]
    command("aggregate", "check", *reading, "--output", "b.checked")
    (tmp_path / "a.checked").write_text(pair.both[0].check(task, reports))
    command("aggregate", "add", *reading, "--checked", "a.checked", "--output", "b.sum")
    sums = [pair.both[0].add(task, reports, (tmp_path / "b.checked").read_text()), (tmp_path / "b.sum").read_text()]
    release = combine(task, sums)
    assert release.value == pytest.approx(MEAN, abs=0.05)
    # each is what the other would have sent
    assert pair.both[1].check(task, reports) == (tmp_path / "b.checked").read_text()
    assert pair.both[1].add(task, reports, (tmp_path / "a.checked").read_text()) == sums[1]
    (tmp_path / "a.sum").write_text(sums[0])
    command("combine", "spec.json", "a.sum", "b.sum", *agreed, "--output", "mean.json")
    of_command = karcher.Release.from_json((tmp_path / "mean.json").read_text())
    assert np.array_equal(of_command.value, release.value) and of_command == release
    # and keys of the command
    command("aggregate", "keys", "d.key", "--shared", "both.key")
    assert Aggregator(tmp_path / "d.key").public_key == (tmp_path / "d.pub").read_text()


def test_sites_count_their_records_and_measure_their_spread(pair):
    def released(estimator, n, sites):
        task = pair.task(estimator, n)
        return combine(task, pair.sums(task, [report for site in sites for report in task.share(site)]))

    count = released(karcher.PrivateCount(epsilon=1.0), 500, [np.zeros((300, 2)), np.zeros((120, 2))])
    assert isinstance(count, karcher.CountRelease) and count.trust == "one of two aggregators"
    assert abs(count.value - 420) < 60  # farther off with a probability below e^-20
    assert not karcher.verify(count).findings
    variance = karcher.PrivateFrechetVariance("euclidean:2", clip=1.0, center=[0, 0], mu=1.0)
    spread = released(variance, 420, [np.full((300, 2), 0.3), np.full((120, 2), 0.3)])
    assert abs(spread.mean_square.value - 0.18) < 0.03 and spread.trust == "one of two aggregators"
    assert spread.mean_square.guarantee == karcher.Guarantee(mu=1.0) and not karcher.verify(spread).findings
