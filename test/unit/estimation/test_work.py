"""The share of an estimation that is done: it rises, and its parts follow from the work."""

from __future__ import annotations

import numpy as np
import pytest
from support.swung_arm import limited_arm, swung

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
