// The control cycle of a torque-controlled robot.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "allocation_checks.hpp"
#include "dynid/control_report.hpp"
#include "torque_robot.hpp"

namespace
{

using dynid::Compensation;
using dynid::TorquePhase;
using dynid::TorqueStartAnswer;

/// The largest error over two periods, after one.
double error_with(Compensation compensation, GravityBy gravity = GravityBy::by_controller)
{
  auto settings = torque_settings();
  settings.compensation = compensation;
  settings.gravity = gravity;
  TorqueRobot robot(settings);
  robot.swing_for(1000);
  return robot.swing_for(2000);
}

TEST(TorqueLaw, EachPartOfTheModelReducesTheTrackingError)
{
  const double gravity = error_with(Compensation::gravity);
  const double rigid = error_with(Compensation::rigid_body);
  const double full = error_with(Compensation::full);
  EXPECT_LT(rigid, 0.65 * gravity);
  EXPECT_LT(full, 0.65 * rigid);
  EXPECT_NEAR(error_with(Compensation::full, GravityBy::by_robot), full, 0.1 * full)
    << "whoever compensates gravity";
}

TEST(TorqueLaw, StartsWithTheTorqueThatHoldsTheRobot)
{
  TorqueRobot robot(torque_settings(), 0.0, 0.5);
  EXPECT_NEAR(robot.command(), -weight * std::cos(0.5), 1e-12);
  for (int k = 0; k < 500; ++k) {
    robot.step(reference(nan));
  }
  EXPECT_NEAR(robot.truth(), 0.5, 1e-6) << "it waits for its reference where it is";
}

TEST(TorqueLaw, DoesNotStartWithoutATorqueAgainstGravity)
{
  TorqueLaw law(1, torque_settings());
  EXPECT_EQ(law.start(zero).answer, TorqueStartAnswer::no_model);
  EXPECT_EQ(law.phase(), TorquePhase::inactive);
  law.update(reference(0.1), feedback(0.0));
  EXPECT_EQ(law.torque_command()[0], 0.0);
  auto model = pendulum_model();
  law.use(&model);
  EXPECT_EQ(law.start(one(nan)).answer, TorqueStartAnswer::no_position);
  EXPECT_TRUE(law.start(zero).done());

  auto by_robot = torque_settings();
  by_robot.gravity = GravityBy::by_robot;
  TorqueLaw without(1, by_robot);
  EXPECT_TRUE(without.start(zero).done()) << "the robot needs no model for it";
  without.update(reference(0.0), feedback(-weight));
  EXPECT_EQ(without.torque_command()[0], 0.0);
}

TEST(TorqueLaw, ComesToRestWithoutAReferenceAndFollowsAgain)
{
  TorqueRobot robot;
  robot.swing_for(1250);  // fastest here
  for (int k = 0; k < 500; ++k) {
    robot.step(reference(nan, nan, nan));
  }
  EXPECT_EQ(robot.law.phase(), TorquePhase::following) << "a lost reference is no stop";
  EXPECT_EQ(robot.law.law().inactive_reason(), InactiveReason::not_finite);
  EXPECT_NEAR(robot.speed(), 0.0, 1e-3);
  const double held = robot.truth();
  EXPECT_GT(held, 0.4) << "v^2 / (2 d) further";
  EXPECT_NEAR(held, robot.law.law().position_command()[0], 0.01) << "and the loops hold it there";
  for (int k = 0; k < 500; ++k) {
    robot.step(reference(held + 0.05));
  }
  EXPECT_NEAR(robot.truth(), held + 0.05, 0.01);
}

TEST(TorqueLaw, DampsTheMotionAfterACollisionUntilTheRobotsOwnStop)
{
  auto settings = torque_settings();
  settings.law.collision.torque_error_max = one(12.0);
  TorqueRobot robot(settings);
  robot.swing_for(1200);
  ASSERT_EQ(robot.law.phase(), TorquePhase::following);
  const double begin = robot.truth();
  for (int k = 0; k < 4; ++k) {
    auto collided = robot.measured();
    collided.torque[0] += 30.0;
    robot.step(TorqueRobot::sine(1200 + k), collided);
  }
  ASSERT_EQ(robot.law.phase(), TorquePhase::stopping);
  EXPECT_EQ(robot.law.law().detector().collision().cause, CollisionCause::torque_error);
  double speed = robot.speed();
  bool slower = true;
  int cycles = 0;
  for (; !robot.law.stopped() && cycles < 600; ++cycles) {
    const auto feedback = robot.measured();
    robot.step(TorqueRobot::sine(1204 + cycles), feedback);
    if (cycles > 50) {  // after the change of the torque, which is limited
      const double expected = robot.law.holding_torque()[0] - 5.0 * feedback.velocity[0];
      EXPECT_NEAR(robot.command(), expected, 1e-9) << "no stiffness";
      slower = slower && std::abs(robot.speed()) <= std::abs(speed) + 1e-9;
    }
    speed = robot.speed();
  }
  EXPECT_TRUE(slower);
  EXPECT_LT(cycles, 500) << "at rest before stop_time";
  EXPECT_LT(std::abs(robot.speed()), 0.03);
  const double rest = robot.truth();
  EXPECT_LT(std::abs(rest - begin), 0.5);
  robot.plant.trip();  // the robot's own stop
  for (int k = 0; k < 200; ++k) {
    robot.step(TorqueRobot::sine(k));
  }
  EXPECT_NEAR(robot.truth(), rest, 0.01);
  EXPECT_TRUE(robot.law.stopped()) << "only start() ends a stop";
  robot.plant.clear_fault();
  EXPECT_TRUE(robot.law.start(robot.plant.position()).done());
  robot.step(reference(nan));
  EXPECT_EQ(robot.law.phase(), TorquePhase::following);
}

TEST(TorqueLaw, LimitsTheDurationOfADampedStop)
{
  auto settings = torque_settings();
  settings.stop_damping = zero;
  settings.stop_time = 0.1;
  TorqueRobot robot(settings, 0.0);
  robot.swing_for(1250);
  robot.law.stop();
  int cycles = 0;
  for (; !robot.law.stopped() && cycles < 1000; ++cycles) {
    robot.step(reference(0.0));
  }
  EXPECT_NEAR(cycles, 100, 1) << "even if it still moves";
  EXPECT_GT(std::abs(robot.speed()), 0.1);
}

TEST(TorqueLaw, StopsWithoutFeedbackOfTheMotion)
{
  for (const auto cause : {CollisionCause::no_position, CollisionCause::no_velocity}) {
    TorqueRobot robot;
    robot.swing_for(1250);
    int cycles = 0;
    for (; robot.law.phase() == TorquePhase::following && cycles < 100; ++cycles) {
      auto missing = robot.measured();
      (cause == CollisionCause::no_position ? missing.position : missing.velocity)[0] = nan;
      robot.step(TorqueRobot::sine(1250 + cycles), missing);
      ASSERT_TRUE(std::isfinite(robot.command()));
    }
    EXPECT_NEAR(cycles, 20, 2) << "after max_age";
    EXPECT_EQ(robot.law.law().detector().collision().cause, cause);
    auto missing = robot.measured();
    missing.velocity[0] = nan;
    missing.position[0] = nan;
    for (int k = 0; k < 600; ++k) {
      robot.step(TorqueRobot::sine(1300), missing);
    }
    EXPECT_NEAR(robot.command(), robot.law.holding_torque()[0], 1e-9)
      << "gravity is still compensated, as at the last position";
    EXPECT_TRUE(robot.law.stopped());
  }
}

TEST(TorqueLaw, DoesNotReactToOneMissingMeasurement)
{
  TorqueRobot robot;
  robot.swing_for(1250);
  robot.step(TorqueRobot::sine(1250), {one(nan), one(nan), one(nan)});
  EXPECT_EQ(robot.law.phase(), TorquePhase::following);
  robot.now = 1251;
  EXPECT_LT(robot.swing_for(1000), 0.01);
}

TEST(TorqueLaw, FollowsAfterALateCycle)
{
  TorqueRobot robot;
  robot.swing_for(1250);
  for (const int late : {2, 5, 9}) {
    const double before = robot.command();
    robot.now += late;
    for (int k = 0; k < late - 1; ++k) {
      robot.plant.step(zero, robot.law.torque_command());  // the last one persists
    }
    robot.step(TorqueRobot::sine(robot.now), late);
    EXPECT_LE(std::abs(robot.command() - before), 1e-3 * rate_max + 1e-9);
    ++robot.now;
    robot.swing_for(500);
    EXPECT_LT(robot.swing_for(500), 0.01) << "as before";
    EXPECT_EQ(robot.law.phase(), TorquePhase::following);
  }
}

TEST(TorqueLaw, StopsFarFromItsCommandOrTooFast)
{
  auto far = torque_settings();
  far.position_error_max = one(0.1);
  TorqueRobot held(far);
  for (int k = 0; k <= 110; ++k) {  // pushed away
    held.law.update(reference(0.0), feedback(-weight, 1e-3 * k, 1.0));
  }
  EXPECT_EQ(held.law.phase(), TorquePhase::stopping);
  const auto & collision = held.law.law().detector().collision();
  EXPECT_EQ(collision.cause, CollisionCause::position_error);
  EXPECT_EQ(
    dynid::describe(collision, {{"axis"}, {false}}, "the controller is activated again"),
    "Joint 'axis' is 0.101 rad from its command, at most 0.1 (position_error_max) are allowed; the "
    "robot is stopped until the controller is activated again.");

  auto slow = torque_settings();
  slow.speed_max = one(2.0);
  TorqueRobot fast(slow);
  fast.swing_for(1500);
  EXPECT_NE(fast.law.phase(), TorquePhase::following) << "0.4 w = 2.5 rad/s";
  EXPECT_EQ(fast.law.law().detector().collision().cause, CollisionCause::speed);
}

TEST(TorqueLaw, HoldsItsIntegratorWhileTheTorqueIsLimited)
{
  auto settings = torque_settings();
  settings.law.max_age = 10.0;
  settings.integral_gain = one(2000.0);
  settings.integral_max = one(40.0);
  settings.law.feedforward.torque_max = one(15.0);
  settings.law.feedforward.position_jump = one(infinity);
  TorqueRobot robot(settings);
  const auto blocked = [](int k) { return Feedback{one(1e-6 * (k % 2)), zero, zero}; };
  for (int k = 0; k < 1000; ++k) {
    robot.law.update(reference(std::min(0.09, 1e-4 * k)), blocked(k));
  }
  EXPECT_EQ(robot.command(), 15.0) << "against an obstacle that yields a little";
  for (int k = 0; k <= 150; ++k) {
    robot.law.update(reference(0.09), {one(1e-3 * k), one(1.0), zero});
  }
  for (int k = 0; k < 30; ++k) {
    robot.law.update(reference(0.09), {one(0.15), zero, zero});
  }
  EXPECT_LT(robot.command(), 0.0) << "the integrator has not grown, and does not push on";
}

TEST(TorqueLaw, StopsWhereItsModelIsRemoved)
{
  TorqueRobot robot;
  robot.swing_for(100);
  const double holding = robot.law.holding_torque()[0];
  robot.law.use(nullptr);
  robot.step(TorqueRobot::sine(100));
  EXPECT_EQ(robot.law.phase(), TorquePhase::stopping);
  EXPECT_EQ(robot.law.law().detector().collision().cause, CollisionCause::no_model);
  EXPECT_EQ(robot.law.holding_torque()[0], holding) << "of the model before";
}

TEST(TorqueLaw, FadesInANewPayload)
{
  auto settings = torque_settings();
  settings.stiffness = settings.damping = zero;
  settings.torque_rate_max = one(infinity);
  TorqueRobot robot(settings);
  const Feedback still{zero, zero, zero};
  robot.law.update(reference(0.0), still);
  robot.law.set_payload({1.0, Eigen::Vector3d(0.5, 0.0, 0.0), Eigen::Matrix3d::Zero()});
  const double added = 0.5 * 9.81;
  double before = robot.command();
  double largest = 0.0;
  for (int k = 0; k < 110; ++k) {
    robot.law.update(reference(0.0), still);
    largest = std::max(largest, std::abs(robot.command() - before));
    before = robot.command();
  }
  EXPECT_NEAR(before, -weight - added, 1e-9);
  EXPECT_NEAR(largest, added / 100.0, 1e-9) << "over ramp_time";
}

/// A value that a control cycle should survive.
double any_value(std::mt19937 & random)
{
  const std::array<double, 9> special{nan,  infinity, -infinity, 1e308, -1e308,
                                      1e12, 5e-324,   0.0,       -0.0};
  const auto kind = random() % 12;
  return kind < special.size() ? special[kind] : std::uniform_real_distribution<>(-3, 3)(random);
}

TEST(TorqueLaw, CommandsAFiniteLimitedTorqueForAnyInput)
{
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    auto settings = torque_settings();
    settings.integral_gain = one(100.0);
    settings.gravity = trial % 2 == 0 ? GravityBy::by_controller : GravityBy::by_robot;
    settings.compensation = static_cast<Compensation>(trial % 3);
    TorqueLaw law(1, settings);
    auto model = pendulum_model();
    law.use(&model);
    ASSERT_TRUE(law.start(one(0.1)).done());
    double before = law.torque_command()[0];
    for (int k = 0; k < 60; ++k) {
      const bool calm = random() % 3 != 0;
      const auto value = [&](double usual) { return calm ? usual : any_value(random); };
      const auto wanted = reference(value(0.1), value(0.0), value(0.0));
      const auto measured = feedback(value(-9.0), value(0.1), value(0.0));
      law.update(wanted, measured, value(1.0));
      const double now = law.torque_command()[0];
      ASSERT_TRUE(std::isfinite(now)) << "trial " << trial << ", cycle " << k;
      ASSERT_LE(std::abs(now), 50.0);
      ASSERT_LE(std::abs(now - before), 1e-3 * rate_max * (1.0 + 1e-12) + 1e-12);
      before = now;
    }
  }
}

TEST(TorqueLaw, DoesNotAllocate)
{
  TorqueRobot robot;
  const auto moving = TorqueRobot::sine(10);
  const auto measured = robot.measured();
  const Feedback missing{one(nan), one(nan), one(nan)};
  expect_no_allocation("TorqueLaw::update", [&] { robot.law.update(moving, measured); });
  auto with_links = measured;
  with_links.link_position = one(0.0);
  expect_no_allocation("with links", [&] { robot.law.update(moving, with_links); });
  expect_no_allocation(
    "the plant's cycle", [&] { robot.plant.step(zero, robot.law.torque_command()); });
  expect_no_allocation("TorqueLaw::update, stopping", [&] {
    for (int k = 0; k < 100; ++k) {
      robot.law.update(moving, missing);
    }
  });
  EXPECT_NE(robot.law.phase(), TorquePhase::following);
  expect_no_allocation("TorqueLaw::start", [&] { std::ignore = robot.law.start(zero); });
  expect_no_allocation("TorqueLaw::stop", [&] { robot.law.stop(); });
}

TEST(TorqueLaw, RefusesInvalidSettings)
{
  auto settings = torque_settings();
  settings.stiffness = one(-1.0);
  EXPECT_THROW(TorqueLaw(1, settings), std::invalid_argument);
  settings = torque_settings();
  settings.stop_time = nan;
  EXPECT_THROW(TorqueLaw(1, settings), std::invalid_argument);
}

}  // namespace
