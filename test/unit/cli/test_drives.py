"""``dynid drives``: the table, the warnings, and files that are written whole or not at all."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.esi_files import OBJECTS, device, esi
from typer.testing import CliRunner, Result

from dynid.cli import app
from dynid.control.ros2_hardware import HARDWARE, robot_description
from dynid.errors import DynidError
from dynid.files import share_directories
from dynid.profile import load_robot
from dynid.robot.drive_objects import load_drive

XACRO = Path(__file__).parents[3] / "urdf" / "robot.ros2_control.xacro"
COMMAND = shutil.which("xacro") or ""
SHEET = {
    "rated_current_ma": 3400,
    "peak_current_ma": 9000,
    "torque_constant": 0.2,
    "gear_ratio": 100,
    "encoder_counts": 131072,
}
JOINTS = [f"joint_{number}" for number in range(1, 7)]


def overrides(**more: object) -> list[str]:
    sheet = {f"drives.{name}": value for name, value in (SHEET | more).items()}
    return [f"{name}={value}" for name, value in sheet.items()]


def run(*options: str, **more: object) -> Result:
    settings = [word for one in overrides(**more) for word in ("--set", one)]
    settings += ["--set", "limits.torque_max=null"]
    return CliRunner().invoke(app, ["drives", "-p", "puma560", *settings, *options])


def refusal(result: Result) -> str:
    assert isinstance(result.exception, DynidError)
    return str(result.exception)


def interfaces(element: ET.Element) -> list[tuple[str, str | None, str | None]]:
    (system,) = element.findall("ros2_control")
    joints = system.findall("joint")
    return [(one.tag, joint.get("name"), one.get("name")) for joint in joints for one in joint]


def test_prints_the_worked_example_of_the_docs() -> None:
    printed = run().output
    rows = [line.split() for line in printed.splitlines() if line.startswith("joint_1")]
    assert rows[0][1:5] == ["3400", "9000", "0.2", "100"]
    assert rows[1][1:5] == ["0.068", "14.7059", "180", "68"]


def test_warns_of_a_missing_identity() -> None:
    printed = run(drive="cdhd").output
    assert "warning: drive 'cdhd': vendor_id is missing" in printed
    assert "warning: drive 'cdhd': product_id is missing" in printed


def test_writes_a_slave_file_for_each_joint_and_a_tag_for_each_hardware(tmp_path: Path) -> None:
    assert run("-o", str(tmp_path / "slaves")).exit_code == 0
    written = {path.name for path in (tmp_path / "slaves").iterdir()}
    tags = {f"{hardware}.ros2_control.xml" for hardware in HARDWARE}
    assert written == {f"{joint}.yaml" for joint in JOINTS} | tags


def test_replaces_files_only_when_forced(tmp_path: Path) -> None:
    (tmp_path / "joint_3.yaml").write_text("mine")
    assert "joint_3.yaml: already exists; --force" in refusal(run("-o", str(tmp_path)))
    assert [path.name for path in tmp_path.iterdir()] == ["joint_3.yaml"]
    assert run("-o", str(tmp_path), "--force").exit_code == 0
    assert "0x60b2" in (tmp_path / "joint_3.yaml").read_text()


def test_writes_nothing_if_the_data_sheet_is_incomplete(tmp_path: Path) -> None:
    assert "'drives.rated_current_ma'" in refusal(run("-o", str(tmp_path), rated_current_ma="null"))
    assert not list(tmp_path.iterdir())


def test_refuses_a_rate_that_drives_do_not_support(tmp_path: Path) -> None:
    assert "control rate 300 Hz" in refusal(run("-o", str(tmp_path), "--rate", "300"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("hardware", HARDWARE)
def test_the_files_have_the_same_tag_as_bringup(tmp_path: Path, hardware: str) -> None:
    run("-o", str(tmp_path))
    robot = load_robot("puma560", overrides=[*overrides(), "limits.torque_max=null"])
    brought_up = ET.fromstring(  # noqa: S314  our own
        robot_description(robot, hardware, control_rate=1000.0, slaves=tmp_path)
    )
    written = ET.parse(tmp_path / f"{hardware}.ros2_control.xml").getroot()  # noqa: S314
    for root in (brought_up, written):
        ET.indent(root)
    tags = [root.find("ros2_control") for root in (brought_up, written)]
    texts = [ET.canonicalize(ET.tostring(tag), strip_text=True) for tag in tags if tag is not None]
    assert len(texts) == 2
    assert texts[0] == texts[1]


@pytest.mark.skipif(COMMAND == "", reason="xacro is not installed")
@pytest.mark.parametrize("hardware", HARDWARE)
def test_xacro_gives_the_joints_and_interfaces_of_bringup(tmp_path: Path, hardware: str) -> None:
    run("-o", str(tmp_path))
    done = subprocess.run(
        [COMMAND, str(XACRO), f"hardware:={hardware}", f"slaves:={tmp_path}"],
        capture_output=True,
        check=True,
        text=True,
    )
    written = ET.parse(tmp_path / f"{hardware}.ros2_control.xml").getroot()  # noqa: S314
    assert interfaces(ET.fromstring(done.stdout)) == interfaces(written)  # noqa: S314


def test_the_xacro_includes_the_written_files() -> None:
    (include,) = (one for one in ET.parse(XACRO).getroot() if one.tag.endswith("}include"))  # noqa: S314
    assert include.get("filename") == "$(arg slaves)/$(arg hardware).ros2_control.xml"


def test_warns_of_amperes_in_place_of_milliamperes() -> None:
    result = run(rated_current_ma=3.4)
    assert "3.4 mA is unusually small; multiply by 1000" in result.stderr


def test_a_drive_profile_beside_the_robots_is_found(tmp_path: Path) -> None:
    urdf_xml = load_robot("puma560").urdf_xml
    shipped = share_directories()[0] / "config"
    text = (shipped / "robots" / "puma560.yaml").read_text()
    (tmp_path / "puma560.urdf").write_text(urdf_xml)
    (tmp_path / "robot.yaml").write_text(
        text.replace("drives:\n", "drives:\n  drive: my_drive.yaml\n", 1)
    )
    drive = (shipped / "drives" / "cia402.yaml").read_text()
    (tmp_path / "my_drive.yaml").write_text(drive.replace("vendor_id: 0 ", "vendor_id: 1 ", 1))
    robot = load_robot(tmp_path / "robot.yaml")
    assert load_drive(robot.drives.drive).vendor_id == 1


def write_esi(folder: Path, text: str) -> str:
    path = folder / "servo.xml"
    path.write_text(text)
    return str(path)


def test_an_esi_file_gives_the_identity_and_leaves_out_what_the_drive_lacks(tmp_path: Path) -> None:
    objects = {index: bits for index, bits in OBJECTS.items() if index != 0x603F}
    esi_file = write_esi(tmp_path, esi(device(objects=objects)))
    result = run("--esi", esi_file, "-o", str(tmp_path / "slaves"))
    assert "servo.xml: Servo A, vendor 0x00000abc, product 0x00001234" in result.stderr
    assert "has no object 0x603F (error code)" in result.stderr
    assert "vendor_id is missing" not in result.stderr
    written = (tmp_path / "slaves" / "joint_1.yaml").read_text()
    assert "product_id: 0x00001234" in written
    assert "0x603f" not in written


def test_a_drive_of_an_esi_file_that_lacks_an_object_is_refused(tmp_path: Path) -> None:
    objects = {index: bits for index, bits in OBJECTS.items() if index != 0x60B2}
    esi_file = write_esi(tmp_path, esi(device(objects=objects), device("Servo B", product=9)))
    options = ("--esi", esi_file, "-o", str(tmp_path / "slaves"))
    assert "choose one by --device" in refusal(run(*options))
    assert "no object 0x60B2 (torque offset)" in refusal(run(*options, "--device", "Servo A"))
    assert not (tmp_path / "slaves").exists()
    assert run(*options, "--device", "Servo B").exit_code == 0


def test_warns_that_the_driver_ignores_aliases_for_start_up_values(tmp_path: Path) -> None:
    result = run("-o", str(tmp_path), alias="[5,5,5,5,5,5]")
    assert "ethercat_driver ignores it when it writes start-up values" in result.stderr
    assert "drives.alias" not in run(position="[1,2,3,4,5,6]").stderr


def test_refuses_limits_beyond_the_counts_of_an_int32(tmp_path: Path) -> None:
    message = refusal(run("-o", str(tmp_path), encoder_counts=2**26))
    assert "joint 'joint_1': 0x607A holds positions of +-2.011" in message
    assert not list(tmp_path.iterdir())


def test_without_a_constant_a_rated_torque_is_enough_for_torque_feedback(tmp_path: Path) -> None:
    sheet = {"rated_current_ma": "null", "peak_current_ma": "null", "torque_constant": "null"}
    result = run("-o", str(tmp_path), rated_torque=0.68, feedback="torque", **sheet)
    assert result.exit_code == 0
    assert "0x6077" in (tmp_path / "joint_1.yaml").read_text()
