"""Unknown torque constants, from the effect of a known payload on currents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.simulated_puma import ROBOT as PUMA
from support.synthetic import ARM_URDF, arm_robot
from support.weighed_arm import CONSTANTS, MEASURED, ROBOT, WEIGHED, currents, found, loaded

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.physical import is_physically_consistent
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.drive_gains.identification import DriveGains, identify_drive_gains
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.recording.model import Recording
from dynid.robot.drives import Drives
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying

LIVELY = (
    {"kind": "viscous"},
    {"kind": "coulomb"},
    {"kind": "coulomb_load", "joints": ["shoulder", "elbow"]},
    {"kind": "offset"},
)


def standardised(gains: DriveGains) -> np.ndarray:
    return (gains.fitted - CONSTANTS) / gains.standard_deviations


def test_constants_are_within_their_standard_deviations_from_the_mass_alone() -> None:
    errors = []
    for seed in range(6):
        gains = found(
            without=currents(noise=0.5, seed=seed), with_it=loaded(noise=0.5, seed=100 + seed)
        )
        assert gains.success
        errors.append(standardised(gains))
    assert 0.4 < np.sqrt(np.mean(np.square(errors))) < 1.8


def test_noise_in_the_current_does_not_bias_gains() -> None:
    # least squares on gain times current finds a tenth of the true constants here
    gains = found(without=currents(noise=0.5), with_it=loaded(noise=0.5))
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.1)


def test_a_better_known_payload_reduces_the_uncertainty() -> None:
    assert np.all(found(MEASURED).standard_deviations < 0.9 * found(WEIGHED).standard_deviations)


def test_all_constants_are_proportional_to_the_given_mass() -> None:
    gains, twice = found(), found(KnownPayload(2 * WEIGHED.mass))
    assert np.allclose(twice.fitted, 2 * gains.fitted, rtol=1e-3)


def test_constants_of_the_profile_do_not_matter() -> None:
    other = arm_robot(drives={"effort": "current", "torque_constant": [30.0, -0.02, 4.0]})
    assert np.allclose(found(robot=other).fitted, found().fitted, rtol=1e-5)


def test_constants_are_at_the_motor_side_of_the_gear() -> None:
    drives = {"effort": "current", "torque_constant": 1.0, "gear_ratio": [100.0, -50.0, 80.0]}
    gains = found(robot=arm_robot(drives=drives))
    assert np.allclose(gains.fitted, np.abs(CONSTANTS) / [100, 50, 80], rtol=0.03)


def test_permille_of_the_rated_current_give_the_same_constants_as_amperes() -> None:
    drives = {
        "effort": "rated_current_permille",
        "rated_current_ma": 2000.0,
        "torque_constant": [1.0, -1.0, 1.0],
    }
    permille = arm_robot(drives=drives)
    recordings = [replace(one, effort=one.effort / 2e-3) for one in (currents(), loaded())]
    gains = found(robot=permille, without=recordings[0], with_it=recordings[1])
    assert np.allclose(gains.fitted, found().fitted, rtol=1e-6)


def test_friction_that_changes_with_the_payload_does_not_bias_constants() -> None:
    colder = {"Fv1": 4.0, "Fv2": 2.0, "Fv3": 0.5, "Fc1": 6.0, "Fc2": 4.0, "Fc3": 1.0}
    gains = found(without=currents(noise=0.1), with_it=loaded(noise=0.1, changes=colder))
    assert np.all(np.abs(standardised(gains)) < 4)
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.02)


def test_load_dependent_friction_uses_the_identified_load() -> None:
    robot = arm_robot(drives=ROBOT.drives.model_dump(), terms=LIVELY)
    lighter = ARM_URDF.replace('mass value="4.0"', 'mass value="1.0"')  # the first guess of load
    recordings = [
        record(robot, changes={"Fl1": 0.15, "Fl2": 0.15}, noise=0.005)
        for record in (currents, loaded)
    ]
    gains = identify_drive_gains(robot.with_urdf(lighter), recordings[:1], recordings[1:], WEIGHED)
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.001)


def test_bodies_with_the_consistent_constants_are_physically_consistent() -> None:
    gains = found(without=currents(noise=2.0), with_it=loaded(noise=2.0, seed=13))
    mechanism = ROBOT.mechanism()
    assert gains.consistent is not None
    assert np.all(gains.consistent * CONSTANTS > 0)
    assert is_physically_consistent(mechanism, gains.standard)


def test_on_good_recordings_consistency_changes_nothing() -> None:
    gains = found()
    assert np.allclose(gains.consistent, gains.fitted, rtol=2e-3)


def test_parameters_are_identified_with_the_gains() -> None:
    gains = found(MEASURED, without=currents(noise=0.01), with_it=loaded(noise=0.01))
    mechanism = ROBOT.mechanism()
    base = base_parameterization(mechanism)
    true = base.project(mechanism.urdf_parameters)
    bodies = base.independent < mechanism.first_term
    assert np.allclose(base.project(gains.standard)[bodies], true[bodies], atol=0.01)


def test_a_constant_that_is_not_identifiable_is_that_of_the_profile() -> None:
    wrist = currents(noise=0.05).effort[:, 2]
    noise = 3.0 * np.random.default_rng(3).standard_normal((2, len(wrist)))
    recordings = []
    for one, extra in zip((currents(), loaded()), noise, strict=True):
        effort = one.effort.copy()
        effort[:, 2] += extra
        recordings.append(replace(one, effort=effort))
    gains = found(without=recordings[0], with_it=recordings[1])
    assert gains.identifiable == (True, True, False)
    assert gains.best[2] == 1.0
    assert not gains.success
    assert "wrist: not identifiable from these recordings" in gains.reasons[0]


@pytest.mark.parametrize("seed", [0, 7])
def test_reports_a_payload_without_effect(seed: int) -> None:
    gains = found(with_it=currents(seed=seed))
    assert not any(gains.identifiable)
    assert np.array_equal(gains.best, gains.profile)
    assert "has no measurable effect on the torque" in gains.reasons[0]


def test_refuses_a_current_with_the_opposite_sign_of_its_torque() -> None:
    wrong = arm_robot(drives={"effort": "current", "torque_constant": 1.0})
    with pytest.raises(EstimationError, match="the current of joint 'elbow' has the opposite sign"):
        found(robot=wrong)


def with_joint(recording: Recording, name: str, joint: int, value: float) -> Recording:
    """Return a recording in which a joint's position or effort has one value."""
    changed = getattr(recording, name).copy()
    changed[:, joint] = value
    return replace(recording, **{name: changed})


EMPTY, LOADED = currents(), loaded()
STILL, STEADY = {"position": np.zeros_like(EMPTY.position)}, {"effort": np.ones_like(EMPTY.effort)}
THOUSANDFOLD = [replace(one, effort=1e3 * one.effort) for one in (EMPTY, LOADED)]


@pytest.mark.parametrize(
    ("without", "with_it", "words"),
    [
        (
            with_joint(EMPTY, "effort", 1, 0.0),
            with_joint(LOADED, "effort", 1, 0.0),
            "the current of joint 'elbow' is zero",
        ),
        (EMPTY, replace(LOADED, **STILL), "no joint moves in the recordings with payload"),
        (replace(EMPTY, **STILL), LOADED, "no joint moves in the recordings without payload"),
        (replace(EMPTY, **STEADY), LOADED, "'shoulder' never changes in the recordings without"),
        (EMPTY, replace(LOADED, **STEADY), "'shoulder' never changes in the recordings with "),
        (THOUSANDFOLD[0], LOADED, r"with payload are at most .* times those without"),
        (EMPTY, THOUSANDFOLD[1], r"with payload are at least .* times those without"),
        (
            with_joint(EMPTY, "position", 2, 0.3),
            with_joint(LOADED, "position", 2, 0.3),
            "'wrist' does not move",
        ),
        (LOADED, EMPTY, "were exchanged"),
    ],
)
def test_refuses_recordings_without_information(
    without: Recording, with_it: Recording, words: str
) -> None:
    with pytest.raises(EstimationError, match=words):
        found(without=without, with_it=with_it)


def test_refuses_to_identify_without_a_recording_with_payload() -> None:
    with pytest.raises(EstimationError, match="their difference gives the scale"):
        identify_drive_gains(ROBOT, [currents()], [], WEIGHED)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (arm_robot(), "torques, which have no gain"),
        (
            arm_robot(
                drives=ROBOT.drives.model_dump(),
                coupling=[[1, 0, 0], [0, 1, 0], [0, 1, 1]],
                recording={"side": "motor"},
            ),
            "act on several joints",
        ),
    ],
)
def test_refuses_efforts_that_are_not_currents_of_single_drives(robot: Robot, words: str) -> None:
    with pytest.raises(EstimationError, match=words):
        identify_drive_gains(robot, [currents()], [loaded()], WEIGHED)


@pytest.mark.parametrize(
    ("mass", "options", "words"),
    [
        (0.0, {}, "must be from 1e-06 to"),
        (float("nan"), {}, "must be from 1e-06 to"),
        (1e308, {}, "must be from 1e-06 to"),
        (1e-308, {}, "must be from 1e-06 to"),
        (1.0, {"centre": (0, float("nan"), 0)}, "must be numbers up to"),
        (1.0, {"centre": (0, 1e300, 0)}, "must be numbers up to"),
        (1.0, {"inertia": (1, 0, 1, 0, 0, 1)}, "is not given"),
        (1.0, {"centre": (0, 0, 0), "inertia": (1, 0, 1, 0, 0, 3)}, "not physically consistent"),
    ],
)
def test_refuses_an_impossible_payload(
    mass: float, options: dict[str, tuple[float, ...]], words: str
) -> None:
    with pytest.raises(EstimationError, match=words):
        KnownPayload(mass, **options)


def test_motor_constants_of_a_simulated_puma_are_identified() -> None:
    constants = (0.223, 0.226, 0.240, 0.067, 0.066, 0.066)
    ratio = PUMA.drives.gear_ratio
    empty, unknown = (
        PUMA.model_copy(
            update={"drives": Drives(effort="current", torque_constant=kt, gear_ratio=ratio)}
        )
        for kt in (constants, (1.0,))
    )

    def recorded(robot: Robot, seed: int) -> Recording:
        excitation = find_excitation(PUMA)
        assert excitation is not None
        settings = excitation.model_copy(update={"periods": 1, "seed": seed})
        motion = build_excitation(settings, PUMA.limits, PUMA.joints)
        return simulate(robot, motion, seed=seed)

    heavy = carrying(empty, 2.0, (0.03, -0.05, 0.08), (8e-3, 1e-3, 6e-3, 0, 0, 5e-3))
    gains = identify_drive_gains(
        unknown, [recorded(empty, 1)], [recorded(heavy, 2)], KnownPayload(2.0)
    )
    assert gains.success
    assert np.allclose(gains.fitted / constants, 1.0, atol=0.02)
    assert np.all(np.abs(gains.fitted - constants) < 4 * gains.standard_deviations)
