"""Models with known terms, and users' files of the same robot, for simulators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.excitation.motion import Motion
from dynid.profile import load_robot
from dynid.robot.model import Model, nominal_model


def model_with_terms(
    robot: str = "spatial_3r", *, terms: str | None = None, seed: int = 3
) -> Model:
    """A nominal model whose terms have random positive parameters."""
    overrides = () if terms is None else (f"terms={terms}",)
    model = nominal_model(load_robot(robot, overrides=overrides))
    parameters = np.array(model.mechanism.parameters)
    count = len(parameters) - model.mechanism.first_term
    parameters[model.mechanism.first_term :] = np.random.default_rng(seed).uniform(0.1, 1, count)
    return replace(model, mechanism=model.mechanism.with_parameters(parameters))


def random_motion(model: Model, count: int = 60, seed: int = 5) -> Motion:
    random = np.random.default_rng(seed)
    shape = (count, len(model.robot.joints))
    return Motion(*(random.uniform(-1.5, 1.5, shape) for _ in range(3)))


# the arm of spatial_3r on a table, turned by 90 degrees, with a gripper; frames of bodies differ
# from those of the URDF, angles are in degrees, joints have a default class
USERS_MJCF = """\
<?xml version='1.0'?>
<!-- my lab -->
<mujoco model="mine">
  <compiler autolimits="true"/>  <!-- degrees -->
  <default>
    <default class="arm"><joint damping="5" armature="7" frictionloss="3"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="table" pos="1 2 0.7" euler="0 0 90">
      <body name="one" pos="0 0 0.1" childclass="arm">
        <joint name="arm/joint_1"   axis="0 0 1"
               range="-160 160"/>
        <geom type="box" size=".1 .1 .1" mass="3"/> <!-- nice box -->
        <body name="bracket" pos="0.01 0 0"><geom size=".01" mass="0.2"/></body>
        <body name="two" pos="0 0.09 0.2" euler="90 0 0">
          <joint name="arm/joint_2" axis="0 0 1" pos="0 0 0" damping='1'/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <body name="three" pos="0.3 0 0.05" euler="0 0 30">
            <joint name="arm/joint_3" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
            <body name="finger" pos="0.17 -0.1 0">
              <joint name="finger" type="slide" axis="1 0 0"/>
              <inertial pos="0.01 0 0" mass="0.02" diaginertia="1e-5 1e-5 1e-5"/>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position joint="arm/joint_1" kp="10"/></actuator>
</mujoco>
<!-- the end -->
"""

# the same arm in SDF, with poses relative to links and joints, and a sensor on a fixed joint
USERS_SDF = """\
<?xml version="1.0"?>
<sdf version="1.9">
  <world name="lab">
    <model name="table"><link name="top"/></model>
    <model name="mine"> <!-- arm -->
      <frame name="mount"><pose degrees="true">1 2 0.7 0 0 90</pose></frame>
      <link name="base"><pose relative_to="mount"/></link>
      <joint name="to_world" type="fixed"><parent>world</parent><child>base</child></joint>
      <link name="one"><pose relative_to="mount">0 0 0.1 0 0 0</pose></link>
      <joint name="joint_1" type="revolute">
        <parent>base</parent><child>one</child>
        <axis><xyz>0 0 1</xyz><limit><lower>-3</lower><upper>3</upper></limit></axis>
      </joint>
      <link name="two">
        <pose relative_to="joint_2">0 0 0.02 0 0 0</pose>
        <inertial><mass>5</mass></inertial>
      </link>
      <joint name="joint_2" type="revolute">
        <parent>one</parent><child>two</child>
        <pose relative_to="one" degrees="true">0 0.09 0.2 90 0 0</pose>
        <axis>
          <xyz expressed_in="joint_2">0 0 1</xyz>
          <dynamics><damping>9</damping></dynamics>
        </axis>
      </joint>
      <link name="three"><pose relative_to="two">0.3 0 0 0 0 0.5</pose></link>
      <joint name="joint_3" type="revolute">
        <parent>two</parent><child>three</child>
        <axis><xyz>0 0 1</xyz><dynamics/></axis>
      </joint>
      <link name="camera">
        <pose relative_to="three">0.1 0 0 0 0 0</pose>
        <inertial><mass>0.05</mass><inertia><ixx>1e-5</ixx><iyy>1e-5</iyy><izz>1e-5</izz></inertia></inertial>
      </link>
      <joint name="camera_mount" type="fixed"><parent>three</parent><child>camera</child></joint>
    </model>
  </world>
</sdf>
"""
