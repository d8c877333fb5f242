"""Torque constants that nobody knows, from what a known payload adds to currents."""

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
from dynid.simulation.payload import carrying
from dynid.simulation.simulate import simulate

LIVELY = (
    {"kind": "viscous"},
    {"kind": "coulomb"},
    {"kind": "coulomb_load", "joints": ["shoulder", "elbow"]},
    {"kind": "offset"},
)


def standardised(gains: DriveGains) -> np.ndarray:
    return (gains.fitted - CONSTANTS) / gains.deviations


def test_constants_are_true_within_their_deviations_from_the_mass_alone() -> None:
    errors = []
    for seed in range(6):
        gains = found(
            without=currents(noise=0.5, seed=seed), with_it=loaded(noise=0.5, seed=100 + seed)
        )
        assert gains.success
        errors.append(standardised(gains))
    assert 0.4 < np.sqrt(np.mean(np.square(errors))) < 1.8


def test_noise_in_the_current_does_not_make_gains_small() -> None:
    # least squares on gain times current finds a tenth of the true constants here
    gains = found(without=currents(noise=0.5), with_it=loaded(noise=0.5))
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.1)


def test_a_payload_that_is_better_known_tells_more() -> None:
    assert np.all(found(MEASURED).deviations < 0.9 * found(WEIGHED).deviations)


def test_all_constants_grow_with_the_mass_that_is_told() -> None:
    gains, twice = found(), found(KnownPayload(2 * WEIGHED.mass))
    assert np.allclose(twice.fitted, 2 * gains.fitted, rtol=1e-3)


def test_what_the_profile_takes_constants_to_be_does_not_matter() -> None:
    other = arm_robot(drives={"effort": "current", "torque_constant": [30.0, -0.02, 4.0]})
    assert np.allclose(found(robot=other).fitted, found().fitted, rtol=1e-5)


def test_constants_are_in_front_of_the_gear() -> None:
    drives = {"effort": "current", "torque_constant": 1.0, "gear_ratio": [100.0, -50.0, 80.0]}
    gains = found(robot=arm_robot(drives=drives))
    assert np.allclose(gains.fitted, np.abs(CONSTANTS) / [100, 50, 80], rtol=0.03)


def test_permille_of_the_rated_current_are_as_good_as_amperes() -> None:
    drives = {
        "effort": "rated_current_permille",
        "rated_current_ma": 2000.0,
        "torque_constant": [1.0, -1.0, 1.0],
    }
    permille = arm_robot(drives=drives)
    recordings = [replace(one, effort=one.effort / 2e-3) for one in (currents(), loaded())]
    gains = found(robot=permille, without=recordings[0], with_it=recordings[1])
    assert np.allclose(gains.fitted, found().fitted, rtol=1e-6)


def test_friction_that_differs_with_the_payload_does_not_shift_constants() -> None:
    colder = {"Fv1": 4.0, "Fv2": 2.0, "Fv3": 0.5, "Fc1": 6.0, "Fc2": 4.0, "Fc3": 1.0}
    gains = found(without=currents(noise=0.1), with_it=loaded(noise=0.1, changes=colder))
    assert np.all(np.abs(standardised(gains)) < 4)
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.02)


def test_friction_that_grows_with_load_is_that_of_the_load() -> None:
    robot = arm_robot(drives=ROBOT.drives.model_dump(), terms=LIVELY)
    lighter = ARM_URDF.replace('mass value="4.0"', 'mass value="1.0"')  # the first guess of load
    recordings = [
        record(robot, changes={"Fl1": 0.15, "Fl2": 0.15}, noise=0.005)
        for record in (currents, loaded)
    ]
    gains = identify_drive_gains(robot.with_urdf(lighter), recordings[:1], recordings[1:], WEIGHED)
    assert np.allclose(gains.fitted[:2] / CONSTANTS[:2], 1.0, atol=0.001)


def test_bodies_with_the_consistent_constants_can_exist() -> None:
    gains = found(without=currents(noise=2.0), with_it=loaded(noise=2.0, seed=13))
    mechanism = ROBOT.mechanism()
    assert gains.consistent is not None
    assert np.all(gains.consistent * CONSTANTS > 0)
    assert is_physically_consistent(mechanism, gains.standard)


def test_on_good_recordings_consistency_changes_nothing() -> None:
    gains = found()
    assert np.allclose(gains.consistent, gains.fitted, rtol=2e-3)


def test_parameters_are_found_beside_the_gains() -> None:
    gains = found(MEASURED, without=currents(noise=0.01), with_it=loaded(noise=0.01))
    mechanism = ROBOT.mechanism()
    base = base_parameterization(mechanism)
    true = base.project(mechanism.urdf_parameters)
    bodies = base.independent < mechanism.first_term
    assert np.allclose(base.project(gains.standard)[bodies], true[bodies], atol=0.01)


def test_a_constant_that_nothing_tells_stays_that_of_the_profile() -> None:
    wrist = currents(noise=0.05).effort[:, 2]
    noise = 3.0 * np.random.default_rng(3).standard_normal((2, len(wrist)))
    recordings = []
    for one, extra in zip((currents(), loaded()), noise, strict=True):
        effort = one.effort.copy()
        effort[:, 2] += extra
        recordings.append(replace(one, effort=effort))
    gains = found(without=recordings[0], with_it=recordings[1])
    assert gains.told == (True, True, False)
    assert gains.best[2] == 1.0
    assert not gains.success
    assert "wrist: what was recorded says too little" in gains.reasons[0]


@pytest.mark.parametrize("seed", [0, 7])
def test_says_that_no_payload_shows(seed: int) -> None:
    gains = found(with_it=currents(seed=seed))
    assert not any(gains.told)
    assert np.array_equal(gains.best, gains.profile)
    assert "does not show in what was recorded with it" in gains.reasons[0]


def test_refuses_a_current_that_acts_against_its_torque() -> None:
    wrong = arm_robot(drives={"effort": "current", "torque_constant": 1.0})
    with pytest.raises(EstimationError, match="the current of joint 'elbow' acts against"):
        found(robot=wrong)


def test_refuses_recordings_that_were_mixed_up() -> None:
    with pytest.raises(EstimationError, match="mixed up"):
        found(without=loaded(), with_it=currents())


def without_current(recording: Recording) -> Recording:
    effort = recording.effort.copy()
    effort[:, 1] = 0.0
    return replace(recording, effort=effort)


def at_rest(recording: Recording) -> Recording:
    return replace(recording, position=np.zeros_like(recording.position))


def with_one_joint_still(recording: Recording) -> Recording:
    position = recording.position.copy()
    position[:, 2] = 0.3
    return replace(recording, position=position)


@pytest.mark.parametrize(
    ("without", "with_it", "words"),
    [
        (without_current(currents()), without_current(loaded()), "'elbow' has no current"),
        (currents(), at_rest(loaded()), "no joint moves in what was recorded with payload"),
        (at_rest(currents()), loaded(), "no joint moves in what was recorded without payload"),
        (with_one_joint_still(currents()), with_one_joint_still(loaded()), "'wrist' does not move"),
    ],
)
def test_refuses_recordings_that_tell_nothing(
    without: Recording, with_it: Recording, words: str
) -> None:
    with pytest.raises(EstimationError, match=words):
        found(without=without, with_it=with_it)


def test_refuses_to_do_without_a_recording_with_payload() -> None:
    with pytest.raises(EstimationError, match="the difference that sets the scale"):
        identify_drive_gains(ROBOT, [currents()], [], WEIGHED)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (arm_robot(), "torque, which has no gain"),
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
def test_refuses_what_is_no_current_of_one_drive(robot: Robot, words: str) -> None:
    with pytest.raises(EstimationError, match=words):
        identify_drive_gains(robot, [currents()], [loaded()], WEIGHED)


@pytest.mark.parametrize(
    ("mass", "options", "words"),
    [
        (0.0, {}, "greater than 0"),
        (float("nan"), {}, "greater than 0"),
        (1.0, {"inertia": (1, 0, 1, 0, 0, 1)}, "is not given"),
        (1.0, {"centre": (0, 0, 0), "inertia": (1, 0, 1, 0, 0, 3)}, "no body has"),
    ],
)
def test_refuses_a_payload_that_cannot_be(
    mass: float, options: dict[str, tuple[float, ...]], words: str
) -> None:
    with pytest.raises(EstimationError, match=words):
        KnownPayload(mass, **options)


def test_a_simulated_puma_tells_the_constants_of_its_motors() -> None:
    constants = (0.223, 0.226, 0.240, 0.067, 0.066, 0.066)
    ratio = PUMA.drives.gear_ratio
    twin, unknown = (
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

    heavy = carrying(twin, 2.0, (0.03, -0.05, 0.08), (8e-3, 1e-3, 6e-3, 0, 0, 5e-3))
    gains = identify_drive_gains(
        unknown, [recorded(twin, 1)], [recorded(heavy, 2)], KnownPayload(2.0)
    )
    assert gains.success
    assert np.allclose(gains.fitted / constants, 1.0, atol=0.02)
    assert np.all(np.abs(gains.fitted - constants) < 4 * gains.deviations)
