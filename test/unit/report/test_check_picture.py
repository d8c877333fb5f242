"""The picture of a check: the robot at the violation, with the pair in colour."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import image
from support.representatives import representatives
from support.walled_arm import BALL, URDF, walled, walled_robot

from dynid.excitation.build import described_excitation
from dynid.excitation.checks import examine_motion
from dynid.excitation.settings import SineSettings
from dynid.report.view.check_picture import check_scene, write_check_picture
from dynid.robot.limits import Limits

JOINTS = ("slide", "shoulder", "elbow", "wrist")
SELF = walled(self_collision=True)
ORANGE, BLUE = (0.835, 0.369, 0.0), (0.0, 0.447, 0.698)
LEVEL = (-0.2, 0.0, 0.0, 0.0)
OVER_BASE = np.array([-0.2, 3.0, 0.0, 0.0])


def swing(target: tuple[float, ...], start: tuple[float, ...] = LEVEL):
    settings = SineSettings(start=start, target=target, frequency=0.2, duration=5.0)
    return described_excitation(settings, Limits(), JOINTS)


def checked(motion, workspace=SELF):
    robot = walled_robot()
    return examine_motion(motion, Limits(), robot.mechanism(), workspace)


def test_the_depth_of_the_contact_is_the_margin() -> None:
    contact = SELF.contact("upper to base", OVER_BASE)
    # the axis of the upper arm passes the base's middle at 0.1 sin(3)
    expected = 0.1 * np.sin(3.0) - 0.08
    assert contact.distance == pytest.approx(expected, abs=1e-4)
    assert np.linalg.norm(contact.first - contact.second) == pytest.approx(-expected, abs=1e-4)


def test_the_pair_and_only_the_pair_is_in_colour() -> None:
    scene = check_scene(SELF, OVER_BASE, SELF.contact("upper to base", OVER_BASE))
    colours = {body.name: {s.colour[:3] for s in body.shapes} for body in scene.bodies}
    assert ORANGE in colours["shoulder"]
    assert BLUE in colours["base"]
    assert not {ORANGE, BLUE} & (colours["elbow"] | colours["wrist"])
    assert [entry.text for entry in scene.legend] == ["upper", "base"]
    (label,) = scene.labels()
    assert label.text.endswith("mm penetration")


def test_bodies_are_drawn_where_the_motion_has_them() -> None:
    scene = check_scene(SELF, OVER_BASE, None)
    slide = next(body for body in scene.bodies if body.name == "slide")
    assert slide.pose.position == pytest.approx((0.0, 0.0, 0.0))


def test_hulls_of_meshes_are_drawn_as_faces(tmp_path) -> None:
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4)]
    text = ["solid cube"]
    for face in [*faces, (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 3, 7), (1, 7, 5)]:
        lines = ("vertex {} {} {}".format(*corners[k]) for k in face)
        text += ["facet normal 0 0 0", "outer loop", *lines, "endloop", "endfacet"]
    (tmp_path / "cube.stl").write_text("\n".join([*text, "endsolid cube\n"]))
    mesh = '<collision><geometry><mesh filename="cube.stl"/></geometry></collision>'
    workspace = walled(URDF.replace(BALL, mesh), self_collision=True, mesh_folder=str(tmp_path))
    (surface,) = check_scene(workspace, np.zeros(4), None).surfaces
    assert surface.triangles.shape == (12, 3, 3)
    # the hand stands at the wrist, at 0.1 + 0.4 + 0.3 along x and 0.2 above the base
    assert surface.triangles.min(axis=(0, 1)) == pytest.approx([0.8, 0.0, 0.2])


@pytest.mark.parametrize(
    ("target", "verdict"),
    representatives(
        [((-0.2, 0.3, 0.0, 0.0), "Limits kept"), ((-0.2, 3.0, 0.0, 0.0), "Not safe")], 1
    ),
)
def test_a_picture_is_written_of_a_violation_and_of_the_nearest_approach(
    tmp_path, target, verdict
) -> None:
    motion = swing(target)
    check = checked(motion)
    assert check.verdict.startswith(verdict)
    path = tmp_path / "check.png"
    write_check_picture(check, motion, SELF, "walled", path)
    pixels = image.imread(path)
    assert pixels.shape[:2] == (900, 1600)
    assert pixels[..., :3].std() > 0


def test_a_start_in_collision_is_reported_with_pair_and_depth() -> None:
    check = checked(swing(LEVEL, start=tuple(OVER_BASE.tolist())))
    pose = ", ".join(f"{angle:.3g}" for angle in OVER_BASE)
    assert check.violation == (
        "upper to base: at the start of the motion they overlap by 0.0659 m with the joints at "
        f"({pose}), but must be more than 0 m apart; `dynid excite ROBOT -o excitation.yaml` finds "
        "another motion."
    )


def test_a_motion_with_another_violation_is_drawn_too(tmp_path) -> None:
    motion = swing((-0.2, 0.3, 0.0, 0.0))
    robot = walled_robot()
    check = examine_motion(motion, Limits(velocity=(0.01,)), robot.mechanism(), SELF)
    write_check_picture(check, motion, SELF, "walled", tmp_path / "check.png")
    assert (tmp_path / "check.png").is_file()
