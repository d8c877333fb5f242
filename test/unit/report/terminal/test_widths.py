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
import dynid.report
from dynid.cli import check
from dynid.cli import robots as robots_list
from dynid.dynamics.torque_parts import model_at_point
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
from dynid.report.card import Card
from dynid.report.diagnosis import print_diagnosis
from dynid.report.friction import print_comparisons, print_friction, print_selection
from dynid.report.terminal.collisions import print_collisions, print_tuning
from dynid.report.terminal.comparison import print_model_comparison
from dynid.report.terminal.drives import print_drive_gains, print_drives
from dynid.report.terminal.model import print_gains, print_point, print_shares
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
from dynid.report.tracking import print_trial
from dynid.report.wrench import print_wrench
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
    "print_finding",
    "print_outcome",
}


LONG_NAME = "a_recording_of_the_whole_day_with_a_name_of_many_words.mcap"
USUAL: dict[str, object] = {
    "joint": JOINTS[0],
    "joints": JOINTS,
    "joint_names": JOINTS,
    "prismatic": [False, True, False],
    "robot": "robot",
    "name": LONG_NAME,
    "recording": LONG_NAME,
    "unit": "kg*m^2",
    "time": 1234.567,
    "success": True,
    "resting": True,
    "unknown": "",
    **dict.fromkeys(("verdict", "outcome", "no_model", "problem", "remedy", "sentence"), SENTENCE),
    **dict.fromkeys(("reasons", "warnings", "notes", "grounds", "doubts"), (SENTENCE,)),
    **dict.fromkeys(("header", "damage", "repairs", "replaced"), (SENTENCE,)),
}
"""Long but ordinary content by the name of a field; other fields are small numbers."""


class Some(SimpleNamespace):
    """A result of which only the fields that matter are given."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return USUAL.get(name, SMALL)


def of_every_joint(**fields: object) -> list[Some]:
    return [Some(joint=joint, **fields) for joint in JOINTS]


def verdict(success: bool = True) -> Some:
    joints = of_every_joint(
        unit="permille",
        errors_in_motion=(123.0, 123.0),
        state="good",
        uses=(),
        rest_share=0.5,
        static_friction=1.0,
        held_out_error=0.3,
        urdf_error=abs(SMALL),
        relative_error=abs(SMALL),
    )
    return Some(joints=joints, compared=joints, success=success, mean_urdf_error=1.5)


def card() -> Card:
    return Card(verdict(success=False), SENTENCE, f"dynid identify {SENTENCE}")


def payload() -> Some:
    rows = [("centre of mass x", SMALL, "kg*m^2", 1e-6), ("mass", 1.0, "kg", None)]
    return Some(joint=JOINTS[2], rows=rows)


def collisions() -> list[Some]:
    alarm = Some(until=1250.25, cause="torque_threshold", threshold=1.5)
    margin = Some(share=0.7)
    return [Some(hours=8, alarms=alarms, margins=[margin]) for alarms in ([alarm], [])]


def trial() -> Some:
    run = Some(peak=np.full(3, 1e-7), rms=np.full(3, 1e-7), metric=0.1)
    metric = {"metric": "settling_time", "watched": "tool", "ratio": 1.0}
    return Some(**metric, without=run, with_model=run)


def model_comparison() -> Some:
    row = Some(name="XX12R", second=-SMALL, score=-12345.6)
    models = {
        name: Some(robot=Some(name="robot", gravity=name), mechanism=Some())
        for name in ("first", "second")
    }
    recording = Some(torque=of_every_joint(), first_error=[123.0] * 3, second_error=[0.1] * 3)
    return Some(
        **models,
        parameters=[row] * 20,
        only_one=["Off1"] * 20,
        freedom=40,
        workspace=of_every_joint(),
        recordings=[recording],
    )


def servos() -> Some:
    names = [f"position_gain of {joint}" for joint in JOINTS]
    known = dict.fromkeys(names, SMALL)
    combinations = [Some(name=names[0], others={}), Some(name=names[1], others=known)]
    return Some(
        names=names,
        values=[SMALL] * 3,
        standard_deviations=[1e-7] * 3,
        relative_error=np.full(3, 0.123),
        known=known,
        law=Some(position_gain=np.full(3, SMALL), bias=np.full(3, SMALL)),
        unknowns=["position_gain", "bias"],
        combinations=combinations,
    )


def servo_rig() -> tuple[Some, list[Some]]:
    robot = load_robot("servo_rig")
    found = Some(
        robot=robot,
        names=("torque_per_volt", "damping", "Fc1", "Ia1", "bias"),
        values=np.full(5, SMALL),
        standard_deviations=np.full(5, 1e-7),
        relative_errors=(0.123, 0.004),
        parameters=np.full(len(robot.mechanism().parameter_names), SMALL),
    )
    return found, [Some(motion=1.0)]


def roll_outs() -> Some:
    numbers = dict.fromkeys(("rms", "rms_at_end", "motion"), np.full(3, SMALL))
    return Some(starts=np.zeros(12), horizon=1.0, **numbers)


def wrench() -> Some:
    samples = 10
    variance = np.full((samples, 6, 6), np.inf)
    variance[:, range(5), range(5)] = 1e-9
    times = {"start": 1234.5, "stop": 1250.25, "distance": 1e7}
    contact = Some(**times, links=JOINTS[:2], probabilities=(0.5, 0.4), distinguished=False)
    return Some(
        frame="left_arm_tool_centre_point",
        time=np.linspace(0, 1300, samples),
        contacts=[contact],
        threshold=30.0,
        wrench=np.full((samples, 6), SMALL),
        wrench_covariance=variance,
        frame_force=np.full((samples, 3), SMALL),
        frame_force_covariance=variance[:, :3, :3],
    )


def tuning() -> Some:
    level = Some(low=0.000123, high=0.000456)
    return Some(
        hours=1.0,
        joints=of_every_joint(moving=level, resting=level),
        causes=[Some(recording="a recording of the day") for _ in JOINTS],
        force_at_rest=Some(of_joint=[SMALL for _ in JOINTS], hardest=np.inf),
        force_in_motion=Some(of_joint=[np.inf for _ in JOINTS]),
        held_out_alarms=(0, 1),
        settings=lambda: {"torque_error_max": [SMALL]},
    )


def info() -> Some:
    topic = "/the_left_arm/feedforward_controller/joint_states"
    ranges = {"position": (SMALL, 1.0), "velocity": None, "effort": (-1.0, 1), "temperature": None}
    return Some(
        kind="rosbag2 mcap",
        topic=topic,
        checksums="",
        topics=[Some(name=topic, type="control_msgs/msg/JointTrajectoryState", messages=123456)],
        proposal=propose_columns(["t", *(f"{j}_{s}" for j in JOINTS for s in ("pos", "effort"))]),
        timing=Some(samples=100000, duration=1000.0, missing=1234, gaps=322, lateness=Some()),
        joints=[Some(name=joint, **ranges) for joint in JOINTS],
        contradictions=[Some(kind="lost_samples", severity="warning")],
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


def comparison() -> Some:
    return Some(joints=[Some(unit="N*m")], mean_given=0.1, mean_chosen=0.2)


def drive_gains() -> Some:
    numbers = ("profile", "fitted", "consistent", "standard_deviations")
    found = dict.fromkeys(numbers, np.full(3, 0.001234))
    return Some(quantity="torque_constant", identifiable=(True, False, True), **found)


def state(console: Console) -> None:
    mechanism = load_robot("yumi").mechanism()
    zero = np.zeros(len(mechanism.joints))
    print_point(console, mechanism, model_at_point(mechanism, zero + 0.3, zero, zero, zero))


def shares(console: Console) -> None:
    mechanism = load_robot("yumi").mechanism()
    numbers = np.full(len(mechanism.joints), 12.34)
    rms = {"measured": numbers, "inertia": numbers, "load-dependent Coulomb": numbers}
    print_shares(console, Some(mechanism=mechanism, rms=lambda: dict(rms)))


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
    name = f"{JOINTS[0]} to {JOINTS[1]}"
    use = Some(of=name, limit="predicted torque", unit="N m", most=Some(), passed=None)
    check._print_check(console, Some(uses=[use], violation=None, unchecked=()))


def robots(console: Console) -> None:
    texts = {"joint_letters": "2R P R", "kind": "serial", "excitation": "fourier"}
    texts |= {"tracking": "oscillate", "recording": "csv, rosbag2"}
    row = Some(name="palletiser_with_a_long_name", base_parameters=123, **texts)
    robots_list._print(console, [row], {})


def retrieved(console: Console) -> None:
    base = Some(names=["ZZ1R"], units=["kg*m^2"])
    found = Some(given=[SMALL], found=[SMALL], torque_change=[0.1, 0.1, 0.1], feasible=False)
    retrieve._print(console, Some(), base, found)


def exported(console: Console) -> None:
    axis = Some(damping=(SMALL, SMALL))
    numbers = {"torque": np.full(3, SMALL), "error": np.full(3, SMALL)}
    found = Some(mechanism=Some(), terms=Some(axes=[axis] * 3), **numbers)
    export._print(console, Some(exported=found), None)


def gains(console: Console) -> None:
    loops = ("velocity_bandwidth", "velocity_margin", "position_bandwidth", "position_margin")
    found = of_every_joint(inertia=(abs(SMALL), 1.234), **dict.fromkeys(loops, 123.0))
    print_gains(console, found)


def quantities() -> list[Some]:
    name = "mass of the whole upper arm"
    return [Some(name=name, unit="N*m*s/rad"), Some(name=name, unit="kg", unknown=SENTENCE)]


def held_out() -> Some:
    return Some(relative_error=(abs(SMALL),) * 3)


def payload_identification() -> Some:
    parts = {"payload": payload(), "without": verdict(), "verdict": verdict()}
    return Some(**parts, held_out=held_out())


def static_payload() -> Some:
    found = {"friction": (SMALL,) * 3, "from_both_sides": (True, False, True)}
    return Some(payload=payload(), **found)


def diagnosis() -> Some:
    finding = Finding("small_range", (), "problem", SENTENCE, SENTENCE, {})
    return Some(findings=[finding], found=True, reasons=())


def operations() -> dict[str, dict[str, int]]:
    counts = dict.fromkeys(("mul", "add", "sub", "neg", "sin", "cos", "exp"), 123456)
    return {"inverse dynamics of the general robot with friction": counts}


def identified(console: Console, request: pytest.FixtureRequest) -> None:
    identification = request.getfixturevalue("identification")
    joints = zip(identification.verdict.joints, JOINTS, strict=True)
    renamed = tuple(replace(one, joint=name) for one, name in joints)
    drive = Some(segments=1234, uncertain=12, decided_by="physical consistency of the whole robot")
    verdict = replace(identification.verdict, joints=renamed)
    signs = Some(drives=[drive])
    print_identification(console, replace(identification, verdict=verdict, signs=signs))


ORIGIN = "of a_collision_file_of_the_whole_cell.yaml"

CASES = {
    "print_collisions": lambda c: print_collisions(
        c, Some(name="robot"), collisions(), ORIGIN, "dynid collisions tune"
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
    "print_gains": gains,
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
        for module in pkgutil.walk_packages(dynid.report.__path__, "dynid.report.")
    ]
    for module in (*modules, report):
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
