"""What `import karcher` imports: names are loaded when they are used (SPEC 1)."""

import subprocess
import sys

import karcher
import pytest

# scikit-learn takes ten times as long as the rest
LIGHT = [
    "karcher.plan('sphere:2', n=1000, radius=0.8, epsilon=1.0)",
    "karcher.verify(sys.argv[1])",
    "karcher.Sphere(2).dist([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])",
    "karcher.compose(karcher.Guarantee(epsilon=1.0))",
    "karcher.errors.Error",
]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    path = tmp_path_factory.mktemp("import") / "release.json"
    mean = karcher.PrivateFrechetMean(karcher.Sphere(2), radius=0.8, center=[0.0, 0.0, 1.0], epsilon=1.0)
    path.write_text(mean.fit([[0.6, 0.0, 0.8]] * 100).release_.to_json())
    return path


@pytest.mark.parametrize("use", LIGHT)
def test_only_estimators_import_scikit_learn(use, release):
    code = f"import sys, karcher; {use}; assert not [m for m in sys.modules if m.split('.')[0] == 'sklearn']"
    subprocess.run([sys.executable, "-c", code, str(release)], check=True)


@pytest.mark.parametrize("name", karcher.__all__)
def test_every_name_is_there(name):
    assert hasattr(karcher, name) and name in dir(karcher)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="FrechetMeen"):
        karcher.FrechetMeen


def test_an_estimator_that_is_not_fitted_by_either_class():
    from sklearn.exceptions import NotFittedError

    assert issubclass(karcher.errors.NotFittedError, (NotFittedError, karcher.Error))
    assert karcher.errors.NotFittedError.__module__ == "karcher.errors"
