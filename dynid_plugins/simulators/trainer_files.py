"""Configurations of actuators for mjlab and Isaac Lab, as Python modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dynid_plugins.simulators.joint_actuators import JointActuator, PositionLoop, joint_actuators
from dynid_plugins.simulators.simulated_terms import FormatTerms

if TYPE_CHECKING:
    from dynid_plugins.simulators.exported_model import ExportedModel

    TrainerText = Callable[[ExportedModel, Sequence[str]], str]

TRAINER_TERMS = FormatTerms(armature=True)
_TIMESTEP = 0.002  # [s]


def mjlab_text(exported: ExportedModel, header: Sequence[str]) -> str:
    """Return ``ACTUATORS`` for an ``EntityArticulationInfoCfg``, and ``EVENTS`` that vary them."""
    actuators = joint_actuators(exported)
    events = [
        _call(
            f'"{function}": EventTermCfg',
            mode="startup",
            func=_Name(f"dr.{function}"),
            params={"operation": "abs", "ranges": ranges},
        )
        for function, field in (
            ("joint_armature", "armature"),
            ("joint_damping", "viscous"),
            ("joint_friction", "dynamic"),
        )
        if (ranges := {re.escape(a.joint): a.ranges[field] for a in actuators if field in a.ranges})
    ]
    calls = [_mjlab_actuator(actuator) for actuator in actuators]
    imports = [f"from mjlab.actuator import {_classes(calls)}"]
    if events:
        imports.append("from mjlab.envs.mdp import dr")
        imports.append("from mjlab.managers.event_manager import EventTermCfg")
    body = ["ACTUATORS = (", *(f"    {call}," for call in calls), ")"]
    return _module(_notes(exported, header, actuators), imports, body, events)


def isaaclab_text(exported: ExportedModel, header: Sequence[str]) -> str:
    """Return ``ACTUATORS`` for an ``ArticulationCfg``, and ``EVENTS`` that vary them.

    Isaac Lab applies one distribution to static, dynamic and viscous friction alike, which
    therefore has to be a factor.
    """
    actuators = joint_actuators(exported)
    calls = {actuator.joint: _isaaclab_actuator(actuator) for actuator in actuators}
    events = []
    for actuator in actuators:
        factors = {
            f"{name}_distribution_params": tuple(limit / value for limit in actuator.ranges[field])
            for name, field, value in (
                ("armature", "armature", actuator.armature),
                ("friction", "dynamic", actuator.dynamic),
            )
            if field in actuator.ranges and value > 0 and actuator.ranges[field][0] > 0
        }
        if factors:
            entity = _Name(f"SceneEntityCfg('robot', joint_names=[{re.escape(actuator.joint)!r}])")
            events.append(
                _call(
                    f"{actuator.joint!r}: EventTermCfg",
                    mode="startup",
                    func=_Name("mdp.randomize_joint_parameters"),
                    params={"asset_cfg": entity, "operation": "scale", **factors},
                )
            )
    imports = [f"from isaaclab.actuators import {_classes(calls.values())}"]
    if events:
        imports.append("from isaaclab.envs import mdp")
        imports.append("from isaaclab.managers import EventTermCfg, SceneEntityCfg")
    lines = [f"    {joint!r}: {call}," for joint, call in calls.items()]
    body = ["ACTUATORS = {", *lines, "}"]
    return _module(_notes(exported, header, actuators), imports, body, events)


TRAINERS: Mapping[str, TrainerText] = MappingProxyType(
    {"mjlab": mjlab_text, "isaaclab": isaaclab_text}
)
"""What writes a model's module, by the name that `dynid model export --to` takes."""


class _Name(str):
    """An expression, whose text is the string itself."""

    __slots__ = ()
    __repr__ = str.__str__


def _mjlab_actuator(actuator: JointActuator) -> str:
    passive = {
        "target_names_expr": (re.escape(actuator.joint),),
        "armature": actuator.armature,
        "frictionloss": actuator.dynamic,
        "viscous_damping": actuator.viscous,
    }
    loop = actuator.loop
    if loop is None:
        return _call("BuiltinMotorActuatorCfg", effort_limit=actuator.effort_limit, **passive)
    control = _control(actuator, loop) | passive
    if loop.delay:
        control |= _lags(loop, "delay_min_lag", "delay_max_lag")
    if loop.no_load_speed is None:
        return _call("IdealPdActuatorCfg", **control)
    return _call("DcMotorActuatorCfg", **control)


def _isaaclab_actuator(actuator: JointActuator) -> str:
    passive = {
        "joint_names_expr": [re.escape(actuator.joint)],
        "armature": actuator.armature,
        "friction": actuator.static,
        "dynamic_friction": actuator.dynamic,
        "viscous_friction": actuator.viscous,
    }
    loop = actuator.loop
    if loop is None:
        limits: dict[str, object] = {"effort_limit_sim": actuator.effort_limit}
        if actuator.velocity_limit is not None:
            limits["velocity_limit_sim"] = actuator.velocity_limit
        return _call("ImplicitActuatorCfg", stiffness=0.0, damping=0.0, **limits, **passive)
    control = _control(actuator, loop) | passive
    if loop.no_load_speed is not None:
        return _call("DCMotorCfg", **control)
    if not loop.delay:
        return _call("IdealPDActuatorCfg", **control)
    return _call("DelayedPDActuatorCfg", **_lags(loop, "min_delay", "max_delay"), **control)


def _control(actuator: JointActuator, loop: PositionLoop) -> dict[str, object]:
    curve: dict[str, object] = {}
    if loop.no_load_speed is not None:
        curve = {"saturation_effort": loop.stall_torque, "velocity_limit": loop.no_load_speed}
    limits = {"effort_limit": actuator.effort_limit}
    return {**curve, "stiffness": loop.stiffness, "damping": loop.damping, **limits}


def _lags(loop: PositionLoop, least: str, most: str) -> dict[str, object]:
    names = {least: "floor", most: "ceil"}
    return {name: _Name(f"{way}({loop.delay!r} / TIMESTEP)") for name, way in names.items()}


def _call(callee: str, **values: object) -> str:
    given = "".join(f"        {name}={value!r},\n" for name, value in values.items())
    return f"{callee}(\n{given}    )"


def _classes(calls: Iterable[str]) -> str:
    return ", ".join(sorted({call.partition("(")[0] for call in calls}))


def _notes(
    exported: ExportedModel, header: Sequence[str], actuators: Sequence[JointActuator]
) -> list[str]:
    return [
        *header,
        *(f"The format has {sentence}." for sentence in exported.replaced),
        *(
            f"{actuator.joint}: identified friction of {actuator.per_load:g} of the load."
            for actuator in actuators
            if actuator.per_load
        ),
    ]


def _module(
    notes: Sequence[str], imports: Sequence[str], body: Sequence[str], events: Sequence[str]
) -> str:
    delayed = any("TIMESTEP" in line for line in body)
    step = f"TIMESTEP = {_TIMESTEP}  # [s] of the simulated physics, in which delays are counted"
    ranges = "# two standard deviations of the identification to either side"
    return "\n".join(
        [
            *(f"# {' '.join(line.split())}" for line in notes),  # a name may break a line
            "# Actuators in SI units.",
            *(["from math import ceil, floor", ""] if delayed else []),
            *imports,
            "",
            *([step, ""] if delayed else []),
            *body,
            *(
                ["", ranges, "EVENTS = {", *(f"    {event}," for event in events), "}"]
                if events
                else []
            ),
            "",
        ]
    )
