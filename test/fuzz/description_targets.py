"""Robots in ROS packages: xacro-made and ``package://`` URDFs, with the good files to mutate."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import xacro  # noqa: F401  before processes are forked
from support.small_robot import URDF

from dynid.cli.new import new_command
from dynid.excitation.workspace.meshes import mesh_hulls
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.profile import load_robot
from dynid.robot import description as descriptions
from dynid.robot import xacro_program

Numbers = Iterator[object]

_PACKAGE = "duo_description"
_PLACES = {
    "robot.xacro": "urdf",
    "arm.xacro": "urdf",
    "limits.yaml": "config",
    "package.xml": ".",
    "packaged.urdf": "urdf",
}
_MANIFEST = f"""<?xml version="1.0"?>
<package format="3"><name>{_PACKAGE}</name><version>1.0.0</version></package>
"""
_LIMITS = (
    "shoulder: {range: 2, velocity: 4.0, effort: 60}\nelbow: {range: 2, velocity: 5, effort: 30}\n"
)
_ROBOT = f"""<?xml version="1.0"?>
<robot name="duo" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="side" default="right"/>
  <xacro:arg name="tool" default="true"/>
  <xacro:property name="length" value="${{0.1 * 3}}"/>
  <xacro:property name="limits"
    value="${{xacro.load_yaml('$(find {_PACKAGE})/config/limits.yaml')}}"/>
  <xacro:include filename="$(find {_PACKAGE})/urdf/arm.xacro"/>
  <link name="base"/>
  <xacro:arm parent="base" prefix="$(arg side)_" reach="${{length}}">
    <origin xyz="0 0 0.3" rpy="${{pi / 2}} 0 0"/>
  </xacro:arm>
  <xacro:if value="$(arg tool)">
    <link name="tool"/>
    <joint name="flange" type="fixed"><parent link="$(arg side)_lower"/><child link="tool"/>
      <origin xyz="${{length}} 0 0"/></joint>
  </xacro:if>
</robot>
"""
_ARM = f"""<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="body" params="name mass:=1.5 x:=0.1">
    <link name="${{name}}">
      <inertial><mass value="${{mass}}"/><origin xyz="${{x}} 0.02 0"/>
        <inertia ixx="${{0.01 * mass}}" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><mesh filename="package://{_PACKAGE}/meshes/part.stl"/></geometry>
      </collision></link>
  </xacro:macro>
  <xacro:macro name="turn" params="name parent child *place">
    <joint name="${{name}}" type="revolute"><parent link="${{parent}}"/><child link="${{child}}"/>
      <xacro:insert_block name="place"/><axis xyz="0 0 1"/>
      <limit lower="${{-limits[name.split('_')[1]]['range']}}" effort="60"
        upper="${{limits[name.split('_')[1]]['range']}}" velocity="4"/></joint>
  </xacro:macro>
  <xacro:macro name="arm" params="parent prefix reach *place">
    <xacro:body name="${{prefix}}upper" mass="3.0" x="0.15"/>
    <xacro:body name="${{prefix}}lower"/>
    <xacro:turn name="${{prefix}}shoulder" parent="${{parent}}" child="${{prefix}}upper">
      <xacro:insert_block name="place"/></xacro:turn>
    <xacro:turn name="${{prefix}}elbow" parent="${{prefix}}upper" child="${{prefix}}lower">
      <origin xyz="${{reach}} 0 0.05"/></xacro:turn>
  </xacro:macro>
</robot>
"""
_SHAPE = f"""</inertial><collision><geometry>
 <mesh filename="package://{_PACKAGE}/meshes/part.stl" scale="1 1 1"/></geometry></collision>
 </link>"""


def put_descriptions(folder: Path, mesh: bytes) -> None:
    """Write good files for the reader of this module."""
    own = folder / "described"
    own.mkdir()
    packaged = URDF.strip().replace("</inertial></link>", _SHAPE)
    contents = (_ROBOT, _ARM, _LIMITS, _MANIFEST, packaged)
    for name, content in zip(_PLACES, contents, strict=True):
        (own / name).write_text(content)
    (folder / "described.stl").write_bytes(mesh)


def new_described(path: Path, folder: Path) -> Numbers:
    """Make a profile of a robot in a package, one of whose files is altered, and load it."""
    work = path.with_name("workspace")
    shutil.rmtree(work, ignore_errors=True)
    package = work / _PACKAGE
    for name, place in _PLACES.items():
        (package / place).mkdir(parents=True, exist_ok=True)
        source = path if name == path.name else folder / "described" / name
        shutil.copy(source, package / place / name)
    (package / "meshes").mkdir()
    shutil.copy(folder / "described.stl", package / "meshes" / "part.stl")
    is_urdf = path.name == "packaged.urdf"
    description = package / "urdf" / ("packaged.urdf" if is_urdf else "robot.xacro")
    profile = work / "made.yaml"
    forking = patch.object(descriptions, "subprocess", _Forking)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), forking:
        new_command(
            description,
            [] if is_urdf else ["side:=left"],
            output=profile,
            joints="*",
            package_path=[work],
            force=True,
        )
    robot = load_robot(profile)
    yield robot.mechanism().urdf_parameters
    meshes = robot.settings(WorkspaceSettings).mesh_folder
    if meshes is not None:
        hulls, _ = mesh_hulls(robot.kinematics(), Path(meshes), "collision")
        for found in hulls.values():
            yield from (one.form.computeVolume() for one in found)


def _forked(_: object, *, input: bytes, **__: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: A002
    """Answer as the program that expands a xacro, in a process that is forked from this one.

    A new interpreter would take most of the time of a case.
    """
    request = json.loads(input)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"],) * 2)
            with os.fdopen(writing, "wb") as file:  # before the program forbids to open for writing
                file.write(json.dumps(xacro_program._answer(request)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        output = file.read()
    os.waitpid(child, 0)
    return subprocess.CompletedProcess([], 0, output)


class _Forking:
    """The module ``subprocess``, as the expansion of a xacro uses it."""

    run = staticmethod(_forked)
    TimeoutExpired = subprocess.TimeoutExpired
