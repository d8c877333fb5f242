"""Faults that no row of the diagnosis was made for; each function returns a motion with one fault.

They act on what there is to measure, so that they can be put into real recordings too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import scipy

from dynid.arrays import Array

from .faults import InjectedFault
from .plant import MeasuredMotion
from .tree import PinocchioTree

_CUTOFF = 6.0  # [Hz] of the motion from which added torque follows
_RIPPLE = 0.15  # of torque, of a drive without one of its phases
_PERIOD = 0.9  # [s] between the moments at which a bus loses torque


def _rms(values: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(values**2, axis=0)))


def _start(fault: InjectedFault, motion: MeasuredMotion) -> float:
    """Return the time [s] from which a fault acts, between 30 and 70 % of a recording."""
    return float((0.3 + 0.4 * fault.place) * motion.time[-1])


def _after(fault: InjectedFault, motion: MeasuredMotion) -> Array:
    return np.asarray(motion.time >= _start(fault, motion), dtype=float)


def _smooth(motion: MeasuredMotion) -> tuple[Array, Array, Array]:
    """Return filtered position, velocity and acceleration (N, n)."""
    low_pass = scipy.signal.butter(4, min(_CUTOFF, 0.4 * motion.rate), fs=motion.rate, output="sos")
    position = scipy.signal.sosfiltfilt(low_pass, motion.position, axis=0)
    velocity = np.gradient(position, 1 / motion.rate, axis=0)
    return position, velocity, np.gradient(velocity, 1 / motion.rate, axis=0)


def _with_added(motion: MeasuredMotion, added: Array) -> MeasuredMotion:
    return replace(motion, torque=motion.torque + added)


def _at(fault: InjectedFault, motion: MeasuredMotion, column: Array) -> Array:
    """Return (N, n) with a column (N,) at the fault's joints, in multiples of their torque."""
    added = np.zeros_like(motion.torque)
    for joint in fault.joints:
        added[:, joint] = column * _rms(motion.torque[:, joint])
    return added


def _phase_loss(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """From a moment on, give a share of the torque, with a ripple over the position."""
    torque, after = motion.torque.copy(), _after(fault, motion)
    for joint in fault.joints:
        ripple = 1 + _RIPPLE * np.sin(25 * motion.position[:, joint])
        torque[:, joint] *= 1 - after + after * fault.size * ripple
    return replace(motion, torque=torque)


def _sign_flips(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    torque = motion.torque.copy()
    torque[:, list(fault.joints)] *= (1 - 2 * _after(fault, motion))[:, None]
    return replace(motion, torque=torque)


def _picked_up(fault: InjectedFault, motion: MeasuredMotion, tree: PinocchioTree) -> MeasuredMotion:
    """Carry a payload from a moment on."""
    heavier = tree.copied()
    heavier.add_payload(fault.size * tree.mass, [0.1 * value for value in fault.direction])
    signals = _smooth(motion)
    added = heavier.torque(*signals) - tree.torque(*signals)
    return _with_added(motion, added * _after(fault, motion)[:, None])


def _other_robot(
    fault: InjectedFault, motion: MeasuredMotion, tree: PinocchioTree
) -> MeasuredMotion:
    """Record a robot of the same links with other masses."""
    other = tree.copied()
    other.scale_bodies(np.random.default_rng(round(1e6 * fault.place)), fault.size)
    signals = _smooth(motion)
    return _with_added(motion, other.torque(*signals) - tree.torque(*signals))


def _cable_drags(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Add dry friction beyond a position."""
    position, velocity, _acceleration = _smooth(motion)
    joint = fault.joints[0]
    beyond = position[:, joint] > np.quantile(position[:, joint], 0.4 + 0.3 * fault.place)
    speed = velocity[:, joint] / (0.02 * np.abs(velocity[:, joint]).max())
    return _with_added(motion, _at(fault, motion, fault.size * np.tanh(speed) * beyond))


def _hose_pulls(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Add an elastic torque beyond a position."""
    position = _smooth(motion)[0][:, fault.joints[0]]
    start = np.quantile(position, 0.4 + 0.3 * fault.place)
    pull = np.maximum(position - start, 0.0) / (position.max() - start)
    return _with_added(motion, _at(fault, motion, fault.size * pull))


def _brake_drags(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Add dry friction from a moment on."""
    velocity = _smooth(motion)[1][:, fault.joints[0]]
    dry = np.tanh(velocity / (0.02 * np.abs(velocity).max()))
    return _with_added(motion, _at(fault, motion, fault.size * dry * _after(fault, motion)))


def _torque_drifts(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    growth = motion.time / motion.time[-1]
    return _with_added(motion, _at(fault, motion, fault.size * growth))


def _held(values: Array, flags: Array) -> Array:
    """Return values (N,) of which those with a flag are the last one without."""
    rows = np.maximum.accumulate(np.where(flags, 0, np.arange(len(values))))
    return np.asarray(values[rows])


def _bursts(fault: InjectedFault, motion: MeasuredMotion, longest: float) -> Array:
    random = np.random.default_rng(round(1e6 * fault.place))
    flags = np.zeros(len(motion.time), dtype=bool)
    for start in random.uniform(0.1, 0.85, size=round(fault.size)) * motion.time[-1]:
        flags |= (motion.time >= start) & (motion.time < start + random.uniform(0.2, longest))
    return flags


def _position_sticks(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    position, flags = motion.position.copy(), _bursts(fault, motion, 1.0)
    for joint in fault.joints:
        position[:, joint] = _held(position[:, joint], flags)
    return replace(motion, position=position)


def _torque_sticks(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    torque, flags = motion.torque.copy(), _bursts(fault, motion, 2.0)
    for joint in fault.joints:
        torque[:, joint] = _held(torque[:, joint], flags)
    return replace(motion, torque=torque)


def _torque_drops_out(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    torque = motion.torque.copy()
    for joint in fault.joints:
        torque[_bursts(fault, motion, 0.6), joint] = 0.0
    return replace(motion, torque=torque)


def _encoder_slips(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    position = motion.position.copy()
    for joint in fault.joints:
        position[:, joint] += fault.size * _after(fault, motion)
    return replace(motion, position=position)


def _eccentric_encoder(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    position = motion.position.copy()
    for joint in fault.joints:
        turned = 3 * position[:, joint] + 6 * fault.place
        position[:, joint] += fault.size * np.sin(turned)
    return replace(motion, position=position)


def _scaled(fault: InjectedFault, motion: MeasuredMotion, names: tuple[str, ...]) -> MeasuredMotion:
    changes = {}
    for name in names:
        values = getattr(motion, name)
        if values is not None:
            changes[name] = values.copy()
            changes[name][:, list(fault.joints)] *= fault.size
    return replace(motion, **changes)


def _degrees(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _scaled(fault, motion, ("position", "velocity"))


def _speed_unit(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _scaled(fault, motion, ("velocity",))


def _milliamperes(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _scaled(fault, motion, ("torque",))


def _percent(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Record every torque in percent of a rated one that is no multiple of its peak."""
    random = np.random.default_rng(round(1e6 * fault.place))
    peaks = np.abs(motion.torque).max(axis=0)
    rated = peaks.max() * random.uniform(0.3, 1.0, size=len(peaks)) * np.sqrt(peaks / peaks.max())
    return replace(motion, torque=100 * motion.torque / np.round(rated, 2).clip(0.01))


def _permuted(
    fault: InjectedFault, motion: MeasuredMotion, names: tuple[str, ...]
) -> MeasuredMotion:
    """Give each of the fault's joints the channel of the next one."""
    order = np.arange(motion.torque.shape[1])
    order[list(fault.joints)] = np.roll(fault.joints, 1)
    values = {name: getattr(motion, name) for name in names}
    permuted = {name: None if v is None else v[:, order] for name, v in values.items()}
    return replace(motion, **permuted)  # type: ignore[arg-type]


def _order(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _permuted(fault, motion, ("position", "velocity", "torque"))


def _torque_order(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    return _permuted(fault, motion, ("torque",))


def _warped(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Stamp evenly what was sampled at uneven times."""
    turn = 2 * np.pi / (3 + 5 * fault.place)
    true = motion.time + fault.size / turn * np.sin(turn * motion.time)

    def at(values: Array | None) -> Array | None:
        if values is None:
            return None
        return np.stack([np.interp(true, motion.time, column) for column in values.T], axis=1)

    sampled = {name: at(getattr(motion, name)) for name in ("position", "velocity", "torque")}
    return replace(motion, **sampled)  # type: ignore[arg-type]


def _wrong_rate(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    """Stamp at another rate what has no velocity that would show it."""
    return replace(motion, rate=motion.rate / fault.size, velocity=None)


def _direction_gain(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    torque = motion.torque.copy()
    for joint in fault.joints:
        torque[:, joint] *= np.where(torque[:, joint] < 0, fault.size, 1.0)
    return replace(motion, torque=torque)


def _late_velocity(fault: InjectedFault, motion: MeasuredMotion, _: object) -> MeasuredMotion:
    if motion.velocity is None:
        return motion
    late, time = motion.velocity.copy(), motion.time
    for joint in fault.joints:
        late[:, joint] = np.interp(time - fault.size, time, late[:, joint])
    return replace(motion, velocity=late)


UNLISTED_INJECTIONS: dict[str, Callable[..., MeasuredMotion]] = {
    "phase_loss": _phase_loss,
    "sign_flips_half_way": _sign_flips,
    "payload_half_way": _picked_up,
    "robot_of_one_recording": _other_robot,
    "cable_drags": _cable_drags,
    "hose_pulls": _hose_pulls,
    "brake_drags": _brake_drags,
    "torque_drifts": _torque_drifts,
    "position_sticks": _position_sticks,
    "torque_sticks": _torque_sticks,
    "torque_drops_out": _torque_drops_out,
    "encoder_slips": _encoder_slips,
    "eccentric_encoder": _eccentric_encoder,
    "degrees": _degrees,
    "degrees_of_one_joint": _degrees,
    "speed_unit_of_one_joint": _speed_unit,
    "milliamperes": _milliamperes,
    "percent_of_rated": _percent,
    "permuted_joints": _order,
    "permuted_torques": _torque_order,
    "warped_time": _warped,
    "wrong_rate": _wrong_rate,
    "direction_gain": _direction_gain,
    "late_velocity": _late_velocity,
}


def changed_urdf(text: str, fault: InjectedFault, joints: tuple[str, ...]) -> str:
    """Return a URDF with the fault that is in it: other links, axes or masses, or no tool."""
    root = ET.fromstring(text)  # noqa: S314
    joint = next(one for one in root.iter("joint") if one.get("name") == joints[fault.joints[0]])
    if fault.kind in ("link_length", "axis_turned"):
        origin = joint.find("origin")
        if origin is None:
            origin = ET.SubElement(joint, "origin")
        name, default = ("xyz", "0 0 0") if fault.kind == "link_length" else ("rpy", "0 0 0")
        values = np.array((origin.get(name) or default).split(), dtype=float)
        if fault.kind == "link_length":
            values = values + fault.size * np.array(fault.direction)
        else:
            turned = scipy.spatial.transform.Rotation.from_rotvec(
                fault.size * np.array(fault.direction)
            )
            before = scipy.spatial.transform.Rotation.from_euler("xyz", values)
            values = (before * turned).as_euler("xyz")
        origin.set(name, " ".join(map(repr, values.tolist())))
    else:
        links = {one.get("name"): one for one in root.iter("link")}
        carried = links[joint.find("child").get("link")]  # type: ignore[union-attr]
        chosen = list(root.iter("link")) if fault.kind == "clean_variant" else [carried]
        random = np.random.default_rng(round(1e6 * fault.place))
        for inertial in (part for link in chosen for part in link.iter("inertial")):
            factor = fault.size * float(random.uniform(0.8, 1.25))
            for part in (inertial.find("mass"), inertial.find("inertia")):
                for key, value in part.attrib.items() if part is not None else ():
                    part.set(key, repr(float(value) * factor))  # type: ignore[union-attr]
    return ET.tostring(root, encoding="unicode")


IN_URDF = ("link_length", "axis_turned", "clean_link_mass", "clean_variant")
"""Kinds that are in the URDF that dynid is given."""
