// The model of a control cycle: payload, motors behind a coupling, momentum.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dynid/control_model.hpp"
#include "planar_arm.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::ControlModel;
using dynid::FeedforwardMode;
using dynid::Payload;
using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::VectorXd;

const Vector2d q{0.4, -1.1};
const Vector2d dq{0.7, -0.9};
const Vector2d ddq{-1.3, 2.1};
constexpr double smoothing = 0.3;

/// With viscous friction of the shoulder and Coulomb friction of the elbow.
ControlModel arm_model(bool motor_side)
{
  auto description = planar_arm({joint_term("viscous", 0), joint_term("coulomb", 1)});
  description.coupling = planar_coupling();
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 2.0, 1.5;
  return {description, parameters, Vector2d::Constant(smoothing), motor_side};
}

Vector2d friction() { return {2.0 * dq[0], 1.5 * std::tanh(dq[1] / smoothing)}; }

TEST(ControlModel, TorqueIsThatOfTheJointsOrOfTheirMotors)
{
  const Matrix2d joint_of_motor = planar_coupling();
  const Matrix2d motor_of_joint = joint_of_motor.inverse();
  VectorXd tau(2);
  auto joints = arm_model(false);
  joints.torque(FeedforwardMode::full, q, dq, ddq, tau);
  EXPECT_LT((tau - planar_torque(q, dq, ddq) - friction()).norm(), 1e-12);
  joints.torque(FeedforwardMode::semi_static, q, dq, ddq, tau);
  EXPECT_LT((tau - planar_gravity(q) - friction()).norm(), 1e-12);
  joints.dry_friction(tau);
  EXPECT_LT((tau - Vector2d(0.0, 1.5)).norm(), 1e-12);

  auto motors = arm_model(true);
  motors.torque(
    FeedforwardMode::full, motor_of_joint * q, motor_of_joint * dq, motor_of_joint * ddq, tau);
  const Vector2d expected = planar_torque(q, dq, ddq) + friction();
  EXPECT_LT((tau - joint_of_motor.transpose() * expected).norm(), 1e-12);
  motors.dry_friction(tau);
  EXPECT_LT((tau - joint_of_motor.cwiseAbs().transpose() * Vector2d(0.0, 1.5)).norm(), 1e-12);
}

TEST(ControlModel, MomentumAndItsBiasAreThoseOfTheMatrices)
{
  const Matrix2d joint_of_motor = planar_coupling();
  const Matrix2d motor_of_joint = joint_of_motor.inverse();
  auto model = arm_model(true);
  VectorXd momentum(2);
  VectorXd bias(2);
  model.momentum(motor_of_joint * q, motor_of_joint * dq, momentum, bias);
  const Vector2d held = planar_gravity(q) + friction() - planar_coriolis(q, dq).transpose() * dq;
  EXPECT_LT((momentum - joint_of_motor.transpose() * planar_mass(q) * dq).norm(), 1e-12);
  EXPECT_LT((bias - joint_of_motor.transpose() * held).norm(), 1e-12);
}

/// The arm of simulated_robots.hpp, with a body fixed to its last link.
std::string loaded_urdf()
{
  std::string urdf = arm_urdf;
  urdf.insert(urdf.find("</robot>"), R"(
  <link name="tool"><inertial><origin xyz="0.3 0.1 -0.2"/><mass value="0.8"/>
    <inertia ixx=".012" iyy=".014" izz=".013" ixy=".001" ixz="-.002" iyz=".003"/></inertial></link>
  <joint name="flange" type="fixed"><parent link="b"/><child link="tool"/></joint>)");
  return urdf;
}

TEST(ControlModel, APayloadIsABodyFixedToTheLastLink)
{
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  description.joints = {"one", "two"};
  const dynid::Mechanism bare(description);
  ControlModel model(description, bare.parameters(), Vector2d::Zero(), false);
  Payload payload;
  payload.mass = 0.8;
  payload.centre << 0.3, 0.1, -0.2;
  payload.inertia << 0.012, 0.001, -0.002, 0.001, 0.014, 0.003, -0.002, 0.003, 0.013;
  model.set_payload(payload);
  description.urdf_xml = loaded_urdf();
  const dynid::Mechanism loaded(description);
  auto workspace = loaded.workspace();
  VectorXd found(2);
  VectorXd expected(2);
  model.torque(FeedforwardMode::full, q, dq, ddq, found);
  loaded.inverse_dynamics(workspace, q, dq, ddq, expected);
  EXPECT_LT((found - expected).norm(), 1e-12);
  model.torque(FeedforwardMode::semi_static, q, dq, ddq, found);
  loaded.gravity_torque(workspace, q, expected);
  EXPECT_LT((found - expected).norm(), 1e-12) << "its weight counts at rest";
  VectorXd momentum(2);
  dynid::RowMajorMatrix mass(2, 2);
  model.momentum(q, dq, momentum, found);
  loaded.mass_matrix(workspace, q, mass);
  EXPECT_LT((momentum - mass * dq).norm(), 1e-12);
  model.set_payload(Payload{});
  model.torque(FeedforwardMode::full, q, dq, ddq, found);
  auto unloaded = bare.workspace();
  bare.inverse_dynamics(unloaded, q, dq, ddq, expected);
  EXPECT_LT((found - expected).norm(), 1e-12) << "another replaces it";
}

TEST(ControlModel, ChecksAPayload)
{
  const auto refused = [](auto change) {
    Payload payload;
    payload.mass = 1.0;
    payload.inertia.diagonal() << 0.003, 0.004, 0.005;
    change(payload);
    try {
      payload.check();
    } catch (const std::invalid_argument &) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](Payload &) {}));
  EXPECT_FALSE(refused([](Payload & p) { p = Payload{}; })) << "none is a payload, too";
  EXPECT_FALSE(refused([](Payload & p) { p.inertia(2, 2) = 0.007; })) << "a flat plate";
  EXPECT_TRUE(refused([](Payload & p) { p.inertia(2, 2) = 0.0071; }));
  EXPECT_TRUE(refused([](Payload & p) { p.inertia(0, 0) = -1e-4; }));
  EXPECT_TRUE(refused([](Payload & p) { p.mass = -1.0; }));
  EXPECT_TRUE(refused([](Payload & p) { p.inertia(0, 1) = 1e-3; })) << "not symmetric";
  EXPECT_TRUE(refused([&](Payload & p) { p.mass = nan; }));
  EXPECT_TRUE(refused([&](Payload & p) { p.centre[1] = nan; }));
  EXPECT_TRUE(refused([&](Payload & p) { p.inertia(1, 1) = nan; }));
}

TEST(ControlModel, SmoothsEveryDryFrictionAtLeastAsGiven)
{
  auto description = planar_arm({joint_term("coulomb", 0), joint_term("coulomb", 1)});
  description.terms[0].smoothing = 0.5;
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 1.0;
  ControlModel model(description, parameters, Vector2d(0.1, 0.2), false);
  VectorXd tau(2);
  const Vector2d slow{0.05, 0.05};
  model.torque(FeedforwardMode::semi_static, q, slow, ddq, tau);
  const Vector2d expected{std::tanh(0.1), std::tanh(0.25)};
  EXPECT_LT((tau - planar_gravity(q) - expected).norm(), 1e-12);
  EXPECT_THROW(
    ControlModel(description, parameters, VectorXd::Ones(3), false), std::invalid_argument);
  EXPECT_THROW(
    ControlModel(description, parameters, Vector2d(0.1, -0.1), false), std::invalid_argument);
}

}  // namespace
