// The additive torque: its value, and when it is sent.

#include <gtest/gtest.h>

#include "control_under_test.hpp"

namespace
{

dynid::FeedforwardSettings settings(int delay, double ramp_time = 0.0)
{
  auto found = law_settings(delay).feedforward;
  found.ramp_time = ramp_time;
  return found;
}

double send(dynid::Feedforward & feedforward, double q, double dq = 0.0, double ddq = 0.0)
{
  return feedforward.update(one(q), one(dq), one(ddq))[0];
}

constexpr double tolerance = 1e-11;  // of torques of some 10 N m

class FeedforwardDelay : public testing::TestWithParam<int>
{
};

TEST_P(FeedforwardDelay, IsTheCyclesBetweenACommandAndItsTorque)
{
  const int delay = GetParam();
  auto model = pendulum_model();
  dynid::Feedforward feedforward(1, settings(delay));
  feedforward.use(&model);
  for (int k = 0; k < 50; ++k) {
    const double q = 1e-3 * k;
    const double expected = k < delay ? 0.0 : torque_of(q - 1e-3 * delay, 1.0, 2.0);
    ASSERT_NEAR(send(feedforward, q, 1.0, 2.0), expected, tolerance) << "in cycle " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Feedforward, FeedforwardDelay, testing::Values(0, 1, 3));

TEST(Feedforward, IsLimitedAndRampedIn)
{
  auto model = pendulum_model();
  dynid::Feedforward feedforward(1, settings(0, 0.1));
  feedforward.use(&model);
  double largest = 0.0;
  double before = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double sent = send(feedforward, 0.0);
    largest = std::max(largest, std::abs(sent - before));
    before = sent;
  }
  EXPECT_NEAR(before, torque_of(0, 0, 0), tolerance) << "after the ramp all of the torque is sent";
  EXPECT_LT(largest, 1.01 * weight / 100) << "and changes by at most a hundredth in a cycle";

  feedforward.set_gain(0.5);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0);
  }
  EXPECT_NEAR(before, 0.5 * torque_of(0, 0, 0), tolerance) << "a gain of one half sends half of it";
  feedforward.set_gain(nan);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0);
  }
  EXPECT_EQ(before, 0.0) << "a gain of NaN sends none";
  feedforward.set_gain(1.0);
  for (int k = 0; k < 100; ++k) {
    before = send(feedforward, 0.0, 0.0, 900.0);
  }
  EXPECT_EQ(before, 50.0) << "torque_max is never exceeded";
}

TEST(Feedforward, ReportsWhyNothingIsSent)
{
  auto model = pendulum_model();
  dynid::Feedforward feedforward(1, settings(2));
  EXPECT_EQ(send(feedforward, 0.0), 0.0) << "without a model nothing is sent";
  EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::no_model);
  feedforward.use(&model);
  const auto settle = [&] {
    for (int k = 0; k < 5; ++k) {
      send(feedforward, 0.0);
    }
    return std::abs(send(feedforward, 0.0) - torque_of(0, 0, 0)) < tolerance;
  };
  EXPECT_TRUE(settle()) << "with one it is";
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_EQ(send(feedforward, bad), 0.0) << "nothing is sent for a command of " << bad;
    EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::not_finite);
    EXPECT_TRUE(settle());
    EXPECT_EQ(send(feedforward, 0.0, bad), 0.0);
    EXPECT_TRUE(settle());
    EXPECT_EQ(send(feedforward, 0.0, 0.0, bad), 0.0);
    EXPECT_TRUE(settle());
  }
  feedforward.update(one(0.03), zero, zero, 4.0);
  EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::none)
    << "a late cycle may have a larger step";
  EXPECT_EQ(send(feedforward, 0.5), 0.0) << "nor after a jump of the command";
  EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::command_jump);
  EXPECT_EQ(send(feedforward, 0.5), 0.0) << "and its torque is not sent later";
  EXPECT_EQ(send(feedforward, 0.5, 0.0, 1001.0), 0.0)
    << "nor for an acceleration above acceleration_jump";
  EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::acceleration);
  EXPECT_EQ(send(feedforward, 0.5, 0.0, -1001.0), 0.0) << "in either direction";
  EXPECT_EQ(feedforward.inactive_reason(), InactiveReason::acceleration);

  dynid::Feedforward paused(1, settings(0));
  paused.use(&model);
  send(paused, 0.0);
  paused.update(one(0.99), zero, zero, 500.0);
  EXPECT_EQ(paused.inactive_reason(), InactiveReason::none)
    << "a pause may bring the distance of 100 cycles";
  paused.update(one(2.0), zero, zero, 500.0);
  EXPECT_EQ(paused.inactive_reason(), InactiveReason::command_jump)
    << "but not of more, for any pause";
}

TEST(Feedforward, IsRampedOut)
{
  auto model = pendulum_model();
  for (const bool taken : {true, false}) {
    dynid::Feedforward feedforward(1, settings(3, 0.1));
    feedforward.use(&model);
    for (int k = 0; k < 200; ++k) {
      send(feedforward, 0.0);
    }
    feedforward.use(taken ? nullptr : &model);
    double before = feedforward.torque_offset()[0];
    double largest = 0.0;
    for (int k = 0; k < 110; ++k) {
      const double sent = taken ? send(feedforward, 0.0)
                                : feedforward.fade(InactiveReason::uneven, zero, zero, zero)[0];
      largest = std::max(largest, std::abs(sent - before));
      before = sent;
    }
    const std::string name = taken ? "without a model" : "in a stop";
    EXPECT_EQ(before, 0.0) << name << " additive torque goes to 0";
    EXPECT_LT(largest, 1.01 * weight / 100) << "along its ramp";
    feedforward.use(&model);
    EXPECT_LT(std::abs(send(feedforward, 0.0)), 1.01 * weight / 100)
      << "and back along the same ramp";
  }
}

TEST(Feedforward, ChangesModelAndPayloadGradually)
{
  auto model = pendulum_model();
  auto other = pendulum_model();
  dynid::Payload payload;
  payload.mass = 1.0;
  payload.centre = {0.4, 0.0, 0.0};
  payload.inertia.diagonal() << 0.02, 0.03, 0.03;
  other.set_payload(payload);
  const double heavier = torque_of(0, 0, 0) - 9.81 * 0.4;
  dynid::Feedforward feedforward(1, settings(0, 0.1));
  feedforward.use(&model);
  for (int k = 0; k < 200; ++k) {
    send(feedforward, 0.0);
  }
  feedforward.use(&other);
  double before = torque_of(0, 0, 0);
  double largest = 0.0;
  for (int k = 0; k < 110; ++k) {
    const double sent = send(feedforward, 0.0);
    largest = std::max(largest, std::abs(sent - before));
    before = sent;
  }
  EXPECT_NEAR(before, heavier, tolerance) << "a payload adds its weight";
  EXPECT_LT(largest, 1.01 * 9.81 * 0.4 / 100) << "the change to another model is gradual";
  VectorXd torque(1);
  other.torque(dynid::FeedforwardMode::full, zero, zero, one(1.0), torque);
  EXPECT_NEAR(torque[0], heavier + inertia + 0.03 + 0.16, tolerance) << "and its inertia (Steiner)";
  other.set_payload({});
  other.torque(dynid::FeedforwardMode::semi_static, zero, one(1.0), one(7.0), torque);
  EXPECT_NEAR(torque[0], torque_of(0, 1.0, 0), tolerance)
    << "semi-static is gravity and friction only";
  feedforward.set_mode(dynid::FeedforwardMode::semi_static);
  feedforward.use(&model);
  for (int k = 0; k < 110; ++k) {
    send(feedforward, 0.0, 1.0, 7.0);
  }
  EXPECT_NEAR(feedforward.torque_offset()[0], torque_of(0, 1.0, 0), tolerance)
    << "while the torque error uses the full torque";
  EXPECT_NEAR(feedforward.model_torque()[0], torque_of(0, 1.0, 7.0), tolerance);
  other.torque(dynid::FeedforwardMode::full, zero, one(0.001), zero, torque);
  EXPECT_NEAR(torque[0], torque_of(0, 0.001, 0), tolerance) << "friction is smooth near standstill";
}

TEST(Feedforward, PreslidingFrictionFollowsTheCommands)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  description.gravity.setZero();
  for (const auto * kind : {"presliding", "lugre"}) {
    description.terms.push_back({&dynid::term_kind(kind), 0, dynid::TermSide::joint, 0.0, 1e-3});
  }
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters.tail(2) << 1.0, 2.0;
  ControlModel model(description, parameters, zero, false);
  dynid::Feedforward feedforward(1, law_settings().feedforward);
  feedforward.use(&model);
  feedforward.set_gain(1.0);
  const auto friction = [&](double position) {
    return feedforward.update(one(position), zero, zero, 1.0)[0];
  };
  feedforward.restart();
  friction(0.0);
  for (int k = 1; k <= 40; ++k) {
    friction(1e-3 * k);
  }
  EXPECT_NEAR(friction(0.04), 3.0, tolerance) << "a joint that slid and stopped keeps its friction";
  feedforward.restart();
  EXPECT_NEAR(friction(0.04), 0.0, tolerance) << "which is cleared when control is activated again";
}

TEST(Feedforward, CommandsMotorsThroughTheCoupling)
{
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  description.joints = {"one", "two"};
  description.coupling = (Eigen::Matrix2d() << 0.5, 0.0, -0.25, 1.0).finished();
  description.terms = {{&dynid::term_kind("rotor_inertia"), 1, dynid::TermSide::motor}};
  const dynid::Mechanism mechanism(description);
  VectorXd parameters = mechanism.urdf_parameters();
  parameters[20] = 0.2;
  ControlModel at_motors(description, parameters, VectorXd::Zero(2), true);
  ControlModel at_joints(description, parameters, VectorXd::Zero(2), false);
  const VectorXd q = Eigen::Vector2d(0.3, -0.4);
  const VectorXd dq = Eigen::Vector2d(1.0, 0.5);
  const VectorXd ddq = Eigen::Vector2d(-2.0, 3.0);
  const auto & t = description.coupling;
  VectorXd motors(2);
  VectorXd joints(2);
  at_motors.torque(dynid::FeedforwardMode::full, q, dq, ddq, motors);
  const VectorXd tq = t * q;
  const VectorXd tdq = t * dq;
  const VectorXd tddq = t * ddq;
  at_joints.torque(dynid::FeedforwardMode::full, tq, tdq, tddq, joints);
  EXPECT_LT((motors - t.transpose() * joints).norm(), 1e-12)
    << "motors are commanded through the coupling, and their torque is T^T that of the joints";
}

}  // namespace
