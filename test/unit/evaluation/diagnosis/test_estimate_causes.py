"""Causes from the fit: undetermined parameters and overfitting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import RATE, findings, limited_arm, swung


def test_parameters_of_a_joint_that_hardly_moves_are_named_with_a_remedy() -> None:
    robot = limited_arm()
    tiny = swung(robot, amplitudes=(1.0, 1.0, 0.01), noise=0.1)
    found = findings(robot, tiny)["ill_conditioned"]
    (wrist,) = [finding for finding in found if finding.joint == "wrist"]
    assert wrist.evidence["standard deviation of torque of wrist"] > 0.1
    assert "Fv3" in wrist.sentence
    assert "wrist at more different speeds" in wrist.remedy.lower()


def test_collinear_friction_terms_are_named() -> None:
    terms = [{"kind": kind} for kind in ("viscous", "coulomb", "offset")]
    robot = limited_arm(terms=[*terms, {"kind": "stribeck", "scale": 100.0, "joints": ["elbow"]}])
    (found,) = findings(robot, swung(robot))["ill_conditioned"]
    assert found.evidence["condition number"] > 1e3
    assert found.evidence["share of Fc2"] == pytest.approx(
        -found.evidence["share of Fs2"], rel=0.01
    )
    assert "elbow at more different speeds" in found.remedy


def test_few_noisy_samples_are_overfitted() -> None:
    robot = limited_arm(identification={"cutoff_hz": None, "velocity": "measured"})
    recording = swung(robot, duration=10.0, noise=2.0)
    step = 100
    few = replace(
        recording,
        time=np.arange(20) * step / RATE,
        position=recording.position[::step],
        velocity=recording.velocity[::step],
        effort=recording.effort[::step],
        sampling_rate=RATE / step,
    )
    (found,) = [one for one in findings(robot, few)["over_fit"] if one.joint == "wrist"]
    fitted, held_out = (found.evidence[f"relative error{of}"] for of in ("", " held out"))
    assert held_out > 1.5 * fitted


def test_many_noisy_samples_are_not_overfitted() -> None:
    robot = limited_arm()
    assert "over_fit" not in findings(robot, swung(robot, duration=60.0, noise=2.0))
