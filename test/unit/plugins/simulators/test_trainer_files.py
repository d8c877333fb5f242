"""Actuators for trainers: their modules run, and give the torque of the model."""

from __future__ import annotations

import ast
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from support.simulator_models import model_with_terms, random_motion

from dynid.errors import ConfigurationError
from dynid.profile import load_robot, make_robot
from dynid.robot.model import Model, nominal_model
from dynid.robot.provenance import BaseEstimate
from dynid_plugins.servo.law import servo_law
from dynid_plugins.simulators.export import export_along, export_model
from dynid_plugins.simulators.joint_actuators import joint_actuators
from dynid_plugins.simulators.trainer_files import TRAINERS

MODULES = {
    "mjlab": ("mjlab.actuator", "mjlab.envs.mdp", "mjlab.managers.event_manager"),
    "isaaclab": ("isaaclab.actuators", "isaaclab.envs", "isaaclab.managers"),
}
PLAIN = "[viscous, coulomb, rotor_inertia]"
VOLTAGE_SERVO = "so101"


class Recorded(ModuleType):
    """A module whose classes keep what they are called with."""

    def __getattr__(self, name: str) -> object:
        if name in ("dr", "mdp"):
            return Recorded(name)
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **values: SimpleNamespace(kind=name, args=args, **values)


@pytest.fixture
def run_module(monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs a module of a trainer, and returns its names."""

    def run(to: str, text: str) -> dict:
        for module in MODULES[to]:
            for part in (module.split(".")[0], module):
                monkeypatch.setitem(sys.modules, part, Recorded(part))
        names: dict = {}
        exec(compile(text, "actuators.py", "exec"), names)  # noqa: S102
        return names

    return run


def actuators_of(to: str, names: dict) -> list:
    return list(names["ACTUATORS"].values() if to == "isaaclab" else names["ACTUATORS"])


def test_mujoco_with_mjlabs_joints_computes_the_torque_of_the_model(run_module) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = model_with_terms("ur10e", terms=PLAIN)
    motion = random_motion(model)
    export = export_along(model, "mjlab", motion)
    assert export.exported.replaced == ()
    bare = replace(model, mechanism=model.mechanism.without_terms())
    spec = mujoco.MjSpec.from_string(export_along(bare, "mjcf", motion).text)
    actuators = actuators_of("mjlab", run_module("mjlab", export.text))
    for one in actuators:  # as mjlab 1.6.0 does, in utils/spec.py
        joint = spec.joint(one.target_names_expr[0])
        joint.armature, joint.frictionloss = one.armature, one.frictionloss
        joint.damping = np.array([one.viscous_damping, *np.zeros(np.size(joint.damping) - 1)])
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    compiled.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    friction = np.array([one.frictionloss for one in actuators]) * np.sign(motion.velocity)
    found = np.empty_like(friction)
    for number, (q, dq, ddq) in enumerate(zip(*motion, strict=True)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, dq, ddq
        mujoco.mj_inverse(compiled, data)
        found[number] = data.qfrc_inverse + friction[number]
    wanted = model.mechanism.inverse_dynamics(*motion)
    moving = np.abs(motion.velocity).min(axis=1) > 0.1  # beyond the smoothing of the sign
    assert moving.any()
    np.testing.assert_allclose(
        found[moving], wanted[moving], rtol=0, atol=1e-6 * np.abs(wanted).max()
    )


@pytest.mark.parametrize("to", TRAINERS)
def test_a_servo_driven_by_voltage_has_its_law(to: str, run_module) -> None:
    model = nominal_model(load_robot(VOLTAGE_SERVO))
    joints = len(model.robot.joints)
    law = servo_law(model.robot.servo, model.robot.drives, joints)
    motion = random_motion(model)
    actuators = actuators_of(to, run_module(to, export_along(model, to, motion).text))
    command, position = np.random.default_rng(2).uniform(-1.0, 1.0, (2, 500, joints))
    velocity = np.random.default_rng(3).uniform(-4.0, 4.0, (500, joints))
    wanted = law.torque(law.output(command, position, velocity), velocity)
    for j, one in enumerate(actuators):
        # the law and limits of DcMotorActuator (mjlab) and DCMotor (Isaac Lab)
        torque = one.stiffness * (command - position)[:, j] - one.damping * velocity[:, j]
        speed = velocity[:, j] / one.velocity_limit
        highest = np.minimum(one.saturation_effort * (1.0 - speed), one.effort_limit)
        lowest = np.maximum(one.saturation_effort * (-1.0 - speed), -one.effort_limit)
        limited = np.clip(wanted[:, j], -one.effort_limit, one.effort_limit)
        assert not np.allclose(torque, limited)  # the limits act
        np.testing.assert_allclose(np.clip(torque, lowest, highest), limited, atol=1e-9)


@pytest.mark.parametrize("to", TRAINERS)
def test_a_servo_that_controls_its_torque_has_gains_and_delays(to: str, run_module) -> None:
    servo = "servo={position_gain: 80, velocity_gain: 2, output_max: 20, delay: 0.005}"
    overrides = (servo, "drives.effort=position_command", f"terms={PLAIN}")
    model = nominal_model(load_robot("spatial_3r", overrides=overrides))
    names = run_module(to, export_along(model, to, random_motion(model)).text)
    one = actuators_of(to, names)[2]
    lags = ("delay_min_lag", "delay_max_lag") if to == "mjlab" else ("min_delay", "max_delay")
    assert (one.stiffness, one.damping) == (80.0, 2.0)
    assert one.effort_limit == 10.0  # limits.torque_max, below that of the servo
    assert [getattr(one, lag) for lag in lags] == [2, 3]
    assert names["TIMESTEP"] == 0.002


def identified(model: Model) -> Model:
    names = tuple(n for n in model.mechanism.parameter_names if n in ("Fv2", "Fc2", "Ia2"))
    deviations = np.array([0.01, 0.02, 0.3])
    base = replace(
        BaseEstimate.empty(), names=names, standard_deviations=deviations, covariance=None
    )
    return replace(model, base=base)


def test_ranges_are_two_standard_deviations_of_what_was_identified(run_module) -> None:
    model = identified(model_with_terms(terms=PLAIN))
    values = dict(zip(model.mechanism.parameter_names, model.mechanism.parameters, strict=True))
    order = dict(zip(model.base.names, model.base.standard_deviations, strict=True))
    motion = random_motion(model)
    events = run_module("mjlab", export_along(model, "mjlab", motion).text)["EVENTS"]
    for event, name in (("joint_damping", "Fv2"), ("joint_friction", "Fc2")):
        low, high = events[event].params["ranges"]["joint_2"]
        assert (low + high) / 2 == pytest.approx(values[name])
        assert (high - low) / 4 == pytest.approx(order[name])
        assert events[event].params["ranges"].keys() == {"joint_2"}
    assert events["joint_armature"].params["ranges"]["joint_2"][0] == 0.0
    (event,) = run_module("isaaclab", export_along(model, "isaaclab", motion).text)[
        "EVENTS"
    ].values()
    low, high = event.params["friction_distribution_params"]
    assert event.params["operation"] == "scale"
    assert values["Fc2"] * (high - low) / 4 == pytest.approx(order["Fc2"])
    assert "armature_distribution_params" not in event.params  # a factor of 0 is refused there


def test_ranges_of_replaced_friction_follow_from_its_covariance() -> None:
    model = model_with_terms(terms="[viscous, coulomb, {kind: stribeck, scale: 0.3}]")
    names = ("Fv2", "Fc2", "Fs2")
    factor = np.array([[0.02, 0.0, 0.0], [-0.01, 0.03, 0.0], [0.01, -0.02, 0.04]])
    covariance = factor @ factor.T
    base = replace(
        BaseEstimate.empty(),
        names=names,
        covariance=covariance,
        standard_deviations=np.sqrt(np.diag(covariance)),
    )
    motion = random_motion(model, 400)
    exported = export_along(replace(model, base=base), "mjlab", motion).exported
    ranges = joint_actuators(exported)[1].ranges
    # the spread of fits of models drawn from the covariance
    mechanism = model.mechanism
    places = [mechanism.parameter_names.index(name) for name in names]
    fits = []
    for draw in np.random.default_rng(4).normal(size=(200, 3)):
        parameters = np.array(mechanism.parameters)
        parameters[places] += factor @ draw
        drawn = replace(model, mechanism=mechanism.with_parameters(parameters))
        axis = export_along(drawn, "mjlab", motion).exported.terms.axes[1]
        fits.append((axis.damping[0], axis.dry_friction))
    for field, deviation in zip(("viscous", "dynamic"), np.std(fits, axis=0), strict=True):
        low, high = ranges[field]
        assert (high - low) / 4 == pytest.approx(deviation, rel=0.2)


@pytest.mark.parametrize("to", TRAINERS)
def test_no_name_of_a_robot_or_joint_becomes_code(to: str, run_module) -> None:
    model = identified(model_with_terms(terms=PLAIN))
    content = {
        "robot": "arm",
        "urdf": "arm.urdf",
        "joints": ["joint_1", "a'b\"c", "joint_3"],
        "terms": ["viscous", "coulomb", "rotor_inertia"],
        "limits": {"torque_max": 10.0, "position": [[-1, 1]] * 3},
    }
    robot = make_robot(content, model.robot.urdf_xml.replace("joint_2", "a'b&quot;c"))
    mechanism = robot.mechanism().with_parameters(model.mechanism.parameters)
    named = replace(model, robot=robot, mechanism=mechanism)
    header = ["of a\nraise RuntimeError"]
    names = run_module(to, export_along(named, to, random_motion(named), header=header).text)
    assert len(actuators_of(to, names)) == 3
    assert names["EVENTS"]


def test_static_and_load_dependent_friction_are_written_or_named(run_module) -> None:
    friction = "[{kind: coulomb}, {kind: stribeck, scale: 0.1}, {kind: coulomb_load}]"
    model = model_with_terms(terms=friction)
    export = export_along(model, "isaaclab", random_motion(model))
    assert "Coulomb friction under load" in export.exported.replaced[0]
    assert "of the load" in export.text
    values = dict(zip(model.mechanism.parameter_names, model.mechanism.parameters, strict=True))
    (one, *_) = actuators_of("isaaclab", run_module("isaaclab", export.text))
    breakaway = sum(values[name] for name in values if name in ("Fc1", "Fs1"))
    assert one.friction == pytest.approx(max(breakaway, one.dynamic_friction))


@pytest.mark.parametrize(
    ("robot", "options", "words"),
    [
        ("scara_coupled", {}, "export to mjcf"),
        ("pendulum", {}, "limits.torque_max"),
        ("spatial_3r", {"into": "mine.py"}, "--into"),
    ],
)
def test_what_has_no_actuators_is_refused(robot: str, options: dict, words: str) -> None:
    model = model_with_terms(robot)
    if robot == "pendulum":
        limits = model.robot.limits.model_copy(update={"torque_max": None})
        model = replace(model, robot=model.robot.model_copy(update={"limits": limits}))
    with pytest.raises(ConfigurationError, match=words):
        export_model(model, "mjlab", **options)


@pytest.mark.parametrize("to", TRAINERS)
def test_the_trainer_has_all_classes_and_fields(to: str, run_module) -> None:
    found = importlib.util.find_spec(to)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{to} (pip install --no-deps {to}) is not installed")
    fields = dataclass_fields(Path(found.submodule_search_locations[0]))
    robots = (nominal_model(load_robot(VOLTAGE_SERVO)), model_with_terms(terms=PLAIN))
    for model in robots:
        text = export_along(model, to, random_motion(model)).text
        for one in actuators_of(to, run_module(to, text)):
            assert vars(one).keys() - {"kind", "args"} <= fields[one.kind]


def dataclass_fields(package: Path) -> dict[str, set[str]]:
    """Return the fields of the classes of actuators in a package, those of bases included."""
    classes: dict[str, ast.ClassDef] = {}
    for file in package.rglob("actuator*/*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node

    def fields(name: str) -> set[str]:
        if name not in classes:
            return set()
        own = {
            one.target.id
            for one in classes[name].body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
        return own.union(*(fields(base) for base in bases))

    return {name: fields(name) for name in classes}
