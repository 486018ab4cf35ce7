"""Queries and answers as bytes, and records behind a callback."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from remote_sums import is_the_same_but_says_so
from statistics_of_columns import COLUMNS, estimators, fit, records, table

import karcher
from karcher.errors import UnansweredError

DATA = records()
TABLE = table(*DATA)


def in_parts(parts, **options):
    """Asks every part, the second of them twice, in any order."""

    def ask(question):
        answers = [karcher.partial(part, question, **options) for part in parts]
        assert karcher.partial(parts[1], question, **options) == answers[1]
        random.Random(1).shuffle(answers)
        total = karcher.partial(None, question)
        for answer in answers:
            total = karcher.merge(total, answer)
        return total

    return ask


def of_persons(parts):
    """The rows of a table, all of a person in one part."""
    which = DATA[2] % parts
    return [TABLE.filter(pa.array(which == part)) for part in range(parts)]


@pytest.mark.parametrize("name", estimators())
def test_answers_of_parts_make_the_release_of_the_whole(name):
    parts = [TABLE.slice(0, 1000), TABLE.slice(1000, 1), TABLE.slice(0, 0), TABLE.slice(1001)]
    predictor = "age" if name == "regression" else None
    remote = karcher.Remote(in_parts(parts, columns=COLUMNS, predictor=predictor))
    assert fit(name, remote) == fit(name, DATA)
    if name != "confidential number":
        remote = karcher.Remote(
            in_parts(of_persons(5), columns=COLUMNS, predictor=predictor, groups="who"), persons=True
        )
        assert fit(name, remote) == fit(name, DATA, groups=True)


def test_parts_may_be_arrays():
    directions, ages, who = DATA
    parts = list(range(3))

    def ask(question):
        answers = [
            karcher.partial(directions[i::3], question, predictor=ages[i::3]) for i in parts
        ]
        return karcher.merge(karcher.merge(answers[0], answers[1]), answers[2])

    assert fit("regression", karcher.Remote(ask)) == fit("regression", DATA)


def test_thousands_of_tiny_parts_make_the_release_of_the_whole():
    remote = karcher.Remote(in_parts([TABLE.slice(i, 1) for i in range(TABLE.num_rows)], columns=COLUMNS))
    assert fit("flow", remote) == fit("flow", DATA)


def asked(estimator="mean"):
    """The first query of an estimator."""
    heard = []

    def ask(question):
        heard.append(question)
        raise karcher.Error("enough")

    with pytest.raises(UnansweredError, match="enough"):
        fit(estimator, karcher.Remote(ask))
    return heard[0]


def test_answers_to_different_questions_are_not_added():
    first, other = asked(), asked("variance")
    assert first != other
    with pytest.raises(karcher.Error, match="different questions"):
        karcher.merge(karcher.partial(DATA[0], first), karcher.partial(DATA[0], other))


def test_bytes_that_were_changed_are_refused_without_what_is_in_them():
    question = asked()
    answer = karcher.partial(DATA[0], question)
    assert karcher.merge(answer, karcher.partial(None, question)) == answer
    rng = random.Random(2)
    for _ in range(300):
        at, bit = rng.randrange(len(answer)), 1 << rng.randrange(8)
        changed = answer[:at] + bytes([answer[at] ^ bit]) + answer[at + 1 :]
        with pytest.raises(karcher.Error, match="no sum of karcher.partial") as refused:
            karcher.merge(answer, changed)
        assert len(str(refused.value)) < 100
    for cut in (b"", answer[:-1], answer + b"x", answer[:40]):
        with pytest.raises(karcher.Error, match="no sum"):
            karcher.merge(cut, answer)
    for wrong in (b"", b"{}", question[:-1], question.replace(b"sphere:2", b"sphere:3")):
        with pytest.raises(karcher.Error):
            karcher.partial(DATA[0], wrong)


def test_what_is_no_point_is_told_by_its_row_alone():
    directions = DATA[0].copy()
    directions[7] = 123.456
    for part in (directions, table(directions, *DATA[1:])):
        options = dict(columns=COLUMNS) if part is not directions else {}
        with pytest.raises(karcher.errors.InvalidPointError, match="^row 8 is no point of the space") as refused:
            karcher.partial(part, asked(), **options)
        assert "123" not in str(refused.value)


def test_persons_are_asked_for_where_they_are_told():
    question = asked()
    with pytest.raises(karcher.Error, match="leave out groups="):
        karcher.partial(TABLE, question, columns=COLUMNS, groups="who")
    with pytest.raises(UnansweredError, match="name the person"):
        fit("mean", karcher.Remote(in_parts([TABLE, TABLE], columns=COLUMNS), persons=True))
    with pytest.raises(UnansweredError, match="predictor= says which"):
        fit("regression", karcher.Remote(in_parts([TABLE, TABLE], columns=COLUMNS)))


def line():
    return estimators()["regression"]


WRONG_PREDICTORS = [
    (lambda ages: np.stack([ages, ages], axis=1), "shape"),
    (lambda ages: np.append(ages, 50.0), "number of predictors"),
    (lambda ages: ages[:-1], "number of predictors"),
    (lambda ages: ages[:0], "number of predictors"),
    (lambda ages: ages[0], "shape"),
    (lambda ages: np.append(ages, 50.0)[:, None], "number of predictors"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG_PREDICTORS)
@pytest.mark.parametrize("persons", [False, True])
def test_a_predictor_is_one_number_a_record_in_every_part(wrong, words, persons, tmp_path):
    directions, ages, who = DATA
    np.save(tmp_path / "x.npy", directions)
    on_disk = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.save(tmp_path / "y.npy", directions.astype(np.float32))
    taken = np.load(tmp_path / "y.npy", mmap_mode="r")
    groups = who if persons else None
    for part in (directions, on_disk, taken):
        ask = lambda question: karcher.partial(part, question, predictor=wrong(ages), groups=groups)
        with pytest.raises(UnansweredError, match=words):
            line().fit(karcher.Remote(ask, persons=persons))
    # as where the records are at hand, all of them in memory or some at a time
    for part, memory in ((directions, None), (directions, "20kB"), (on_disk, "20kB"), (taken, "20kB")):
        with pytest.raises(karcher.Error, match=words):
            line().fit(wrong(ages), part, groups=groups, memory=memory)


def test_a_predictor_and_keys_may_be_columns_of_an_array():
    directions, ages, who = DATA
    ask = lambda question: karcher.partial(directions, question, predictor=ages[:, None], groups=who[:, None])
    assert fit("regression", karcher.Remote(ask, persons=True)) == fit("regression", DATA, groups=True)


@pytest.mark.parametrize(
    ("part", "options", "words"),
    [
        (None, {"predictor": [1.0]}, "predictor is given without records"),
        (None, {"groups": [1, 2]}, "groups is given without records"),
        (DATA[0], {"predictor": "age"}, "predictor"),
        (DATA[0], {"groups": DATA[2][:-1]}, "groups has shape"),
        (DATA[0], {"groups": np.stack([DATA[2], DATA[2]], axis=1)}, "groups has shape"),
        (TABLE, {"columns": COLUMNS, "predictor": DATA[1]}, "predictor"),
        (TABLE, {"columns": COLUMNS, "groups": DATA[2]}, "groups must be the name"),
    ],
)
def test_what_stands_beside_a_part_is_checked(part, options, words):
    with pytest.raises(karcher.Error, match=words):
        karcher.partial(part, asked("regression"), **options)
    assert karcher.partial(None, asked("regression"), predictor="age", groups=[]) == karcher.partial(
        None, asked("regression")
    )


@pytest.mark.parametrize("persons", [False, True])
def test_a_shape_around_any_center_has_the_release_of_the_whole(persons):
    shapes = karcher.manifold("kendall:4")
    for seed in range(20):
        center = shapes.project(np.random.default_rng(seed).normal(size=(4, 2)))
        points = shapes.random_point(60, center=center, scale=0.2, random_state=seed)
        groups = np.arange(60) // 2 if persons else None
        mean = karcher.PrivateFrechetMean(
            shapes, 0.4, center, mu=1.0, mechanism="karcher-flow", spread=True, random_state=1
        )
        remote = karcher.Remote(lambda question: karcher.partial(points, question, groups=groups), persons=persons)
        there, here = mean.fit(remote).release_, mean.fit(points, groups=groups).release_
        assert is_the_same_but_says_so(there, here), seed


def of_as_many(n):
    """A part of one record, and as many of it as are asked for: sums are added to themselves."""

    def ask(question):
        double, total = karcher.partial(DATA[0][:1], question), karcher.partial(None, question)
        for bit in range(n.bit_length()):
            total = karcher.merge(total, double) if n >> bit & 1 else total
            double = karcher.merge(double, double)
        return total

    return karcher.Remote(ask)


def test_as_many_records_as_can_be_released_can_be_read_back(tmp_path):
    most = 10**15
    mean = lambda **options: karcher.PrivateFrechetMean("sphere:2", center=[0, 0, 1], **options)
    release = mean(radius=0.8, epsilon=1.0).fit(of_as_many(most)).release_
    assert release.n == most and karcher.Release.from_json(release.to_json()).n == most
    ledger = karcher.Ledger.new(tmp_path / "l.db", data="made up", epsilon=1.0)
    for options in ({"radius": 0.8}, {"ball": "auto"}):
        with pytest.raises(karcher.Error, match=r"10\^15"):
            mean(epsilon=1.0, ledger=ledger, **options).fit(of_as_many(most + 1))
    assert not ledger.entries


def test_a_ball_is_located_among_a_trillion_records():
    mean = karcher.PrivateFrechetMean("sphere:2", ball="auto", center=[0, 0, 1], mu=1.0)
    assert mean.fit(of_as_many(2**40 + 1)).release_.n == 2**40 + 1


class Quits(SystemExit):
    pass


@pytest.mark.parametrize("answers", [0, 1])
@pytest.mark.parametrize(
    ("raised", "heard", "said"),
    [
        (KeyboardInterrupt("secret 42"), KeyboardInterrupt, ()),
        (SystemExit("secret 42"), SystemExit, (1,)),
        (SystemExit(3), SystemExit, (3,)),
        (Quits(), SystemExit, ()),
    ],
)
def test_who_ends_the_program_is_heard_and_no_record_is_told(answers, raised, heard, said):
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0)
    with pytest.raises(heard) as stopped:
        mean.fit(karcher.Remote(after(answers, lambda question, asked: raising(raised)(question))))
    assert type(stopped.value) is heard and stopped.value.args == said
    assert stopped.value.__cause__ is None and stopped.value.__context__ is None
    assert not hasattr(mean, "release_")


@pytest.mark.parametrize("raised", [GeneratorExit("secret 42"), BaseException("secret 42")])
def test_no_other_exception_comes_out(raised):
    with pytest.raises(UnansweredError, match=type(raised).__name__) as refused:
        fit("mean", karcher.Remote(raising(raised)))
    assert "secret" not in str(refused.value)


def raising(error):
    def ask(question):
        raise error

    return ask


def after(answers, then):
    """Answers correctly so many times, and then fails."""
    right = in_parts([TABLE.slice(0, 1000), TABLE.slice(1000)], columns=COLUMNS)
    asked = []

    def ask(question):
        asked.append(question)
        return right(question) if len(asked) <= answers else then(question, asked)

    return ask


@pytest.mark.parametrize("answers", [0, 1, 2])
@pytest.mark.parametrize(
    ("then", "words"),
    [
        (lambda question, asked: raising(ValueError("secret 42"))(question), "ValueError; its text is not shown"),
        (lambda question, asked: "secret 42", "no bytes"),
        (lambda question, asked: b"secret 42", "no sum"),
        (lambda question, asked: karcher.partial(None, question + b" "), "another question"),
    ],
)
def test_nothing_is_released_where_an_answer_is_none(answers, then, words, tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "l.db", data="made up", epsilon=1.0)
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, ledger=ledger)
    with pytest.raises(UnansweredError, match=words) as refused:
        mean.fit(karcher.Remote(after(answers, then)))
    assert "nothing was released" in str(refused.value) and "secret" not in str(refused.value)
    assert refused.value.__cause__ is None and refused.value.__context__ is None
    assert not hasattr(mean, "release_")
    # queries after the count of records come with the budget spent
    assert len(ledger.entries) == min(answers, 1)


@pytest.mark.parametrize("answers", [1, 2])
def test_a_part_that_is_added_twice_or_left_out_later_releases_nothing(answers):
    twice = lambda question, asked: (lambda part: karcher.merge(part, part))(
        karcher.partial(TABLE, question, columns=COLUMNS)
    )
    without = lambda question, asked: karcher.partial(TABLE.slice(1), question, columns=COLUMNS)
    for then in (twice, without):
        with pytest.raises(UnansweredError, match="number of records has changed"):
            fit("mean", karcher.Remote(after(answers, then)))


def test_the_noise_is_drawn_by_who_asks():
    heard = []

    def ask(question):
        heard.append(json.loads(question))
        return karcher.partial(DATA[0], question)

    fit("mean", karcher.Remote(ask))
    assert len(heard) > 1
    for question in heard:
        assert set(question) == {"query", "ball", "predictors", "persons", "replace_invalid"}
        assert not any(word in str(question) for word in ("seed", "epsilon", "scale", "noise"))


KILLED = """
import os, sys
import numpy as np, karcher
points = np.tile([0.6, 0.0, 0.8], (1000, 1))
asked = []
def ask(question):
    asked.append(question)
    if len(asked) > 1:
        os.kill(os.getpid(), 9)
    return karcher.partial(points, question)
mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, ledger=sys.argv[1])
mean.fit(karcher.Remote(ask))
"""


def test_who_is_killed_between_the_permit_and_the_release_has_spent_the_budget(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "l.db", data="made up", epsilon=1.0)
    run = subprocess.run([sys.executable, "-c", KILLED, os.fspath(tmp_path / "l.db")], timeout=120)
    assert run.returncode == -9
    assert [entry.status for entry in ledger.entries] == ["reserved"]
    with pytest.raises(karcher.errors.BudgetError):
        karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, ledger=ledger).fit(DATA[0])


@pytest.mark.parametrize("name", ["kendall:4", "projective:2", "torus:2", "rotations:3", "sphere:3"])
def test_a_ball_that_may_be_anywhere_is_located_in_parts(name):
    space = karcher.manifold(name)
    if name == "torus:2":
        points = np.random.default_rng(0).normal(scale=0.05, size=(400, 2))
    else:
        points = space.random_point(400, center=space.origin, scale=0.05, random_state=1)
    ball = karcher.PrivateBall(name, mu=3.0, random_state=1)

    def ask(question):
        return karcher.merge(*(karcher.partial(half, question) for half in (points[:150], points[150:])))

    assert is_the_same_but_says_so(ball.fit(karcher.Remote(ask)).release_, ball.fit(points).release_)


def test_what_looks_at_records_one_by_one_is_refused_before_the_budget_is_spent(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "l.db", data="made up", epsilon=1.0)
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, mechanism="kng", ledger=ledger)
    with pytest.raises(karcher.errors.UnsupportedError, match="reads single records many times"):
        mean.fit(karcher.Remote(in_parts([TABLE, TABLE], columns=COLUMNS)))
    assert not ledger.entries


def test_what_belongs_to_the_parts_is_no_option_of_a_fit():
    points = np.tile([1.0, 0.0, 0.0], (20, 1))
    mean = karcher.PrivateFrechetMean("sphere:2", radius=0.5, center=[1, 0, 0], epsilon=1.0)
    remote = karcher.Remote(lambda question: karcher.partial(points, question))
    for option in [{"groups": np.arange(20)}, {"groups": "who"}, {"columns": COLUMNS}, {"memory": "1MB"}]:
        with pytest.raises(karcher.Error, match="karcher.partial"):
            mean.fit(remote, **option)
    assert mean.fit(remote).release_.n == 20
