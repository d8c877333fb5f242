#pragma once

// A two-link arm in a vertical plane, whose torques are known in closed form.

#include <Eigen/LU>
#include <cmath>

#include "dynid/mechanism.hpp"

namespace
{

const char * const planar_urdf = R"(
<robot name="planar"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx=".02" iyy=".03" izz=".04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.15 0 0"/><mass value="1.5"/>
    <inertia ixx=".01" iyy=".012" izz=".013" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 -1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 -1 0"/></joint>
</robot>)";

inline dynid::JointTerm joint_term(const char * kind, int joint)
{
  return {&dynid::term_kind(kind), joint, dynid::TermSide::joint};
}

inline dynid::JointTerm motor_term(const char * kind, int motor)
{
  return {&dynid::term_kind(kind), motor, dynid::TermSide::motor};
}

inline dynid::MechanismDescription planar_arm(std::vector<dynid::JointTerm> terms = {})
{
  dynid::MechanismDescription description;
  description.urdf_xml = planar_urdf;
  description.joints = {"shoulder", "elbow"};
  description.terms = std::move(terms);
  return description;
}

/// q_joint = T q_motor of an arm whose shoulder motor also turns the elbow.
inline Eigen::Matrix2d planar_coupling()
{
  return (Eigen::Matrix2d() << 1.0, 0.0, -0.5, 2.0).finished();
}

inline Eigen::Matrix2d planar_mass(const Eigen::Vector2d & q)
{
  const double fore = 0.012 + 1.5 * 0.15 * 0.15;
  const double mixed = 1.5 * 0.5 * 0.15 * std::cos(q[1]);
  const double upper = 0.03 + 3 * 0.2 * 0.2 + 1.5 * 0.5 * 0.5;
  return (Eigen::Matrix2d() << upper + fore + 2 * mixed, fore + mixed, fore + mixed, fore)
    .finished();
}

inline Eigen::Matrix2d planar_coriolis(const Eigen::Vector2d & q, const Eigen::Vector2d & dq)
{
  const double h = 1.5 * 0.5 * 0.15 * std::sin(q[1]);
  return (Eigen::Matrix2d() << -h * dq[1], -h * (dq[0] + dq[1]), h * dq[0], 0.0).finished();
}

inline Eigen::Vector2d planar_gravity(const Eigen::Vector2d & q)
{
  const double fore = 1.5 * 0.15 * 9.81 * std::cos(q[0] + q[1]);
  return {(3 * 0.2 + 1.5 * 0.5) * 9.81 * std::cos(q[0]) + fore, fore};
}

inline Eigen::Vector2d planar_torque(
  const Eigen::Vector2d & q, const Eigen::Vector2d & dq, const Eigen::Vector2d & ddq)
{
  return planar_mass(q) * ddq + planar_coriolis(q, dq) * dq + planar_gravity(q);
}

}  // namespace
