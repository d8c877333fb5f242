#pragma once

// Small simulated robots for the tests of drives.

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "dynid/drive_plant.hpp"

namespace
{

using dynid::DrivePlant;
using dynid::DrivePlantSettings;
using dynid::FaultReason;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inertia = 0.51;         // of the pendulum about its axis [kg m^2]
constexpr double weight = 2 * 9.81 / 2;  // its torque while it is level [N m]

const char * const pendulum_urdf = R"(
<robot name="pendulum"><link name="base"/>
  <link name="bob"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axis" type="revolute"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="9" effort="99"/></joint>
</robot>)";

const char * const arm_urdf = R"(
<robot name="arm"><link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx=".03" iyy=".03" izz=".03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.1 0"/><mass value="1"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="one" type="continuous"><parent link="base"/><child link="a"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="two" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/></joint>
</robot>)";

inline DrivePlantSettings plain(Eigen::Index n)
{
  DrivePlantSettings settings;
  settings.bandwidth_hz = VectorXd::Constant(n, 10.0);
  settings.damping_ratio = VectorXd::Constant(n, 1.0);
  settings.integral_time = VectorXd::Constant(n, 0.05);
  settings.torque_max = VectorXd::Constant(n, infinity);
  settings.stop_deceleration = VectorXd::Constant(n, 10.0);
  settings.following_error = VectorXd::Constant(n, 0.5);
  settings.position_resolution = VectorXd::Zero(n);
  settings.rated_torque = VectorXd::Zero(n);
  settings.torque_noise = VectorXd::Zero(n);
  settings.stribeck_torque = VectorXd::Zero(n);
  settings.stribeck_velocity = VectorXd::Ones(n);
  settings.lower = VectorXd::Constant(n, -1.0);
  settings.upper = VectorXd::Constant(n, 1.0);
  return settings;
}

/// A pendulum with Coulomb friction [N m] that hangs at position pi / 2.
inline DrivePlant pendulum(
  const DrivePlantSettings & settings, double coulomb = 0.0, double g = 9.81)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  description.gravity = {0.0, 0.0, -g};
  description.terms = {{&dynid::term_kind("coulomb"), 0, dynid::TermSide::joint}};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters[10] = coulomb;
  return {description, parameters, settings};
}

/// Two coupled joints, with friction at the motors.
inline DrivePlant arm(const DrivePlantSettings & settings)
{
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  description.joints = {"one", "two"};
  description.coupling = (Eigen::Matrix2d() << 1.0, 0.0, -0.5, 1.0).finished();
  const auto & coulomb = dynid::term_kind("coulomb");
  description.terms = {
    {&coulomb, 0, dynid::TermSide::motor}, {&coulomb, 1, dynid::TermSide::motor}};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 0.3;
  return {description, parameters, settings};
}

inline VectorXd one(double value) { return VectorXd::Constant(1, value); }
const VectorXd zero = one(0.0);

inline double swing(int cycle) { return 0.4 * (1.0 - std::cos(2e-3 * 3.14159 * cycle)); }  // 1 Hz

}  // namespace
