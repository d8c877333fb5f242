"""A servo on a rig with known loads: motor, friction, rotor inertia and bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import ConfigurationError, EstimationError
from dynid.profile import load_robot
from dynid_plugins.servo.rig import RigIdentification, identify_friction, identify_rig
from dynid_plugins.servo.rig_runs import (
    LoadSettings,
    RigRun,
    RunSettings,
    rig_body,
    rig_run,
)
from dynid_plugins.servo.simulated_rig import held_out_roll_outs, simulated_run

GAIN, BIAS = 5.312, 0.012
RESISTANCE, CONSTANT = 2.6762, 1.2116
TRUE = {
    "torque_per_volt": CONSTANT / RESISTANCE,
    "damping": 0.05909 + CONSTANT**2 / RESISTANCE,
    "Fc1": 0.05239,
    "Ia1": 0.0284,
    "bias": BIAS,
}
LIGHT = RunSettings(recording="light", load=LoadSettings(mass=0.3, centre=(0.18, 0, 0)))
HEAVY = RunSettings(
    recording="heavy",
    load=LoadSettings(mass=0.6, centre=(0.14, 0, 0), inertia=1e-3),
    position_gain=GAIN,
)


@pytest.fixture(scope="module")
def runs() -> list[RigRun]:
    """Two runs of a servo with a bias, as its profile does not have it, and a wrong constant."""
    true = load_robot("servo_rig", overrides=[f"servo.bias={BIAS}"])
    profile = load_robot("servo_rig", overrides=["drives.torque_constant=1.0"])
    recorded = [simulated_run(true, one, seed=seed) for seed, one in enumerate((LIGHT, HEAVY))]
    return [
        rig_run(one.name, profile, one.recording, settings)
        for one, settings in zip(recorded, (LIGHT, HEAVY), strict=True)
    ]


def in_deviations(found: RigIdentification) -> dict[str, float]:
    figures = zip(found.names, found.values, found.standard_deviations, strict=True)
    return {name: (value - TRUE[name]) / deviation for name, value, deviation in figures}


def test_motor_friction_rotor_and_bias_are_found(runs: list[RigRun]) -> None:
    found = identify_rig(runs)
    errors = in_deviations(found)
    assert set(errors) == set(TRUE)
    assert max(map(abs, errors.values())) < 4
    relative = found.standard_deviations / np.array([TRUE[name] for name in found.names])
    assert relative.max() < 0.05
    assert found.robot.drives.torque_constant == pytest.approx([CONSTANT], rel=0.01)


def test_the_profiles_resistance_changes_only_what_depends_on_it(runs: list[RigRun]) -> None:
    other = [
        replace(run, robot=run.robot.model_copy(update={"servo": servo}))
        for run in runs
        if (servo := run.robot.servo.model_copy(update={"resistance": (5.0,)}))
    ]
    before, after = identify_rig(runs), identify_rig(other)
    np.testing.assert_allclose(after.values, before.values, rtol=1e-9)
    np.testing.assert_allclose(after.covariance, before.covariance, rtol=1e-6)
    assert after.viscous != pytest.approx(before.viscous, rel=0.5)


@pytest.mark.thorough
def test_a_run_is_predicted_by_the_others(runs: list[RigRun]) -> None:
    for run in held_out_roll_outs(runs):
        assert run.identified < 0.2 * run.profile
        assert run.identified < 0.003  # [rad] two encoder counts
    assert held_out_roll_outs(runs[:1]) == []


def test_a_wrong_mass_scales_everything(runs: list[RigRun]) -> None:
    doubled = [replace(run, body=2 * run.body) for run in runs]
    before, after = identify_rig(runs), identify_rig(doubled)
    own = [one for one in before.names if one not in ("bias", "Ia1")]
    for name in own:
        number = before.names.index(name)
        assert after.values[number] == pytest.approx(2 * before.values[number], rel=1e-6)


def test_a_load_is_added_to_the_rod() -> None:
    robot = load_robot("servo_rig")
    rod, body = rig_body(robot, None), rig_body(robot, HEAVY.load)
    # mass, its moment, and its inertia about the joint's axis y
    assert (body - rod)[[0, 1, 6]] == pytest.approx([0.6, 0.6 * 0.14, 1e-3 + 0.6 * 0.14**2])


def test_load_friction_is_zero_where_there_is_none(runs: list[RigRun]) -> None:
    found = identify_friction(runs, "m3")
    number = found.names.index("Fl1")
    assert abs(found.values[number]) < 4 * found.standard_deviations[number]


@pytest.mark.parametrize(
    ("overrides", "error", "words"),
    [
        (["terms=[{kind: coulomb}]"], ConfigurationError, "needs the term 'viscous'"),
        (["terms=[{kind: viscous}, {kind: offset}]"], ConfigurationError, "has the term Off1"),
        (["servo={position_gain: 3}"], ConfigurationError, "is driven by voltage"),
        (
            ["terms=[{kind: viscous}, {kind: coulomb}, {kind: stribeck, scale: 1000}]"],
            EstimationError,
            "Fs1 only in combination with Fc1",
        ),
    ],
)
def test_a_profile_that_is_no_rig_or_not_determined_is_refused(
    runs: list[RigRun], overrides: list[str], error: type[Exception], words: str
) -> None:
    robot = load_robot("servo_rig", overrides=overrides)
    with pytest.raises(error, match=words):
        identify_rig([rig_run("light", robot, runs[0].recording, LIGHT)])


def test_an_arm_is_no_rig(runs: list[RigRun]) -> None:
    with pytest.raises(ConfigurationError, match="has 6 joints and a group 'servo'"):
        rig_run("arm", load_robot("so101"), runs[0].recording, LIGHT)


def test_commands_in_the_opposite_direction_are_refused(runs: list[RigRun]) -> None:
    recording = runs[0].recording
    turned = replace(recording, effort=2 * recording.position - recording.effort)
    with pytest.raises(EstimationError, match="negative torque constant"):
        identify_rig([replace(runs[0], recording=turned)])


def test_an_unknown_friction_model_is_refused(runs: list[RigRun]) -> None:
    with pytest.raises(ConfigurationError, match="no friction model 'm7'; expected one of m1"):
        identify_friction(runs, "m7")
