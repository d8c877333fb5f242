"""The share of an estimation that is done: it rises, and its parts follow from the work."""

from __future__ import annotations

import numpy as np
import pytest
from support.swung_arm import limited_arm, swung

from dynid.estimation.estimators import estimator_class, estimator_names
from dynid.estimation.work import Rest, Work
from dynid.identification.identify import identify


def test_parts_of_parts_are_shares_of_the_whole():
    done: list[float] = []
    part = Work(done.append).part(0.2, 0.8).part(0.5, 1.0)
    part.done(0.0)
    part.part(0.0, 0.5).done(1.0)
    assert list(part.counted([1, 2], 2)) == [1, 2]
    assert done == pytest.approx([0.5, 0.65, 0.65, 0.8])


def test_parts_of_unknown_number_never_reach_the_end():
    done: list[float] = []
    rest = Rest(Work(done.append))
    for _ in range(20):
        rest.take(0.3).done(1.0)
    assert done[:2] == pytest.approx([0.3, 0.51])
    assert np.all(np.diff(done) > 0)
    assert done[-1] < 1


def test_without_a_listener_nothing_happens():
    assert list(Work().part(0.0, 0.5).counted("ab", 2)) == ["a", "b"]


SLOW = [name for name in estimator_names() if estimator_class(name).round_share is not None]


@pytest.mark.parametrize("name", SLOW)
def test_slow_estimators_report_a_share_that_rises(name):
    robot = limited_arm()
    done, steps = list[float](), []

    def step(text: str) -> None:
        steps.append((text, len(done)))

    identify(
        robot,
        swung(robot, duration=10.0),
        progress=step,
        share=done.append,
        estimator=name,
        parallel_filter={"cutoff_hz": 10.0, "decimation": 10},
    )
    assert done[0] == 0.0
    assert np.all(np.diff(done) >= 0)
    assert done[-1] == pytest.approx(0.95)
    # the rest of the identification is still to come
    assert dict(steps)["evaluating"] == len(done)
    assert len(set(done)) >= 4


def test_the_filters_report_their_steps_evenly():
    robot = limited_arm()
    done: list[float] = []
    settings = {"parallel_filter": {"cutoff_hz": 10.0, "decimation": 4}}
    identify(robot, swung(robot, duration=10.0), share=done.append, estimator="ekf", **settings)
    steps = np.diff(done[1:-1])
    assert len(steps) > 10
    np.testing.assert_allclose(steps, steps[0])


def test_other_estimators_report_nothing():
    robot = limited_arm()
    done: list[float] = []
    identify(robot, swung(robot, duration=10.0), share=done.append, estimator="wls")
    assert not done


def test_the_choice_of_terms_reports_joint_by_joint():
    robot = limited_arm()
    done: list[float] = []
    identify(robot, swung(robot, duration=10.0), share=done.append, terms="auto")
    np.testing.assert_allclose(done, [0.0, 0.8 / 3, 1.6 / 3])
