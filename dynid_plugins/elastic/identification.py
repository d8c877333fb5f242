"""Elastic joints from encoders on both sides of their gears."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.identification.result import Identification
from dynid.recording.model import Recording
from dynid.robot.drives import transmission
from dynid.robot.elastic import elastic_settings
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid_plugins.elastic.coloured_regression import coloured_fit
from dynid_plugins.elastic.column_selection import Selection, select_columns
from dynid_plugins.elastic.deflection import (
    CANDIDATES,
    COMPLIANCE,
    DELAY,
    FRICTION_SHARE,
    HARDENING,
    MOTOR_WAVES,
    RELAXATION,
    Bend,
    JointLoad,
    columns_of,
    crossings,
    loaded,
    relaxed,
    touching,
)
from dynid_plugins.elastic.link_torque import (
    Band,
    LinkTorque,
    identify_links,
    link_motion,
    link_torque,
)
from dynid_plugins.elastic.parameter_draws import parameter_changes
from dynid_plugins.elastic.result import DeflectionFit, ElasticIdentification, ElasticJoint
from dynid_plugins.elastic.two_encoders import name_of

Progress = Callable[[str], None]

_MOST_ROUNDS = 10  # in which delay, damping and hardening converge
_SETTLED_CHANGE = 0.1  # standard deviations
_BORDERS_OF_A_RECORDING = 4  # fewest, each the samples that a filter affects at an end


def identify_elastic(
    robot: Robot,
    recordings: Sequence[Recording],
    *,
    model: Model | None = None,
    progress: Progress = lambda _: None,
) -> ElasticIdentification:
    """Identify stiffness, damping and backlash of joints with two encoders.

    Args:
        robot: with the profile's ``elastic``.
        recordings: of the robot, of equal sampling rates.
        model: of the links; None: identified from the same recordings first.
        progress: called with the name of each step.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    pairs = list(recordings)
    for pair in pairs:
        _check_duration(pair, robot)
    delays = _first_delays(pairs, robot)
    identified: Identification | None = None
    if model is None:
        progress("identifying the links")
        identified = identify_links(pairs, robot, [delays] * len(pairs))
        model = identified.model
    progress("fitting deflections")
    joints = _fit_joints(pairs, model, delays)
    return ElasticIdentification(robot.name, model, tuple(joints), tuple(pairs), identified)


class DeflectionErrors(NamedTuple):
    """Deflection of each joint in another recording.

    Attributes:
        rms: error by joint [rad or m].
        range: of the measured deflection, without the delay, by joint [rad or m].
    """

    rms: Mapping[str, float]
    range: Mapping[str, float]


def deflection_errors(identification: ElasticIdentification, pair: Recording) -> DeflectionErrors:
    """Return the errors with which elastic joints predict the deflection of another recording."""
    rms, ranges = {}, {}
    for joint in identification.joints:
        measured, predicted = _predicted_deflection(joint, pair, identification.model)
        rms[joint.name] = float(np.sqrt(np.mean((measured - predicted) ** 2)))
        ranges[joint.name] = float(np.ptp(measured))
    return DeflectionErrors(rms, ranges)


def _predicted_deflection(
    joint: ElasticJoint, pair: Recording, model: Model
) -> tuple[Array, Array]:
    """Return measured and predicted deflection (K,) of a joint where its teeth touch.

    Args:
        joint: as identified.
        pair: another recording.
        model: of the links, as identified.
    """
    assumed = _Assumed.none(model)
    assumed.delays[joint.number] = joint.fit.shifted
    assumed.time_constants[joint.number] = joint.fit.time_constant
    assumed.cubic[joint.number] = joint.fit.cubic
    nothing_drawn = np.zeros((0, len(model.parameters)))
    motion = _motions(pair, model, assumed, nothing_drawn)[1][joint.number]
    band = Band.of(model.robot, pair.sampling_rate)
    columns = band.kept(columns_of(motion, joint.fit.columns, band))
    used = _used(pair, motion, band)
    measured, fitted = band.kept(motion.deflection), columns @ joint.fit.coefficients
    rest = band.kept(motion.bend.rest)
    return (measured + rest)[used], (fitted + rest)[used]


def _check_duration(pair: Recording, robot: Robot) -> None:
    rate = pair.sampling_rate
    border = Band.of(robot, rate).border
    shortest = _BORDERS_OF_A_RECORDING * border / rate
    if len(pair.time) < _BORDERS_OF_A_RECORDING * border:
        message = (
            f"{name_of(pair)} lasts {len(pair.time) / rate:.3g} s, of which the low-pass of "
            f"identification.cutoff_hz affects {border / rate:.3g} s at each end; record at least "
            f"{shortest:.3g} s."
        )
        raise RecordingError(message)


class _Assumed(NamedTuple):
    """What the rounds of the fit improve.

    Attributes:
        delays: of the links' encoders (n,) [s].
        time_constants: damping over stiffness (n,) [s].
        cubic: 1/K and H/K⁴ of joints that harden (n, 2), else 0.
    """

    delays: Array
    time_constants: Array
    cubic: Array

    @classmethod
    def none(cls, model: Model) -> _Assumed:
        joints = len(model.robot.joints)
        return cls(np.zeros(joints), np.zeros(joints), np.zeros((joints, 2)))

    def improve(self, joint: int, fit: DeflectionFit) -> bool:
        """Take over what a joint's fit has found; return whether it was known before."""
        hardening, before = fit.place(HARDENING), self.time_constants[joint]
        self.delays[joint] += fit.coefficients[DELAY]
        self.time_constants[joint] = max(fit.whole_time_constant, 0.0)
        slower = (self.time_constants[joint] - before) * fit.coefficients[COMPLIANCE]
        rests = {DELAY: fit.coefficients[DELAY], RELAXATION: slower}
        if hardening is not None:
            rests[hardening] = fit.coefficients[hardening] - self.cubic[joint, 1]
            self.cubic[joint] = fit.coefficients[[COMPLIANCE, hardening]]
        deviations = np.sqrt(np.diag(fit.covariance))
        return all(abs(rest) <= _SETTLED_CHANGE * deviations[n] for n, rest in rests.items())


def _first_delays(pairs: Sequence[Recording], robot: Robot) -> Array:
    """Return the delays of the links' encoders (n,), as if the joints were rigid [s]."""
    delays = np.zeros(len(robot.joints))
    for joint in elastic_settings(robot).indices(robot):
        rows, values = [], []
        for pair in pairs:
            motion = link_motion(pair, robot, delays)
            border = Band.of(robot, pair.sampling_rate).border
            used = slice(border, len(motion.position) - border)
            one = np.stack(
                [
                    motion.velocity[:, joint],
                    motion.acceleration[:, joint],
                    np.ones(len(motion.position)),
                ],
                axis=1,
            )
            rows.append(one[used])
            values.append((pair.position - np.asarray(pair.link_position))[used, joint])
        found = np.linalg.lstsq(np.concatenate(rows), np.concatenate(values), rcond=None)[0]
        delays[joint] = found[0]
    return delays


def _fit_joints(pairs: Sequence[Recording], model: Model, delays: Array) -> list[ElasticJoint]:
    robot = model.robot
    settings = elastic_settings(robot)
    assumed = _Assumed.none(model)._replace(delays=delays.copy())
    elastic = settings.indices(robot)
    drawn = parameter_changes(model)
    fits: dict[int, DeflectionFit] = {}
    for _ in range(_MOST_ROUNDS):
        settled = True
        found = [_motions(pair, model, assumed, drawn) for pair in pairs]
        for joint in elastic:
            fit = fits[joint] = _fit(pairs, found, joint, model, assumed, fits.get(joint))
            settled &= assumed.improve(joint, fit)
        if settled:
            break
    return [
        ElasticJoint(
            number=joint,
            name=robot.joints[joint],
            prismatic=model.mechanism.prismatic[joint],
            tolerance=settings.largest_deflection,
            fit=fits[joint],
            ratio=float(_gear_ratios(robot)[joint]),
        )
        for joint in elastic
    ]


def _motions(
    pair: Recording, model: Model, assumed: _Assumed, drawn: Array
) -> tuple[LinkTorque, list[JointLoad]]:
    """Return the torques of a recording, and what each joint's deflection depends on."""
    rate = pair.sampling_rate
    band = Band.of(model.robot, rate)
    motion = link_motion(pair, model.robot, assumed.delays)
    found = link_torque(pair, model, motion, drawn)
    # through the same filter as the torque: teeth that meet ring near its cut-off
    motors = band.smooth(pair.position)
    deflection = motors - motion.position
    ratios = _gear_ratios(model.robot)
    joints = []
    for joint, time_constant in enumerate(assumed.time_constants.tolist()):
        torque = found.links[:, joint]
        lagging = relaxed(torque, time_constant, rate)
        bend = Bend.near(lagging, *assumed.cubic[joint].tolist())
        touches = touching(torque)
        joints.append(
            JointLoad(
                torque=torque,
                friction=found.friction[:, joint],
                side=np.sign(torque),
                bend=bend,
                relaxed_rate=band.rate_of(lagging),
                position=motion.position[:, joint],
                motor=motors[:, joint],
                velocity=motion.velocity[:, joint],
                deflection=deflection[:, joint] - bend.rest,
                ratio=float(ratios[joint]),
                touching=touches,
                loaded=loaded(touches, band.reach),
            )
        )
    return found, joints


def _gear_ratios(robot: Robot) -> Array:
    """Return the radians of each motor for each rad or m of its joint (n,)."""
    return np.abs(transmission(robot.drives, len(robot.joints)))


def _used(pair: Recording, motion: JointLoad, band: Band) -> Array:
    """Return which of the samples that a band keeps (K,) are fitted."""
    used = np.zeros(len(pair.time), dtype=bool)
    used[band.border : len(used) - band.border] = True
    if pair.missing is not None:
        used &= ~pair.missing
    return np.asarray((used & motion.loaded)[:: band.step])


def _fit(
    pairs: Sequence[Recording],
    found: Sequence[tuple[LinkTorque, list[JointLoad]]],
    joint: int,
    model: Model,
    assumed: _Assumed,
    before: DeflectionFit | None,
    candidates: Sequence[str] = CANDIDATES,
) -> DeflectionFit:
    """Fit a joint's deflection; the columns are selected in the first round.

    What blocks left out ask for must also be beyond its standard deviation, of errors that
    resemble their neighbours: a scale of the encoders goes with gravity, and so with stiffness.
    """
    band = Band.of(model.robot, pairs[0].sampling_rate)
    motions = [one[joint] for _, one in found]
    used = [_used(pair, one, band) for pair, one in zip(pairs, motions, strict=True)]
    motions = _with_sides_that_differ(motions, used, band)
    values = [band.kept(one.deflection) for one in motions]
    if motions[0].ratio == 1.0:
        candidates = [name for name in candidates if name not in MOTOR_WAVES]
    if before is None:
        most = elastic_settings(model.robot).most_harmonics
        selection = select_columns(motions, values, used, band, most, candidates)
    else:
        selection = Selection(before.columns, before.held_out)
    wanted = [columns_of(one, selection.columns, band) for one in motions]
    count = wanted[0].shape[1]
    columns = _with_crossings(wanted, motions, band)
    expected = np.pad(selection.columns.expected(), ((0, 0), (0, columns[0].shape[1] - count)))
    fitted = coloured_fit(columns, values, used, expected)
    changes = [band.kept(torque.changes[:, joint]) for torque, _ in found]
    by_load = fitted.coefficients[COMPLIANCE]
    if FRICTION_SHARE in selection.columns.extras:
        share = selection.columns.first(FRICTION_SHARE)
        by_load = by_load - fitted.coefficients[share]  # what is not load is friction
    by_model = _by_model(columns, used, [by_load * one for one in changes], expected)
    fit = DeflectionFit(
        columns=selection.columns,
        coefficients=fitted.coefficients[:count],
        covariance=(fitted.covariance + by_model)[:count, :count],
        determined=fitted.determined[:count],
        shifted=float(assumed.delays[joint]),
        time_constant=float(assumed.time_constants[joint]),
        cubic=assumed.cubic[joint].copy(),
        held_out=selection.errors,
        residual=float(
            np.sqrt(np.mean(np.concatenate(fitted.residual)[np.concatenate(used)] ** 2))
        ),
        load=tuple(band.kept(one.torque)[use] for one, use in zip(motions, used, strict=True)),
        corrected=tuple(
            (value - one[:, 1:] @ fitted.coefficients[1:])[use]
            for value, one, use in zip(values, columns, used, strict=True)
        ),
    )
    doubtful = fit.least_certain if before is None else None
    if doubtful is None:
        return fit
    others = [name for name in candidates if name != doubtful]
    return _fit(pairs, found, joint, model, assumed, None, others)


def _with_sides_that_differ(
    motions: Sequence[JointLoad], used: Sequence[Array], band: Band
) -> list[JointLoad]:
    """Return the motions without sides of the teeth, where all samples used have the same one.

    What the filter smears beyond a crossing would determine a backlash otherwise.
    """
    sides = [one.side[:: band.step][use] for one, use in zip(motions, used, strict=True)]
    if len(set(np.sign(np.concatenate(sides)).tolist())) > 1:
        return list(motions)
    return [one._replace(side=np.zeros_like(one.side)) for one in motions]


def _with_crossings(
    columns: Sequence[Array], motions: Sequence[JointLoad], band: Band
) -> list[Array]:
    """Return the columns that a band keeps (K, c + g), and those of each recording's crossings."""
    gaps = [crossings(motion) for motion in motions]
    before = np.cumsum([0, *(one.shape[1] for one in gaps)])
    together = []
    for number, (one, own) in enumerate(zip(columns, gaps, strict=True)):
        others = np.zeros((len(own), int(before[-1])))
        others[:, before[number] : before[number + 1]] = own
        together.append(band.kept(np.hstack([one, others])))
    return together


def _by_model(
    columns: Sequence[Array], used: Sequence[Array], changes: Sequence[Array], expected: Array
) -> Array:
    """Return the covariance (c, c) of the coefficients that the uncertain link torque causes.

    Args:
        columns: (K, c) of each recording.
        used: (K,) of each recording.
        changes: (K, D) of each recording: of the deflection, by draws of the model's parameters.
        expected: (r, c) rows whose products with the coefficients are 0 but for an error.
    """
    matrix = np.concatenate([*(one[use] for one, use in zip(columns, used, strict=True)), expected])
    changed = [one[use] for one, use in zip(changes, used, strict=True)]
    changed.append(np.zeros((len(expected), changed[0].shape[1])))
    sizes = np.linalg.norm(matrix, axis=0)
    scale = np.where(sizes > 0, sizes, 1.0)
    shift = np.linalg.lstsq(matrix / scale, np.concatenate(changed), rcond=1e-10)[0]
    shift = shift / scale[:, None]
    return np.asarray(shift @ shift.T)
