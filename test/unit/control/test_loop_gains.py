"""Gains of drives' loops: margins by formula, stability in simulation."""

from __future__ import annotations

import json
import math
from collections import deque

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

from dynid import cli
from dynid.control.loop_gains import CascadeGains, loop_gains
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.simulation.true_parameters import simulated_model

DELAY = 0.002


def model(name: str, **changes: object) -> Model:
    return simulated_model(load_robot(name).model_copy(update=changes))


@pytest.mark.parametrize("margin", [45.0, 60.0])
@pytest.mark.parametrize("robot", ["pendulum", "ur10e", "scara"])
def test_the_velocity_loop_has_the_margin_at_every_inertia(robot: str, margin: float) -> None:
    for gains in loop_gains(model(robot), DELAY, margin):
        margins, crossovers = [], []
        for inertia in gains.inertia:

            def excess(w: float, inertia: float = inertia, gains: CascadeGains = gains) -> float:
                lag = math.hypot(1.0, 1.0 / (w * gains.integral_time))
                return gains.velocity_gain * lag / (inertia * w) - 1.0

            w = brentq(excess, 1e-3, 1e5)
            lag = w * DELAY + math.atan(1.0 / (w * gains.integral_time))
            margins.append(90.0 - math.degrees(lag))
            crossovers.append(w / (2 * math.pi))
        assert min(margins) == pytest.approx(margin, abs=0.05)
        assert gains.velocity_margin == pytest.approx(min(margins), abs=0.05)
        assert gains.velocity_bandwidth == pytest.approx(min(crossovers), rel=1e-3)


def step_response(gains: CascadeGains, inertia: float, factor: float = 1.0) -> np.ndarray:
    """Simulate a step of the position with both gains times a factor."""
    step, position, speed, integral = DELAY / 20, 0.0, 0.0, 0.0
    acting = deque([0.0] * 20)
    found = []
    for _ in range(round(8.0 / (gains.position_gain * step))):
        error = factor * gains.position_gain * (1.0 - position) - speed
        integral += error * step / gains.integral_time
        acting.append(factor * gains.velocity_gain * (error + integral))
        speed += step * acting.popleft() / inertia
        position += step * speed
        found.append(position)
    return np.array(found)


@pytest.mark.parametrize("end", [0, 1])
def test_both_loops_settle_with_the_gains_and_not_with_six_times_them(end: int) -> None:
    gains = loop_gains(model("scara"), DELAY)[0]
    inertia = gains.inertia[end]
    response = step_response(gains, inertia)
    assert response.max() < 1.25
    assert np.abs(response[-len(response) // 4 :] - 1.0).max() < 0.05
    if end == 0:
        assert np.abs(step_response(gains, inertia, 6.0)).max() > 10.0


def test_gains_follow_from_the_inertias_of_the_mass_matrix() -> None:
    arm = model("scara")
    (low, high) = loop_gains(arm, DELAY)[0].inertia
    q = np.zeros((181, 4))
    q[:, 1] = np.linspace(*arm.robot.limits.range_of("position", 1), 181)
    diagonal = arm.mechanism.mass_matrix(q)[:, 0, 0]
    assert (low, high) == pytest.approx((diagonal.min(), diagonal.max()), rel=0.01)
    slow, fast = loop_gains(arm, 2 * DELAY)[0], loop_gains(arm, DELAY)[0]
    assert fast.velocity_gain == pytest.approx(2 * slow.velocity_gain)
    assert fast.position_gain == pytest.approx(2 * slow.position_gain)


@pytest.mark.parametrize(
    ("arm", "options", "words"),
    [
        ("scara", {"delay": 0.0}, "delay of 0 s"),
        ("scara", {"delay": DELAY, "margin": 80.0}, "30 to 70 deg"),
        ("scara_coupled", {"delay": DELAY}, "coupling"),
        ("puma560_static", {"delay": DELAY}, "semi_static"),
    ],
)
def test_what_has_no_gains_is_refused(arm: str, options: dict, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        loop_gains(model(arm), **options)


def test_the_command_prints_gains_with_bandwidths_and_margins() -> None:
    arguments = ["model", "gains", "-p", "scara", "--delay", "0.002"]
    printed = CliRunner().invoke(cli.app, arguments)
    assert printed.exit_code == 0, printed.output
    assert "60 deg" in printed.stdout
    read = json.loads(CliRunner().invoke(cli.app, [*arguments, "--json"]).stdout)
    wanted = loop_gains(model("scara"), DELAY)[0]
    assert read["joints"][0]["velocity_gain"] == pytest.approx(wanted.velocity_gain)
