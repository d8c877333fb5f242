// The functions of a control cycle do not allocate.

#include "dynid/mechanism.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "allocation_checks.hpp"

namespace
{

/// A branched tree: a turning base that carries a slide and a wrist of two coupled joints.
const char * const urdf = R"(
<robot name="branched">
  <link name="base"/>
  <link name="a"><inertial><origin xyz=".1 0 .2"/><mass value="4"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0 .1 .1"/><mass value="2"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz=".1 .1 0"/><mass value="1"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="a"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
    <origin xyz="0 .3 0" rpy=".1 .2 .3"/><axis xyz="1 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="bend" type="revolute"><parent link="a"/><child link="c"/>
    <origin xyz=".3 0 0" rpy=".3 .2 .1"/><axis xyz="0 1 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>)";

dynid::Mechanism make_mechanism()
{
  dynid::MechanismDescription description;
  description.urdf_xml = urdf;
  description.joints = {"bend", "turn", "slide"};
  description.coupling = Eigen::Matrix3d::Identity();
  description.coupling(0, 1) = 0.5;
  for (const auto & kind : dynid::term_kinds()) {
    const double scale = kind.scaled ? 0.1 : 0.0;
    description.terms.push_back({&kind, 0, dynid::TermSide::joint, 0.0, scale});
    if (!kind.loaded) {
      description.terms.push_back({&kind, 1, dynid::TermSide::motor, 0.0, scale});
    }
  }
  const dynid::Mechanism mechanism(description);
  Eigen::VectorXd parameters = mechanism.urdf_parameters();
  parameters.tail(static_cast<Eigen::Index>(description.terms.size())).setConstant(0.3);
  return mechanism.with_parameters(parameters);
}

/// Arguments and results of the functions of a control cycle.
class MechanismInACycle : public testing::Test
{
protected:
  const dynid::Mechanism mechanism = make_mechanism();
  dynid::Workspace workspace = mechanism.workspace();
  const Eigen::Index n = mechanism.joint_count();
  const Eigen::VectorXd q = Eigen::Vector3d(0.3, -0.4, 0.2);
  const Eigen::VectorXd dq = Eigen::Vector3d(-0.5, 0.6, 0.1);
  const Eigen::VectorXd ddq = Eigen::Vector3d(0.7, 0.8, -0.9);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd solved = tau;
  Eigen::VectorXd momentum = tau;
  Eigen::VectorXd gradient = tau;
  dynid::RowMajorMatrix square{n, n};
  dynid::RowMajorMatrix regressor{n, mechanism.parameter_count()};
};

TEST_F(MechanismInACycle, AllocatesNothing)
{
  expect_no_allocation("regressor", [&] { mechanism.regressor(workspace, q, dq, ddq, regressor); });
  expect_no_allocation(
    "torque", [&] { mechanism.torque(workspace, q, dq, ddq, mechanism.parameters(), tau); });
  expect_no_allocation("term_torque", [&] { mechanism.term_torque(workspace, q, dq, ddq, tau); });
  expect_no_allocation("gravity_torque", [&] { mechanism.gravity_torque(workspace, q, tau); });
  expect_no_allocation("mass_matrix", [&] { mechanism.mass_matrix(workspace, q, square); });
  expect_no_allocation(
    "coriolis_matrix", [&] { mechanism.coriolis_matrix(workspace, q, dq, square); });
  expect_no_allocation(
    "inverse_dynamics", [&] { mechanism.inverse_dynamics(workspace, q, dq, ddq, tau); });
  expect_no_allocation("forward_dynamics", [&] {
    std::ignore = mechanism.forward_dynamics(workspace, q, dq, tau, solved);
  });
  expect_no_allocation("momentum", [&] {
    mechanism.momentum(workspace, q, dq, mechanism.parameters(), momentum, gradient);
  });
}

}  // namespace
