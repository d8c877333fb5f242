"""A simulated PUMA with a payload, from identification to control."""

from __future__ import annotations

from functools import cache

import numpy as np
from support.carried_body import CENTRE, INERTIA, MASS, TRUTH

from dynid.control.controlled_robot import ControlledRobot
from dynid.dynamics.rigid_body import Body
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.identification.payload.identification import PayloadIdentification, identify_payload
from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import sample
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying

PUMA = load_robot("puma560", overrides=["collision.torque_error_max=null"])
LOADED = carrying(PUMA, MASS, CENTRE, INERTIA)
STEP = 10**6  # [ns]


def moved(robot: Robot) -> Recording:
    settings = find_excitation(robot)
    assert settings is not None
    once = settings.model_copy(update={"periods": 1})
    excitation = build_excitation(once, robot.limits, robot.joints)
    return simulate(robot, excitation, seed=1)


@cache
def model() -> Model:
    return identify(PUMA, moved(PUMA)).model


@cache
def found() -> PayloadIdentification:
    return identify_payload(model(), [moved(LOADED)])


def torque_errors(robot: Robot, payload: Body | None) -> np.ndarray:
    """Return the RMS torque errors of the controller during a motion without filters (n,)."""
    cell = ControlledRobot(robot)
    assert cell.law is not None
    cell.use(model().mechanism)
    if payload is not None:
        xx, xy, yy, xz, yz, zz = payload.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        cell.law.set_payload(payload.mass, payload.centre, inertia)
    goal = np.array([0.8, -1.0, 1.8, 0.7, -0.6, 0.8])
    motion = sample(point_to_point(np.zeros(6), goal, PUMA.limits, 0.5), PUMA.joints, 100.0)
    now, errors = 10**9, []
    for cycle in range(2600):
        if cycle == 800:  # after the delay of the additive torque
            cell.accept(motion, 0, now)
        now += STEP
        cell.step(now)
        if cycle > 800:
            errors.append(cell.law.torque_error)
    rms: np.ndarray = np.sqrt(np.mean(np.square(errors), axis=0))
    return rms


def test_mass_centre_and_inertia_are_identified() -> None:
    body = found().payload.body
    assert body.identifiable.all()
    error = body.quantities - TRUTH
    # standard deviations do not include stiction at reversals
    assert np.all(np.abs(error) < 5 * body.deviations)
    assert abs(error[0]) < 0.01 * MASS
    assert np.all(np.abs(error[1:4]) < 0.001)


def test_controller_with_the_payload_is_as_accurate_as_without_one() -> None:
    empty = torque_errors(PUMA, None)
    unknown = torque_errors(LOADED, None)
    known = torque_errors(LOADED, found().payload.body)
    gravity = [1, 2, 4]  # joints that carry the weight
    assert np.all(unknown[gravity] > 2 * empty[gravity])
    # the position of stiction changes under load
    assert np.all(known < 1.3 * empty)
