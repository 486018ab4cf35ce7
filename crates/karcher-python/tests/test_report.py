"""The page about releases: its content, and refusals."""

import karcher
import numpy as np
import pytest
from karcher import Ledger, PrivateCount, PrivateFrechetMean, errors
from karcher.classification import PrivateMDM


def mean(**options):
    x = np.tile([0.6, 0.0, 0.8], (100, 1))
    return PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0, **options).fit(x).release_


def test_names_are_those_of_sections_and_the_same_page_comes_twice():
    releases = {"left <b>hand</b>": mean(), "right": mean()}
    page = karcher.report(releases, title="Hands & feet")
    assert page.startswith("<!DOCTYPE html>") and "<title>Hands &amp; feet</title>" in page
    assert "left &lt;b&gt;hand&lt;/b&gt;" in page and "<b>hand" not in page and "right" in page
    assert page == karcher.report(releases, title="Hands & feet")
    assert "release 2" in karcher.report(list(releases.values()))


def test_classes_of_one_model_are_added_up_for_who_is_in_all(tmp_path):
    x = np.stack([np.eye(2) * (1 + i % 3) for i in range(24)])
    model = PrivateMDM(radius=3.0, center=np.eye(2), mu=0.7)
    with Ledger.new(tmp_path / "rest.db", data="rest", unit="person", mu=1.0) as ledger:
        model.fit(x, np.arange(24) % 2, groups=np.arange(24) // 2)
    page = karcher.report(dict(zip(["left", "right"], model.releases_)), ledger=ledger)
    assert "at most <strong>69 %</strong>" in page and "(left)" in page and "rest" in page


def test_a_file_is_written_once(tmp_path):
    path = tmp_path / "report.html"
    release = mean()
    assert karcher.report(release, path) is None
    assert path.read_text(encoding="utf-8") == karcher.report(release)
    with pytest.raises(errors.Error, match="exists"):
        karcher.report(release, path)
    karcher.report(release, path, force=True)
    with pytest.raises(errors.Error, match=r"must end in \.html"):
        karcher.report(release, tmp_path / "report.txt")
    with pytest.raises(errors.Error, match="cannot be written"):
        karcher.report(release, tmp_path / "nowhere" / "report.html")


@pytest.mark.parametrize("wrong", [[], {}, 3, "release.json", [1], {"a": None}])
def test_what_is_no_release_is_refused(wrong):
    with pytest.raises(errors.ArgumentTypeError, match="must be a release"):
        karcher.report(wrong)


def test_other_releases_have_sections_too(tmp_path):
    count = PrivateCount(epsilon=1.0).fit(np.zeros((50, 1))).release_
    assert "number of records" in karcher.report(count)
    with pytest.raises(errors.LedgerError):
        karcher.report(count, ledger=tmp_path / "none.db")
