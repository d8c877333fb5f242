"""Waves of gears in the deflection of two encoders, and whether standard deviations hold."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from support.elastic_rod import Gear, recording

from dynid.robot.model import nominal_model
from dynid_plugins.elastic.identification import identify_elastic
from dynid_plugins.elastic.report import print_elastic
from dynid_plugins.elastic.result import ElasticIdentification, ElasticJoint
from dynid_plugins.elastic.two_encoders import two_encoders

GENERATOR = Gear(ratio=50, motor_waves=((2, 2e-4),))
RELATIVES = {
    "a wave generator": GENERATOR,
    "soft, one wave a turn": Gear(1500.0, 2.0, ratio=30, motor_waves=((1, 3e-4),), noise=4e-5),
    "stiff, four waves a turn": Gear(2e4, 30.0, ratio=80, motor_waves=((4, 1e-4),), noise=5e-5),
    "an oval flexspline that hardens": Gear(
        8000.0, hardening=0.1 * 8000**3 / 30**2, ratio=40, oval=3e-4, noise=3e-5
    ),
}
SEEDS = 100


def identified(gear: Gear, seed: int = 0) -> ElasticIdentification:
    """What is found in another motion of the same rod for each seed."""
    robot = gear.robot()
    motor, link = recording(robot, gear, seed=seed, phase=0.37 * seed)
    return identify_elastic(robot, [two_encoders(motor, link, robot)], model=nominal_model(robot))


def test_waves_of_a_gear_are_named_with_their_amplitude() -> None:
    found = identified(GENERATOR)
    (joint,) = found.joints
    (wave,) = joint.ripple
    assert wave.order == 100
    assert abs(wave.amplitude - 2e-4) < 3 * wave.deviation < 4e-5
    assert joint.harmonics == ()
    console = Console(width=200, record=True, file=StringIO())
    print_elastic(console, found, {})
    assert "a wave of 100.0 periods a turn" in console.export_text()
    assert found.to_dict()["joints"]["joint_1"]["ripple"][0]["order"] == 100


@pytest.mark.parametrize("ratio", [1.0, 50.0], ids=["unknown", "known"])
def test_a_gear_without_waves_has_none(ratio: float) -> None:
    (joint,) = identified(Gear(ratio=ratio)).joints
    assert (joint.ripple, joint.harmonics, joint.fit.columns.extras) == ((), (), ())


def misses(joint: ElasticJoint, gear: Gear) -> dict[str, float]:
    """Errors over standard deviations of what the gear has; infinite where it is not stated."""
    true = {2.0: gear.oval} | {n * gear.ratio: size for n, size in gear.motor_waves}
    stated = {name: getattr(joint, name) for name in ("stiffness", "backlash", "hardening")}
    stated |= {wave.order: wave.size for wave in joint.ripple}
    wanted = {name: getattr(gear, name) for name in ("stiffness", "backlash", "hardening")} | true
    found = {name: stated.get(name) for name, value in wanted.items() if value}
    return {
        str(name): np.inf if one is None else (one.value - wanted[name]) / one.deviation
        for name, one in found.items()
    }


def invented(joint: ElasticJoint, gear: Gear) -> int:
    """Number of columns that the gear does not have."""
    return (
        len(joint.fit.columns.extras)
        - len(gear.motor_waves)
        - bool(gear.oval)
        - bool(gear.hardening)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("gear", RELATIVES.values(), ids=RELATIVES)
def test_standard_deviations_hold(gear: Gear) -> None:
    joints = [joint for seed in range(SEEDS) for joint in identified(gear, seed).joints]
    rows = [misses(joint, gear) for joint in joints]
    for name in rows[0]:
        errors = np.array([row[name] for row in rows])
        assert np.mean(np.abs(errors) < 2) >= 0.9, name
    assert sum(invented(joint, gear) for joint in joints) <= 0.06 * SEEDS
