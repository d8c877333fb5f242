"""Estimators that simulate or filter the motion report the share that is done."""

from __future__ import annotations

import numpy as np
import pytest
from support.representatives import representatives
from support.swung_arm import limited_arm, swung

from dynid.identification.identify import identify

SLOW = ["clie", "cloe", "didim", "iv", "ekf", "srukf"]


@pytest.mark.parametrize("name", representatives(SLOW, 2))
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
