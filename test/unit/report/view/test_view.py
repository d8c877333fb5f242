"""Pictures and pages of scenes, and the command that makes them."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image
from support.command_line import dynid, output_of
from support.deadlines import LONGEST
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.dynamics.pose import Pose
from dynid.errors import DynidError, WriteError
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.report.local_server import HOST, answering
from dynid.report.view.html import page_server, render_html
from dynid.report.view.joint_motion import JointMotion, resting_position
from dynid.report.view.mesh import shape_faces, tube
from dynid.report.view.picture import RobotPicture, check_same_joints
from dynid.report.view.png import paint, write_png
from dynid.report.view.scene import Polyline, Scene
from dynid.robot.shapes import Shape

NO_MESHCAT = "the page in a browser needs the package meshcat"


@pytest.fixture
def moving() -> Scene:
    # no file could be named after this robot, but a page must not rely on that
    picture = RobotPicture(arm_robot().model_copy(update={"name": "</script><b>arm"}))
    turning = np.linspace(0, 1, 50)[:, None] * [1.0, -1.0, 2.0]
    motion = JointMotion("excitation", np.linspace(0, 2, 50), turning)
    return picture.scene(turning[0], paths=picture.tool_paths(motion), motion=motion)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    robot = arm_robot()
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(robot.yaml_content(exclude_unset=True)))
    mechanism = robot.mechanism()
    write_bag(recorded(mechanism, true_parameters(mechanism), samples=400), tmp_path / "bag")
    return tmp_path


def test_a_png_has_the_requested_size_and_is_not_empty(moving: Scene, tmp_path: Path) -> None:
    write_png(moving, tmp_path / "arm.png", width=420, height=280)
    with Image.open(tmp_path / "arm.png") as picture:
        assert picture.size == (420, 280)
        assert len(np.unique(np.asarray(picture.convert("L")))) > 50


def test_the_nearer_face_hides_the_other_whatever_their_order() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    nearer = square + np.array([0, 0, 1.0])
    red, blue = np.array([[1.0, 0, 0, 1], [0, 0, 1, 1]])
    corners = np.array([-1.0, -1.0]), np.array([2.0, 2.0])
    for faces, colours in (([square, nearer], [red, blue]), ([nearer, square], [blue, red])):
        image = paint(faces, np.array(colours), *corners, 30, 30)
        np.testing.assert_allclose(image[15, 15], blue)
        np.testing.assert_allclose(image[2, 2], 0)  # nothing there


def test_faces_that_pierce_each_other_are_cut() -> None:
    low = np.array([[0, 0, 0], [1, 0, 2], [1, 1, 2], [0, 1, 0]], dtype=float)  # rises to the right
    flat = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
    colours = np.array([[1.0, 0, 0, 1], [0, 0, 1, 1]])
    image = paint([low, flat], colours, np.zeros(2), np.ones(2), 20, 20)
    assert image[10, 3, 2] == 1
    assert image[10, 16, 0] == 1


@pytest.mark.parametrize("kind", ["box", "cylinder", "sphere"])
def test_faces_enclose_the_shape_s_volume(kind) -> None:
    faces = shape_faces(Shape(kind, (0.4, 0.4, 0.4), Pose((1.0, 2.0, 3.0)), (1, 1, 1, 1)))
    volume = sum(
        np.dot(face[0], np.cross(face[i], face[i + 1])) / 6
        for face in faces
        for i in range(1, len(face) - 1)
    )
    exact = {"box": 1.0, "cylinder": np.pi / 4, "sphere": np.pi / 6}[kind] * 0.4**3
    assert exact * 0.95 < volume < exact * (1 + 1e-9)  # polygons lie within what is round


def test_a_tube_is_everywhere_as_far_from_its_line() -> None:
    time = np.linspace(0, 6, 100)
    line = Polyline("", np.stack([np.cos(time), np.sin(time), time], axis=1), 0.1, (0, 0, 0, 1))
    vertices, _ = tube(line)
    distance = np.linalg.norm(vertices.reshape(100, -1, 3) - line.points[:, None], axis=2)
    np.testing.assert_allclose(distance, 0.05)


def test_a_line_of_one_point_has_no_tube() -> None:
    assert len(tube(Polyline("", np.zeros((5, 3)), 0.1, (0, 0, 0, 1)))[1]) == 0


def test_a_page_fetches_nothing(moving: Scene) -> None:
    _needs_meshcat()
    page = render_html(moving)
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)\s*=", page)
    addresses = set(re.findall(r"https?://[\w./-]+", page))
    assert addresses <= {"http://www.w3.org/1999/xhtml"}  # a name space
    assert page.count("</script>") == 2  # a robot's name ends none
    assert "<b>arm" not in page


def test_the_page_plays_and_goes_to_a_moment(visit, moving: Scene, tmp_path: Path) -> None:
    _needs_meshcat()
    path = tmp_path / "view.html"
    path.write_text(render_html(moving))
    seen = visit(path, width=1200, height=800)
    page, last = seen.page, float(moving.times[-1])
    assert page.get_by_text("Open Controls").is_hidden()
    page.get_by_label("time", exact=True).fill(f"{last:.2f}")
    wanted = f"text='{last:.1f} s'"
    page.wait_for_selector(wanted)
    page.get_by_label("speed").select_option("2")
    assert page.evaluate("viewer.animator.mixer.timeScale") == 2
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    assert seen.external == []
    assert [one for one in seen.errors if "WebGL" not in one] == []


def test_labels_of_a_page_do_not_overlap(visit, tmp_path: Path) -> None:
    _needs_meshcat()
    robot = load_robot("yumi")
    path = tmp_path / "view.html"
    path.write_text(render_html(RobotPicture(robot).scene(resting_position(robot))))
    page = visit(path, width=1200, height=800).page
    page.wait_for_selector(".label[style]")
    boxes = page.locator(".label").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect())"
        ".map((box) => [box.left, box.top, box.right, box.bottom])"
    )
    assert len(boxes) == len(robot.joints)
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            beside = left >= other[2] or other[0] >= right
            assert beside or top >= other[3] - 1 or other[1] >= bottom - 1  # below or above


@pytest.mark.thorough
def test_a_robot_with_two_arms_has_two_paths() -> None:
    robot = load_robot("yumi")
    picture = RobotPicture(robot)
    motion = JointMotion("motion", np.arange(2.0), np.zeros((2, len(robot.joints))))
    names = [line.name.split(",")[0] for line in picture.tool_paths(motion)]
    assert names == ["path of left_tool", "path of right_tool"]
    one = RobotPicture(robot, tool="right_tool").tool_paths(motion)
    assert [line.name.split(",")[0] for line in one] == ["path of right_tool"]


@pytest.mark.parametrize("name", ["puma560", "panda", "delta_3", "scara", "palletiser"])
def test_a_robot_with_one_arm_has_one_path(name) -> None:
    assert RobotPicture(load_robot(name)).kinematics.other_tools == ()


def asked(scene: Scene, path: str, host: str) -> tuple[int, bytes]:
    """Return status and content of what a server of the scene answers."""
    with answering(page_server(scene)) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        connection = HTTPConnection(HOST, port, timeout=LONGEST)
        connection.request("GET", path, headers={"Host": host.format(port=port)})
        answer = connection.getresponse()
        found = (answer.status, answer.read())
        connection.close()
    return found


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost", 200),
        ("127.0.0.1:{port}", 200),
        ("evil.example", 403),
        ("evil.example:{port}", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost:evil", 403),
        ("", 403),
    ],
)
def test_the_page_is_sent_only_for_requests_to_this_machine_by_name(
    moving: Scene, host: str, status: int
) -> None:
    _needs_meshcat()
    found, content = asked(moving, "/", host)
    assert found == status
    assert (b"three" in content.lower()) == (len(content) > 100_000) == (status == 200)


def test_the_server_gives_nothing_but_the_page(moving: Scene) -> None:
    _needs_meshcat()
    assert asked(moving, "/etc/passwd", "localhost") == (404, b"")


def test_the_error_names_the_port_in_use(moving: Scene) -> None:
    _needs_meshcat()
    with page_server(moving) as server, pytest.raises(WriteError, match="cannot be opened"):
        page_server(moving, port=server.server_port)


def test_without_meshcat_the_error_names_what_to_install(
    moving: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynid.report.view.html.find_spec", lambda name: None)
    with pytest.raises(WriteError, match="pip install 'meshcat"):
        render_html(moving)


@pytest.mark.thorough
def test_the_command_writes_a_picture_of_a_shipped_robot(tmp_path: Path) -> None:
    output = tmp_path / "puma.png"
    assert f"wrote {output}" in output_of("view", "puma560", "-o", output)
    assert output.stat().st_size > 10_000


def test_the_command_shows_a_recording_and_writes_pages(arm: Path) -> None:
    _needs_meshcat()
    output_of(
        "view", arm / "arm.yaml", "--recording", arm / "bag", "--at", "0.5", "-o", arm / "arm.html"
    )
    assert "arm at 0.5 s" in (arm / "arm.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "needs a robot"),
        (["pumpa"], "profile 'pumpa': not shipped"),
        (["puma560", "-o", "view.pdf"], r"--output view.pdf: must end in .html or .png\."),
        (["puma560", "--at", "99", "-o", "a.png"], "--at 99: the excitation has samples from"),
        (["tx40", "--at", "1", "-o", "a.png"], "profile tx40 has no excitation"),
        (["puma560", "--tool", "hook", "-o", "a.png"], "link 'hook': the URDF has no such link"),
        (["puma560", "-r", "nowhere", "-o", "a.png"], "nowhere: there is no such file"),
        (["-m", "nowhere.yaml", "-o", "a.png"], "nowhere.yaml: there is no such file"),
        (
            ["scara_2r", "-o", "nowhere/a.png"],
            "nowhere/a.png: its folder does not exist; create it first",
        ),
    ],
)
def test_a_mistake_is_an_error_in_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DynidError, match=sentence) as found:
        output_of("view", *arguments)
    assert str(found.value).endswith(".")
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_ends_with_code_2() -> None:
    ran = dynid("view", "pumpa")
    assert ran.code == 2
    assert ran.err.startswith("dynid: profile 'pumpa'")


def test_refuses_a_model_of_another_robot() -> None:
    puma = load_robot("puma560")
    with pytest.raises(DynidError, match="its joints are shoulder, elbow, wrist, but"):
        check_same_joints(arm_robot(), puma, Path("model.yaml"))


def _needs_meshcat() -> None:
    try:
        render_html(Scene("", "", RobotPicture(arm_robot()).scene([0, 0, 0]).bodies))
    except WriteError as error:
        if NO_MESHCAT in str(error):
            pytest.skip("no meshcat here")
        raise
