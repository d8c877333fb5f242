"""A scene as one HTML file without external resources (meshcat's viewer and the scene), served."""

from __future__ import annotations

import base64
import warnings
from contextlib import suppress
from http.server import ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.errors import WriteError
from dynid.files import write_text
from dynid.report.local_server import HttpResponse, announce, answering, make_server
from dynid.report.pages import environment
from dynid.report.view.mesh import tube
from dynid.report.view.scene import Scene, SceneBody, grid_step
from dynid.robot.shapes import Colour, Shape

INSTALL = "pip install 'meshcat>=0.3.2,<0.4'"
_ROOT = "robot"
FIELD_OF_VIEW = 36.0  # vertical [deg]


def write_html(scene: Scene, path: Path) -> None:
    """Write a scene as a page without external resources.

    Raises:
        WriteError: meshcat is not installed, or the file cannot be written.
    """
    write_text(path, render_html(scene))


def render_html(scene: Scene) -> str:
    """Return a page with the scene, which the mouse rotates and which plays tracks if any.

    Raises:
        WriteError: meshcat is not installed.
    """
    meshcat = _meshcat()
    viewer = Path(str(meshcat.__file__)).parent / "viewer" / "dist" / "main.min.js"
    packed = [
        base64.b64encode(import_module("umsgpack").packb(command.lower())).decode("ascii")
        for command in _commands(scene)
    ]
    camera, target = _seen(scene)
    return (
        environment("dynid.report.view")
        .get_template("page.html.j2")
        .render(
            scene=scene,
            viewer=viewer.read_text(encoding="utf-8").replace("</script", "<\\/script"),
            commands=packed,
            labels=_labels(scene),
            legend=[(_css(entry.colour), entry.text) for entry in scene.legend],
            camera=camera,
            target=target,
            field_of_view=FIELD_OF_VIEW,
            step=grid_step(scene.reach),
        )
    )


def _meshcat() -> ModuleType:
    if find_spec("meshcat") is None:
        raise WriteError(
            f"the page in a browser needs the package meshcat: {INSTALL}; "
            "a PNG (--output view.png) does not need it."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pyzmq, as used by meshcat
        return import_module("meshcat")


def _commands(scene: Scene) -> list[Any]:
    """Return the commands to meshcat's viewer, in order."""
    commands = import_module("meshcat.commands")
    place = import_module("meshcat.path").Path
    root = place((_ROOT,))
    drawn: list[Any] = [
        commands.SetProperty("top_color", [1.0, 1.0, 1.0], place(("Background",))),
        commands.SetProperty("bottom_color", [0.87, 0.89, 0.92], place(("Background",))),
        commands.SetProperty("visible", False, place(("Axes",))),
        commands.SetProperty("visible", False, place(("Grid",))),
    ]
    for number, body in enumerate(scene.bodies):
        frame = root.append(_node(number, body))
        for index, shape in enumerate(body.shapes):
            where = frame.append(f"{shape.role} {index}")
            drawn.append(commands.SetObject(*_drawn(shape), where))
            drawn.append(commands.SetTransform(_matrix(shape.pose, shape.kind), where))
        for index, mesh in enumerate(body.meshes):
            drawn.append(
                commands.SetObject(
                    _triangles(mesh.vertices, mesh.faces),
                    _material(mesh.colour),
                    frame.append(f"mesh {index}"),
                )
            )
        drawn.append(commands.SetTransform(_matrix(body.pose), frame))
    drawn += [
        commands.SetObject(*_drawn_tube(line), place((line.name.replace("/", " "),)))
        for line in scene.lines
        if len(tube(line)[0])
    ]
    if scene.times is not None:
        # starts when the page's button is pressed, and then repeats
        drawn.append(commands.SetAnimation(_animation(scene), play=False, repetitions=1_000_000))
    return drawn


def _node(number: int, body: SceneBody) -> str:
    return f"{number} {body.name.replace('/', ' ')}"


def _drawn(shape: Shape) -> tuple[Any, Any]:
    geometry = import_module("meshcat.geometry")
    x, y, z = shape.size
    if shape.kind == "box":
        form = geometry.Box([x, y, z])
    elif shape.kind == "cylinder":
        form = geometry.Cylinder(z, x / 2)
    else:
        form = geometry.Sphere(x / 2)
    return form, _material(shape.colour)


def _drawn_tube(line: Any) -> tuple[Any, Any]:
    vertices, corners = tube(line)
    faces = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return _triangles(vertices, faces), _material(line.colour)


def _triangles(vertices: Array, faces: NDArray[np.intp]) -> Any:
    return import_module("meshcat.geometry").TriangularMeshGeometry(
        vertices.astype(np.float32), faces.astype(np.uint32)
    )


def _material(colour: Colour) -> Any:
    red, green, blue = (round(255 * part) for part in colour[:3])
    return import_module("meshcat.geometry").MeshLambertMaterial(
        color=(red << 16) + (green << 8) + blue, opacity=colour[3]
    )


def _matrix(pose: Pose, kind: str = "") -> Any:
    """Return the pose as a matrix (4, 4); meshcat's cylinders are along y."""
    half = float(np.sqrt(0.5))
    upright = Pose(quaternion=(half, 0.0, 0.0, half)) if kind == "cylinder" else Pose()
    return pose.then(upright).matrix()


def _animation(scene: Scene) -> Any:
    animation = import_module("meshcat.animation")
    assert scene.times is not None  # noqa: S101  checked before
    rate = (len(scene.times) - 1) / float(scene.times[-1] - scene.times[0])
    clips = {}
    for number, body in enumerate(scene.bodies):
        if body.track is None:
            continue
        values = np.round(body.track, 5)
        frames = list(range(len(values)))
        tracks = {
            "position": ("vector3", values[:, :3].tolist()),
            "quaternion": ("quaternion", values[:, 3:].tolist()),
        }
        clips[import_module("meshcat.path").Path((_ROOT, _node(number, body)))] = (
            animation.AnimationClip(
                tracks={
                    name: animation.AnimationTrack(name, kind, frames, keys)
                    for name, (kind, keys) in tracks.items()
                },
                fps=rate,
            )
        )
    return animation.Animation(clips=clips)


def _labels(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "node": [_ROOT, _node(number, body)],
            "text": label.text,
            "position": label.position,
            "height": label.height,
            "above": label.above,
        }
        for number, body in enumerate(scene.bodies)
        for label in body.labels
    ]


def _seen(scene: Scene) -> tuple[list[float], list[float]]:
    """Return position and target of the camera that shows everything; base frame [m]."""
    centres = [shape.pose.position for shape in scene.shapes()]
    labels = [label.position for label in scene.labels()]
    meshes = (mesh.vertices for mesh in scene.meshes())
    lines = (line.points for line in scene.lines)
    points = np.concatenate([np.array(centres + labels), *lines, *meshes])
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - target, axis=1).max()) + 0.06 * scene.reach
    direction = np.array([0.62, -0.85, 0.45])
    distance = radius / np.sin(np.radians(FIELD_OF_VIEW / 2))
    camera = target + distance * direction / np.linalg.norm(direction)
    return camera.tolist(), target.tolist()


def _css(colour: Colour) -> str:
    red, green, blue = (round(255 * part) for part in colour[:3])
    return f"rgb({red}, {green}, {blue})"


def serve(scene: Scene, *, port: int = 0, browse: bool) -> None:
    """Serve a scene's page on this machine until Ctrl-C, and print its address.

    Args:
        scene: what to show.
        port: of the server, 0 for any free port.
        browse: whether to open it in the user's browser.

    Raises:
        WriteError: meshcat is not installed, or the port is in use.
    """
    server = page_server(scene, port=port)
    # whoever knows the address may end it
    with suppress(KeyboardInterrupt), answering(server) as address:
        announce(address, browse=browse)
        Event().wait()


def page_server(scene: Scene, *, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page, which does not answer requests yet.

    Raises:
        WriteError: meshcat is not installed, or the port is in use.
    """
    page = HttpResponse(render_html(scene).encode("utf-8"))
    return make_server({"/": page}.get, port=port)
