"""Every printed table on narrow terminals, with long but ordinary content."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from support.small_robot import ROBOT, URDF
from support.table_widths import printed_whole

import dynid
from dynid.cli import check
from dynid.cli import model as model_commands
from dynid.cli import robots as robots_list
from dynid.dynamics.model_at_point import model_at_point
from dynid.evaluation.diagnosis.finding import Finding
from dynid.excitation.build import build_excitation
from dynid.excitation.prediction.prediction import predict
from dynid.excitation.settings import SineSettings, find_excitation
from dynid.identification.friction.selection import (
    ChosenTerms,
    FrictionSelection,
    TriedTerms,
)
from dynid.profile import load_robot, make_robot
from dynid.recording.column_proposal import propose_columns
from dynid.report import friction, terminal
from dynid.report.card import Card
from dynid.report.friction import print_comparisons, print_friction, print_selection
from dynid.report.terminal.collisions import print_collisions
from dynid.report.terminal.comparison import print_model_comparison
from dynid.report.terminal.diagnosis import print_diagnosis
from dynid.report.terminal.drive_gains import print_drive_gains
from dynid.report.terminal.drives import print_drives
from dynid.report.terminal.model import print_point, print_shares
from dynid.report.terminal.payload import (
    print_payload,
    print_payload_identification,
    print_static_payload,
)
from dynid.report.terminal.prediction import print_prediction
from dynid.report.terminal.results import (
    print_demonstration,
    print_identification,
    print_quantities,
    print_recording_info,
    print_terms,
    print_verdict,
)
from dynid.report.terminal.sine import print_sine
from dynid.report.terminal.tracking import print_trial
from dynid.report.terminal.tuning import print_tuning
from dynid.report.terminal.wrench import print_wrench
from dynid.robot.model import nominal_model
from dynid_plugins.laboratory.cli import model_code, retrieve
from dynid_plugins.servo import report
from dynid_plugins.servo.report import print_rig, print_roll_outs, print_servos
from dynid_plugins.simulators.cli import export

JOINTS = [f"left_arm_{name}_joint" for name in ("shoulder_pan", "shoulder_lift", "elbow")]
SMALL = -1.234e-5
SENTENCE = "joint 'left_arm_elbow_joint' [m]: its range is small; move it over most of its range."
NO_TABLE = {
    "print_sentences",
    "print_json",
    "print_text",
    "print_message",
    "print_written",
    "print_kept_model",
    "print_next",
    "print_result",
}


def some(**fields: object) -> SimpleNamespace:
    return SimpleNamespace(**fields)


def errors() -> list[SimpleNamespace]:
    numbers = dict.fromkeys(
        ("rmse", "rmse_torque", "nrmse", "relative_error", "r_squared", "urdf_error"), abs(SMALL)
    )
    relative = dict.fromkeys(("max_relative_torque_error", "mean_relative_torque_error"), 123.0)
    use: dict[str, object] = {"errors_in_motion": (123.0, 123.0)}
    use |= {"feedforward": True, "collision": False, "uses": (), "state": "good"}
    use |= {"moving_error": 0.1, "rest_share": 0.5, "rest_rmse": 0.2, "static_friction": 1.0}
    use |= {"rest_error_share": 0.7, "coverage": 0.95, "held_out_error": 0.3}
    return [some(joint=joint, unit="permille", **numbers, **relative, **use) for joint in JOINTS]


def verdict(success: bool = True) -> SimpleNamespace:
    sentences = {"reasons": (SENTENCE,), "warnings": (SENTENCE,)}
    compared = {"compared": errors(), "mean_error": SMALL, "mean_urdf_error": 1.5}
    return some(joints=errors(), success=success, **sentences, **compared)


def card() -> Card:
    return Card(verdict(success=False), SENTENCE, f"dynid identify {SENTENCE}")


def payload() -> SimpleNamespace:
    rows = [("centre of mass x", SMALL, "kg*m^2", 1e-6), ("mass", 1.0, "kg", None)]
    return some(robot="robot", joint=JOINTS[2], rows=rows, reasons=(SENTENCE,))


def collisions() -> list[SimpleNamespace]:
    number = {"value": SMALL, "threshold": 1.5}
    alarm = some(time=1234.5, until=1250.25, joint=JOINTS[0], cause="torque_threshold", **number)
    margin = some(time=1234.5, joint=JOINTS[0], share=0.7, **number)
    long = "a_recording_of_the_whole_day_with_a_name_of_many_words.mcap"
    return [
        some(recording=long, hours=8, alarms=[alarm], margins=[margin]),
        some(recording=long, hours=8, alarms=[], margins=[margin]),
    ]


def trial() -> SimpleNamespace:
    run = some(peak=np.full(3, 1e-7), rms=np.full(3, 1e-7), metric=0.1)
    return some(
        robot="robot",
        joints=JOINTS,
        prismatic=[False, True, False],
        metric="settling_time",
        watched="tool",
        without=run,
        with_model=run,
        ratio=1.0,
    )


def model_comparison() -> SimpleNamespace:
    names = ("torque", "rms", "largest", "bodies", "terms", "expected")
    torques = [some(joint=joint, **dict.fromkeys(names, abs(SMALL))) for joint in JOINTS]
    row = some(name="XX12R", first=SMALL, second=-SMALL, score=-12345.6, unit="kg*m^2")
    models = {
        name: some(robot=some(name="robot", gravity=name), mechanism=some(joints=JOINTS))
        for name in ("first", "second")
    }
    return some(
        **models,
        parameters=[row] * 20,
        only_one=["Off1"] * 20,
        distance=1.234e8,
        freedom=40,
        probability=1e-9,
        workspace=torques,
        recordings=[
            some(name="work.mcap", torque=torques, first_error=[123.0] * 3, second_error=[0.1] * 3)
        ],
    )


def servos() -> SimpleNamespace:
    names = [f"position_gain of {joint}" for joint in JOINTS]
    law = some(position_gain=np.full(3, SMALL), bias=np.full(3, SMALL))
    return some(
        robot="robot",
        names=names,
        values=[SMALL] * 3,
        standard_deviations=[1e-7] * 3,
        relative_error=np.full(3, 0.123),
        known=dict.fromkeys(names, SMALL),
        law=law,
        unknowns=["position_gain", "bias"],
        combinations=[
            some(name=names[0], value=SMALL, others={}),
            some(name=names[1], value=SMALL, others=dict.fromkeys(names, SMALL)),
        ],
    )


def servo_rig() -> tuple[SimpleNamespace, list[SimpleNamespace]]:
    robot = load_robot("servo_rig")
    names = ("torque_per_volt", "damping", "Fc1", "Ia1", "bias")
    found = some(
        robot=robot,
        names=names,
        values=np.full(5, SMALL),
        standard_deviations=np.full(5, 1e-7),
        relative_errors=(0.123, 0.004),
        parameters=np.full(len(robot.mechanism().parameter_names), SMALL),
        viscous=SMALL,
    )
    name = "a_recording_of_the_whole_day.npz"
    return found, [some(name=name, profile=SMALL, identified=SMALL, motion=1.0)]


def roll_outs() -> SimpleNamespace:
    numbers = dict.fromkeys(("rms", "rms_at_end", "motion"), np.full(3, SMALL))
    return some(starts=np.zeros(12), horizon=1.0, joint_names=JOINTS, **numbers)


def wrench() -> SimpleNamespace:
    samples = 10
    variance = np.full((samples, 6, 6), np.inf)
    variance[:, range(5), range(5)] = 1e-9
    contact = some(
        start=1234.5,
        stop=1250.25,
        links=JOINTS[:2],
        probabilities=(0.5, 0.4),
        distance=1e7,
        distinguished=False,
    )
    return some(
        frame="left_arm_tool_centre_point",
        time=np.linspace(0, 1300, samples),
        contacts=[contact],
        threshold=30.0,
        wrench=np.full((samples, 6), SMALL),
        wrench_covariance=variance,
        frame_force=np.full((samples, 3), SMALL),
        frame_force_covariance=variance[:, :3, :3],
    )


def tuning() -> SimpleNamespace:
    level = some(low=0.000123, high=0.000456)
    joints = [
        some(
            joint=joint,
            largest=SMALL,
            torque_error_max=SMALL,
            moving=level,
            velocity_factor=SMALL,
            acceleration_factor=SMALL,
            reversal_boost=SMALL,
            resting=level,
        )
        for joint in JOINTS
    ]
    return some(
        hours=1.0,
        false_alarms_per_hour=0.1,
        joints=joints,
        causes=[
            some(
                recording="a recording of the day",
                time=12.3,
                error=SMALL,
                resting=True,
                threshold=SMALL,
                without=SMALL,
            )
            for _ in JOINTS
        ],
        force_at_rest=some(of_joint=[SMALL for _ in JOINTS], easiest=SMALL, hardest=np.inf),
        force_in_motion=some(of_joint=[np.inf for _ in JOINTS], easiest=SMALL, hardest=SMALL),
        held_out_alarms=(0, 1),
        warnings=(SENTENCE,),
        settings=lambda: {"torque_error_max": [SMALL]},
    )


def info() -> SimpleNamespace:
    topic = "/the_left_arm/feedforward_controller/joint_states"
    ranges = [
        some(name=j, position=(SMALL, 1.0), velocity=None, effort=(-1.0, 1), temperature=None)
        for j in JOINTS
    ]
    timing = some(
        samples=100000,
        duration=1000.0,
        sampling_rate=1000.0,
        jitter=1e-6,
        shortest_step=1e-3,
        longest_step=1.0,
        lateness=some(rate=1000.0, median=1e-5, most=4e-3, largest=0.015),
        missing=1234,
        gaps=322,
    )
    return some(
        name="bag",
        kind="rosbag2 mcap",
        size=10,
        topic=topic,
        checksums="",
        topics=[some(name=topic, type="control_msgs/msg/JointTrajectoryState", messages=123456)],
        rows=10,
        columns=3,
        header=(SENTENCE,),
        proposal=propose_columns(["t", *(f"{j}_{s}" for j in JOINTS for s in ("pos", "effort"))]),
        timing=timing,
        joints=ranges,
        damage=(SENTENCE,),
        repairs=(SENTENCE,),
        problem=SENTENCE,
        contradictions=[
            some(kind="lost_samples", severity="warning", sentence=SENTENCE, remedy=SENTENCE)
        ],
    )


def selection() -> FrictionSelection:
    reason = "held-out error 0.0963 instead of 0.136 N·m"
    tried = [
        TriedTerms(name, 12, SMALL, SMALL, {})
        for name in ("as given", "viscous + root + tanh + load + 2 stops")
    ]
    joints = tuple(
        ChosenTerms(joint, "N*m", tuple(tried), tried[1].name, SMALL, SMALL, reason)
        for joint in JOINTS
    )
    return FrictionSelection(make_robot(ROBOT, URDF), joints, "5th of the recording")


def comparison() -> SimpleNamespace:
    one = {"joint": JOINTS[0], "unit": "N*m", "given": SMALL, "chosen": SMALL}
    joint = some(**one, deviation=1.0, standard_deviation=1.0)
    return some(name="a_recording.mcap", joints=[joint], mean_given=0.1, mean_chosen=0.2)


def drive_gains() -> SimpleNamespace:
    numbers = np.full(3, 0.001234)
    return some(
        robot="robot",
        quantity="torque_constant",
        joints=JOINTS,
        success=True,
        profile=numbers,
        fitted=numbers,
        consistent=numbers,
        identifiable=(True, False, True),
        standard_deviations=numbers,
        reasons=(SENTENCE,),
        notes=(SENTENCE,),
    )


def state(console: Console) -> None:
    mechanism = load_robot("yumi").mechanism()
    zero = np.zeros(len(mechanism.joints))
    print_point(console, mechanism, model_at_point(mechanism, zero + 0.3, zero, zero, zero))


def shares(console: Console) -> None:
    mechanism = load_robot("yumi").mechanism()
    numbers = np.full(len(mechanism.joints), 12.34)
    rms = {"measured": numbers, "inertia": numbers, "load-dependent Coulomb": numbers}
    print_shares(console, some(mechanism=mechanism, rms=lambda: dict(rms)))


def drives(console: Console) -> None:
    sheet = ["rated_current_ma=3400", "torque_constant=0.212345", "gear_ratio=100.5"]
    sheet += ["encoder_counts=8388608", "peak_current_ma=9000"]
    settings = [f"drives.{one}" for one in sheet]
    print_drives(console, load_robot("puma560", overrides=[*settings, "limits.torque_max=null"]))


def sine(console: Console) -> None:
    robot = load_robot("puma560")
    settings = SineSettings(
        type="sine", start=SMALL, target=1.0, frequency=0.123456, duration=100.0, ramp=1.0
    )
    print_sine(console, settings, robot.limits, robot.joints)


def prediction(console: Console) -> None:
    joints = ["left_arm_shoulder_lift_joint", "left_arm_elbow_joint"]
    urdf = URDF.replace('"shoulder"', f'"{joints[0]}"').replace('"elbow"', f'"{joints[1]}"')
    robot = make_robot(ROBOT | {"joints": joints}, urdf)
    motion = build_excitation(find_excitation(robot), robot.limits, robot.joints)
    print_prediction(console, predict(nominal_model(robot), motion, noise=[1.0, 900.0]))


def check_result(console: Console) -> None:
    most = some(value=SMALL, allowed=-1.0, time=1234.567)
    use = some(
        of=f"{JOINTS[0]} to {JOINTS[1]}",
        limit="predicted torque",
        unit="N m",
        most=most,
        used=0.123,
        passed=None,
    )
    said = {"grounds": (SENTENCE,), "doubts": (SENTENCE,), "verdict": SENTENCE}
    found = some(uses=[use], **said, violation=None, unchecked=())
    check._print_check(console, found)


def robots(console: Console) -> None:
    rows = [
        some(
            name="palletiser_with_a_long_name",
            joint_letters="2R P R",
            kind="serial",
            base_parameters=123,
            rigid_base_parameters=103,
            excitation="fourier",
            simulation=True,
            tracking="oscillate",
            recording="csv, rosbag2",
        )
    ]
    robots_list._print(console, rows, {})


def retrieved(console: Console) -> None:
    base = some(names=["ZZ1R"], units=["kg*m^2"])
    found = some(given=[SMALL], found=[SMALL], torque_change=[0.1, 0.1, 0.1], feasible=False)
    retrieve._print(console, some(joints=JOINTS), base, found)


def exported(console: Console) -> None:
    axis = some(armature=SMALL, damping=(SMALL, SMALL), dry_friction=SMALL)
    parts = {"mechanism": some(joints=JOINTS), "terms": some(axes=[axis] * 3)}
    found = some(**parts, torque=np.full(3, SMALL), error=np.full(3, SMALL), replaced=[SENTENCE])
    export._print(console, some(exported=found, notes=[SENTENCE]), None)


def gains(console: Console) -> None:
    numbers = dict.fromkeys(("velocity_gain", "integral_time", "position_gain"), SMALL)
    loops = ("velocity_bandwidth", "velocity_margin", "position_bandwidth", "position_margin")
    numbers |= dict.fromkeys(loops, 123.0)
    found = [some(joint=joint, inertia=(abs(SMALL), 1.234), **numbers) for joint in JOINTS]
    model_commands._print_gains(console, found)


def quantities() -> list[SimpleNamespace]:
    one = {"name": "mass of the whole upper arm", "value": SMALL, "standard_deviation": 1e-7}
    return [some(**one, unit="N*m*s/rad", unknown=""), some(**one, unit="kg", unknown=SENTENCE)]


def held_out() -> SimpleNamespace:
    return some(relative_error=(abs(SMALL),) * 3)


def payload_identification() -> SimpleNamespace:
    parts = {"payload": payload(), "without": verdict(), "verdict": verdict()}
    return some(**parts, held_out=held_out(), notes=(SENTENCE,))


def static_payload() -> SimpleNamespace:
    return some(
        payload=payload(),
        joints=JOINTS,
        friction=(SMALL,) * 3,
        success=True,
        from_both_sides=(True, False, True),
        notes=(SENTENCE,),
        outcome=SENTENCE,
    )


def diagnosis() -> SimpleNamespace:
    finding = Finding("small_range", (), "problem", SENTENCE, SENTENCE, {})
    return some(robot="robot", no_model=SENTENCE, findings=[finding], found=True, reasons=())


def operations() -> dict[str, dict[str, int]]:
    counts = dict.fromkeys(("mul", "add", "sub", "neg", "sin", "cos", "exp"), 123456)
    return {"inverse dynamics of the general robot with friction": counts}


def identified(console: Console, request: pytest.FixtureRequest) -> None:
    identification = request.getfixturevalue("identification")
    joints = zip(identification.verdict.joints, JOINTS, strict=True)
    renamed = tuple(replace(one, joint=name) for one, name in joints)
    sign = {"joint": JOINTS[0], "segments": 1234, "uncertain": 12, "certain_share": 0.98}
    signs = some(drives=[some(**sign, decided_by="physical consistency of the whole robot")])
    verdict = replace(identification.verdict, joints=renamed)
    print_identification(console, replace(identification, verdict=verdict, signs=signs))


ORIGIN = "of a_collision_file_of_the_whole_cell.yaml"

CASES = {
    "print_collisions": lambda c: print_collisions(
        c, some(name="robot"), collisions(), ORIGIN, "dynid collisions tune"
    ),
    "print_diagnosis": lambda c: print_diagnosis(c, diagnosis()),
    "print_drive_gains": lambda c: print_drive_gains(c, drive_gains()),
    "print_drives": drives,
    "print_selection": lambda c: print_selection(c, selection()),
    "print_friction": lambda c: print_friction(c, selection(), [comparison()]),
    "print_comparisons": lambda c: print_comparisons(c, [comparison()]),
    "print_point": state,
    "print_shares": shares,
    "print_payload": lambda c: print_payload(c, payload()),
    "print_payload_identification": lambda c: print_payload_identification(
        c, payload_identification()
    ),
    "print_model_comparison": lambda c: print_model_comparison(c, model_comparison()),
    "print_servos": lambda c: print_servos(c, servos()),
    "print_rig": lambda c: print_rig(c, *servo_rig()),
    "print_roll_outs": lambda c: print_roll_outs(c, roll_outs()),
    "print_wrench": lambda c: print_wrench(c, "a_recording_of_the_whole_day.mcap", wrench()),
    "print_static_payload": lambda c: print_static_payload(c, static_payload()),
    "print_prediction": prediction,
    "print_identification": identified,
    "print_quantities": lambda c: print_quantities(c, quantities()),
    "print_verdict": lambda c: print_verdict(c, card(), held_out=held_out()),
    "print_demonstration": lambda c: print_demonstration(c, {"validation": card()}),
    "print_recording_info": lambda c: print_recording_info(c, info()),
    "print_sine": sine,
    "print_terms": lambda c: print_terms(c, selection()),
    "print_trial": lambda c: print_trial(c, trial()),
    "print_tuning": lambda c: print_tuning(c, make_robot(ROBOT, URDF), tuning(), ORIGIN),
    "check.py": check_result,
    "export.py": exported,
    "model.py": gains,
    "model_code.py": lambda c: model_code._print_operations(c, operations()),
    "retrieve.py": retrieved,
    "robots.py": robots,
}


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", CASES)
def test_no_table_breaks(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    case = CASES[name]
    printed = printed_whole(
        lambda c: case(c, request) if case is identified else case(c), width, monkeypatch
    )
    assert printed.count("left_arm_elbow_joint' [m]") == printed.count("its range is small")


def test_every_function_that_prints_is_among_the_cases() -> None:
    names = set()
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.iter_modules(terminal.__path__, f"{terminal.__name__}.")
    ]
    for module in (*modules, friction, report):
        names |= {
            name
            for name, one in inspect.getmembers(module, inspect.isfunction)
            if name.startswith("print_") and one.__module__ == module.__name__
        }
    assert names - NO_TABLE == {name for name in CASES if name.startswith("print_")}


def test_every_command_with_a_table_is_among_the_cases() -> None:
    root = Path(dynid.__file__).parents[1]
    names = {
        f"{path.stem}.py"
        for path in (*root.glob("dynid/cli/*.py"), *root.glob("dynid_plugins/*/cli/*.py"))
        if re.search(r"\btable\(\s*\n?\s*[\"f]", path.read_text("utf-8"))
    }
    assert names == {name for name in CASES if name.endswith(".py")}
