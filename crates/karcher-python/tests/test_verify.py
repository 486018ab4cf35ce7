"""Releases and their specifications: genuine ones agree, edited ones do not."""

import json
import os
import shutil

import karcher
import numpy as np
import pytest
from karcher import Ledger, PrivateBall, PrivateCount, PrivateFrechetMean, PrivateGeodesicRegression, errors
from karcher.classification import PrivateMDM

X = np.tile([0.6, 0.0, 0.8], (200, 1))


def mean(**options):
    return PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0, **options).fit(X).release_


def edited(release, **fields):
    return {**json.loads(release.to_json()), **fields}


def test_genuine_releases_of_every_kind_agree(tmp_path):
    predictor = np.linspace(0.0, 1.0, 200)
    line = PrivateGeodesicRegression(
        "sphere:2", radius=0.8, center=[0.0, 0.0, 1.0], predictor_range=(0, 1), slope_bound=0.5, epsilon=2.0
    )
    ball = PrivateBall("sphere:2", within=1.5, center=[0.0, 0.0, 1.0], epsilon=2.0)
    count = PrivateCount(epsilon=1.0)
    kinds = [mean(), line.fit(predictor, X).release_, ball.fit(X).release_, count.fit(X).release_]
    for i, release in enumerate(kinds):
        path = tmp_path / f"{i}.json"
        path.write_text(release.to_json(), encoding="utf-8")
        for given in (release, path, str(path), json.loads(release.to_json())):
            verified = karcher.verify(given)
            assert verified and verified.complete and verified.findings == (), str(verified)
            (promise,) = verified.promises
            assert str(verified) == f"agrees with its specification; {promise}" and verified.notes == ()


def test_an_edit_is_a_finding():
    verified = karcher.verify(edited(mean(), foo=1))
    assert not verified
    (finding,) = verified.findings
    assert finding.field == "foo" and str(finding) == f"foo: {finding.reason}" == str(verified)
    without = edited(mean())
    del without["spec"]
    verified = karcher.verify(without)
    assert [finding.field for finding in verified.findings] == ["spec"] and not verified.complete


def test_a_ledger_counted_the_release(tmp_path):
    with Ledger.new(tmp_path / "own.db", data="own", epsilon=9.0) as ledger:
        first = mean()
        count = PrivateCount(epsilon=1.0).fit(X).release_
    for given in (ledger, ledger.path):
        assert karcher.verify(first, ledger=given) and karcher.verify(count, ledger=given)
    swapped = edited(first, ledger={**json.loads(first.to_json())["ledger"], "entry": 2})
    assert karcher.verify(swapped)
    (finding,) = karcher.verify(swapped, ledger=ledger).findings
    assert finding.field == "ledger.entry" and "entry 2" in finding.reason
    (finding,) = karcher.verify(mean(), ledger=ledger).findings
    assert finding.field == "ledger"


@pytest.mark.parametrize("options", [{}, {"labels": "private", "classes": [0, 1, 2], "n_guess": [30, 20, 10]}])
def test_classes_of_one_model_share_an_entry(tmp_path, options):
    x = np.stack([np.eye(2) * (1 + i % 3) for i in range(60)])
    y = np.repeat([0, 1, 2], [30, 20, 10])
    model = PrivateMDM(radius=3.0, center=np.eye(2), mu=0.7, **options)
    with Ledger.new(tmp_path / "own.db", data="own", mu=9.0) as ledger:
        model.fit(x, y)
        other = PrivateFrechetMean("spd-affine-invariant:2", 3.0, np.eye(2), mu=0.7).fit(x).release_
    for release in model.releases_:
        assert karcher.verify(release, ledger=ledger), str(karcher.verify(release, ledger=ledger))
    assert not karcher.verify(edited(other, ledger=json.loads(model.releases_[0].to_json())["ledger"]), ledger=ledger)


def test_classes_of_persons_share_an_entry(tmp_path):
    x = np.stack([np.eye(2) * (1 + i % 3) for i in range(60)])
    model = PrivateMDM(radius=3.0, center=np.eye(2), mu=0.7)
    with Ledger.new(tmp_path / "own.db", data="own", unit="person", mu=9.0) as ledger:
        model.fit(x, np.arange(60) % 2, groups=np.arange(60) // 4)
    for release in model.releases_:
        assert karcher.verify(release, ledger=ledger), str(karcher.verify(release, ledger=ledger))


def test_what_is_no_release_is_refused(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(errors.Error, match="it is not JSON that karcher writes"):
        karcher.verify(broken)
    with pytest.raises(errors.Error, match="cannot be read"):
        karcher.verify(tmp_path / "none.json")
    with pytest.raises(errors.ArgumentTypeError, match="expected a release, a dict or the path"):
        karcher.verify(3)
    with pytest.raises(errors.LedgerError):
        karcher.verify(mean(), ledger=tmp_path / "none.db")
    assert [finding.field for finding in karcher.verify({}).findings] == ["file"]
    with pytest.raises(errors.ArgumentTypeError, match=r"^releases\[1\] is int: expected a release"):
        karcher.verify([mean(), 3])
    with pytest.raises(errors.Error, match="give at least one release"):
        karcher.verify([])


def test_a_release_with_a_seed_is_not_private():
    for release in (mean(random_state=1), PrivateCount(epsilon=1.0, random_state=1).fit(X).release_):
        verified = karcher.verify(release)
        assert not verified and verified.promises == (None,)
        assert str(verified) == "flags: seeded: the noise can be reproduced, so this release is NOT private"


def test_several_releases_are_compared_together(tmp_path):
    with Ledger.new(tmp_path / "own.db", data="own", epsilon=9.0) as ledger:
        releases = [mean(), mean(), mean()]
    path = tmp_path / "first.json"
    path.write_text(json.dumps(json.loads(releases[0].to_json()), indent=2), encoding="utf-8")
    verified = karcher.verify([*releases, path], ledger=ledger)
    assert verified and verified.complete and len(verified.promises) == 4
    assert verified.notes == (f"{path}: the same release as releases[0]",)
    # two releases of one entry, which no single one shows
    twice = edited(releases[2], ledger={**json.loads(releases[2].to_json())["ledger"], "entry": 1})
    assert karcher.verify(twice, ledger=ledger)
    verified = karcher.verify([releases[0], twice], ledger=ledger)
    (finding,) = verified.findings
    assert (finding.release, finding.field) == (1, "ledger.entry") and not verified
    promise = "ε = 1, one record replaced, exact, no flags"
    assert str(verified).splitlines() == [
        f"releases[0]: agrees with its specification; {promise}",
        "releases[1]: ledger.entry: entry 1 covers another release, in releases[0]",
        f"{ledger.path}: entries 2, 3 are in none of these files",
    ]


def test_a_reader_needs_no_ledger_of_its_own(tmp_path):
    with Ledger.new(tmp_path / "own.db", data="own", epsilon=9.0):
        release = mean()
    with pytest.raises(errors.LedgerError, match=r"none\.db does not exist: check the path$"):
        karcher.verify(release, ledger=tmp_path / "none.db")
    if os.name == "posix":
        shutil.copy(tmp_path / "own.db", tmp_path / "copy.db")
        verified = karcher.verify(release, ledger=tmp_path / "copy.db")
        (note,) = verified.notes
        assert verified and "is a copy of a ledger" in note and "A reader needs to do nothing" in note
