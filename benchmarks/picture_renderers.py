"""Faces of a robot as pixels: dynid's painter against VTK's, off screen and in software.

Both paint the same faces in the same colours in parallel projection, finer than the picture and
averaged. VTK is no dependency of dynid: install it elsewhere and name its folder in PYTHONPATH.

Run: PYTHONPATH=<site-packages with vtk> python benchmarks/picture_renderers.py [robot ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.report.view import png
from dynid.report.view.png import paint
from dynid.report.view.robot_pictures import bare_scene

drawing: Any = png  # whose painter is replaced
_WIDTH, _HEIGHT = 1400, 1100
_ROBOTS = ("scara", "puma560", "yumi")
Painter = Callable[[Sequence[Array], Array, Array, Array, int, int], Array]


def vtk_painter() -> Painter:
    """Return the same as ``paint`` by VTK."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    def painted(
        faces: Sequence[Array], colours: Array, low: Array, high: Array, width: int, height: int
    ) -> Array:
        points, cells, shades = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkUnsignedCharArray()
        shades.SetNumberOfComponents(4)
        for face, colour in zip(faces, colours, strict=True):
            cells.InsertNextCell(len(face))
            for corner in face:
                cells.InsertCellPoint(points.InsertNextPoint(*corner))
            shades.InsertNextTuple4(*(255 * colour))
        surface = vtk.vtkPolyData()
        surface.SetPoints(points)
        surface.SetPolys(cells)
        surface.GetCellData().SetScalars(shades)
        mapper, actor, renderer = vtk.vtkPolyDataMapper(), vtk.vtkActor(), vtk.vtkRenderer()
        mapper.SetInputData(surface)
        actor.SetMapper(mapper)
        actor.GetProperty().LightingOff()
        renderer.AddActor(actor)
        camera = renderer.GetActiveCamera()
        camera.ParallelProjectionOn()
        middle = (low + high) / 2
        camera.SetFocalPoint(*middle, 0)
        camera.SetPosition(*middle, 10)
        camera.SetParallelScale((high - low)[1] / 2)
        window = vtk.vtkRenderWindow()
        window.SetOffScreenRendering(1)
        window.SetAlphaBitPlanes(1)
        window.SetSize(2 * width, 2 * height)
        window.AddRenderer(renderer)
        renderer.ResetCameraClippingRange()
        window.Render()
        pixels: Any = vtk.vtkUnsignedCharArray()
        window.GetRGBACharPixelData(0, 0, 2 * width - 1, 2 * height - 1, 0, pixels)
        image = vtk_to_numpy(pixels).reshape(2 * height, 2 * width, 4)[::-1] / 255
        return np.asarray(image.reshape(height, 2, width, 2, 4).mean(axis=(1, 3)))

    return painted


def faces_of(name: str) -> tuple[list[Array], Array, Array, Array]:
    """Return faces as the viewer has them, their colours, and the corners of the picture."""
    found: list[tuple[list[Array], Array, Array, Array]] = []

    def keep(faces: list[Array], colours: Array, low: Array, high: Array, *_: int) -> Array:
        found.append((faces, colours, low, high))
        return np.zeros((2, 2, 4))

    drawing.paint = keep
    axes: Any = Figure().add_axes((0, 0, 1, 1))
    png.draw_scene(bare_scene(load_robot(name)), axes, _WIDTH, _HEIGHT)
    return found[0]


def main() -> None:
    """Print a row for each robot and painter."""
    painters: dict[str, Painter] = {"dynid": paint}
    begun = time.process_time()
    try:
        painters["VTK"] = vtk_painter()
        print(f"importing VTK takes {time.process_time() - begun:.2f} s of CPU")
    except ImportError:
        print("VTK is not installed; PYTHONPATH=<its folder> finds it.")
    print("robot     faces  painter   CPU [s]  covered [% of the picture]")
    for name in sys.argv[1:] or _ROBOTS:
        scene = faces_of(name)
        for painter, painted in painters.items():
            begun = time.process_time()
            image = painted(*scene, _WIDTH, _HEIGHT)
            seconds = time.process_time() - begun
            covered = 100 * float(np.mean(image[..., :3].any(axis=2)))
            print(f"{name:<8}  {len(scene[0]):>5}  {painter:<7}  {seconds:>8.2f}  {covered:>7.2f}")


if __name__ == "__main__":
    main()
