// A torque-controlled robot that is guided by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "allocation_checks.hpp"
#include "dynid/control_report.hpp"
#include "torque_robot.hpp"

namespace
{

using dynid::BlindReason;
using dynid::GuideAnswer;
using dynid::LawState;
using dynid::TorquePhase;

constexpr double guiding_torque = 5.0;  // [N m], of torque_settings()

TorqueLawSettings guided_settings()
{
  auto settings = torque_settings();
  settings.law.limits.position_min = one(-1.0);
  settings.law.limits.position_max = one(1.0);
  settings.guiding_friction = 0.6;
  settings.speed_max = one(3.0);
  settings.law.collision.torque_error_max = one(100.0);
  return settings;
}

/// The pendulum with a hand that pushes the bob across the arm, with a torque [N m] downwards.
struct GuidedRobot : TorqueRobot
{
  explicit GuidedRobot(double coulomb = 1.0, double q = 0.0)
  : GuidedRobot(guided_settings(), coulomb, q)
  {
  }

  explicit GuidedRobot(const TorqueLawSettings & given, double coulomb = 1.0, double q = 0.0)
  : TorqueRobot(given, coulomb, q)
  {
    rest_for(50);
  }

  void rest_for(int cycles)
  {
    const Reference here = reference(law.law().position_command()[0]);
    for (int k = 0; k < cycles; ++k) {
      step(here);
    }
  }

  void guide() { EXPECT_TRUE(law.guide().done()); }

  /// Cycles in which the hand exerts a torque; references are ignored then.
  void push(double torque, int cycles)
  {
    for (int k = 0; k < cycles; ++k) {
      dynid::ExternalForce hand;
      hand.link = plant.link("bob");
      hand.point = {0.5, 0.0, 0.0};
      hand.force = {0.0, 0.0, -2.0 * torque};
      hand.duration = 0.001;
      plant.inject(hand);
      step(reference(nan));
      fastest = std::max(fastest, std::abs(speed()));
    }
  }

  double fastest = 0.0;  // [rad/s]
};

TEST(HandGuiding, MovesWithAHandThatIsTooWeakForTheFriction)
{
  GuidedRobot robot;
  robot.push(0.6, 500);
  EXPECT_NEAR(robot.truth(), 0.0, 1e-3) << "its loops hold it";
  robot.guide();
  robot.push(0.6, 500);
  EXPECT_NEAR(robot.truth(), 0.0, 1e-6) << "at rest no friction is compensated";
  robot.push(1.1, 200);
  robot.push(0.6, 300);
  EXPECT_GT(robot.speed(), 0.05) << "in motion 0.6 of it is, so that 0.4 N m would be enough";
}

TEST(HandGuiding, RestsWhereNoHandIsAlsoWithFrictionThatIsTooLarge)
{
  for (const double true_friction : {0.72, 1.0, 1.4}) {
    GuidedRobot robot(true_friction, 0.3);
    robot.guide();
    robot.push(2.0, 150);
    EXPECT_GT(robot.speed(), 0.05);
    robot.push(0.0, 8000);
    EXPECT_NEAR(robot.speed(), 0.0, 1e-9) << "the model's friction is 1, of which 0.6 is added";
    const double at = robot.truth();
    robot.push(0.0, 3000);
    EXPECT_NEAR(robot.truth(), at, 1e-9);
  }
}

TEST(HandGuiding, DampsAHandThatIsFast)
{
  GuidedRobot robot(1.0, -0.8);
  robot.guide();
  robot.push(4.0, 600);
  EXPECT_EQ(robot.law.phase(), TorquePhase::guided);
  EXPECT_GT(robot.fastest, 0.5);
  EXPECT_LT(robot.fastest, 0.5 + (4.0 - 0.4) / 5.0 + 0.02) << "its push over the damping";
}

TEST(HandGuiding, StopsAHandThatIsTooFast)
{
  GuidedRobot robot(1.0, -0.9);
  robot.guide();
  robot.push(40.0, 300);
  EXPECT_NE(robot.law.phase(), TorquePhase::guided);
  EXPECT_EQ(robot.law.law().detector().collision().cause, CollisionCause::speed);
}

TEST(HandGuiding, HasWallsAtThePositionLimits)
{
  for (const double direction : {1.0, -1.0}) {
    GuidedRobot robot(1.0, 0.7 * direction);
    robot.guide();
    robot.push(0.5 * guiding_torque * direction, 3000);
    EXPECT_EQ(robot.law.phase(), TorquePhase::guided);
    EXPECT_GT(robot.truth() * direction, 0.85) << "the wall begins there";
    EXPECT_LT(robot.truth() * direction, 1.0);
    const double deepest = robot.truth();
    robot.push(0.0, 1000);
    EXPECT_LT(robot.fastest, 1.2) << "it does not throw back";
    EXPECT_LT(robot.truth() * direction, deepest * direction);
    EXPECT_GT(robot.truth() * direction, 0.7);
    robot.push(2.0 * guiding_torque * direction, 1000);
    EXPECT_NE(robot.law.phase(), TorquePhase::guided);
    const auto & collision = robot.law.law().detector().collision();
    EXPECT_EQ(collision.cause, CollisionCause::position_limit);
    const auto sentence = dynid::describe(collision, {{"axis"}, {false}});
    EXPECT_NE(sentence.find("beyond its position limit of"), std::string::npos) << sentence;
  }
}

TEST(HandGuiding, EndsInADampedStopAndHoldsTheRobotThere)
{
  GuidedRobot robot;
  robot.guide();
  robot.push(3.0, 500);
  EXPECT_GT(robot.speed(), 0.3);
  robot.law.stop();
  EXPECT_EQ(robot.law.phase(), TorquePhase::stopping);
  robot.push(0.0, 400);
  ASSERT_EQ(robot.law.phase(), TorquePhase::following);
  EXPECT_NEAR(robot.law.law().position_command()[0], robot.truth(), 1e-3);
  const double at = robot.truth();
  robot.push(0.5, 300);
  EXPECT_NEAR(robot.truth(), at, 2e-3) << "its loops hold it";
  for (int k = 0; k < 1500; ++k) {
    robot.step(reference(at + 0.05));
  }
  EXPECT_NEAR(robot.law.law().position_command()[0], at + 0.05, 1e-9) << "it follows again";
  EXPECT_FALSE(robot.law.law().latched());
}

TEST(HandGuiding, TorqueNeverJumps)
{
  auto settings = guided_settings();
  settings.torque_rate_max = one(40.0);
  settings.stop_speed = one(0.5);  // the stop ends in motion, with a damping torque
  GuidedRobot robot(settings);
  robot.guide();
  robot.push(3.0, 400);
  robot.law.stop();
  for (int k = 0; k < 100; ++k) {
    const double before = robot.command();
    robot.push(0.0, 1);
    EXPECT_LE(std::abs(robot.command() - before), 40.0 * 1e-3 + 1e-12) << k;
  }
  EXPECT_EQ(robot.law.phase(), TorquePhase::following);
}

TEST(HandGuiding, SaysThatNothingIsSupervised)
{
  GuidedRobot robot;
  robot.guide();
  robot.push(0.0, 10);
  const auto & law = robot.law.law();
  EXPECT_EQ(law.inactive_reason(), InactiveReason::guided);
  EXPECT_EQ(law.supervision().reason(0), BlindReason::guided);
  EXPECT_EQ(law.supervision().blind_time()[0], infinity);
  EXPECT_TRUE(std::isnan(law.torque_error()[0]));
  robot.law.stop();
  robot.push(0.0, 200);
  robot.rest_for(50);
  EXPECT_EQ(law.supervision().reason(0), BlindReason::none) << "and afterwards that it is";
}

TEST(HandGuiding, IsRefusedWhereTheRobotWouldMoveByItself)
{
  GuidedRobot robot;
  robot.plant.inject([&] {
    dynid::ExternalForce load;
    load.link = robot.plant.link("bob");
    load.point = {0.5, 0.0, 0.0};
    load.force = {0.0, 0.0, -2.0 * 3.0};  // 3 N m that no payload of the model explains
    load.duration = 10.0;
    return load;
  }());
  robot.rest_for(1000);
  const auto start = robot.law.guide();
  EXPECT_EQ(start.answer, GuideAnswer::disturbed);
  EXPECT_NEAR(start.limit, 1.5, 1e-9) << "one and a half times the model's friction";
  EXPECT_GT(std::abs(start.torque), 1.9);
  EXPECT_EQ(robot.law.phase(), TorquePhase::following);
  const auto sentence = dynid::describe(start, {{"axis"}, {false}});
  EXPECT_NE(sentence.find("joint 'axis' with"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("could move by itself"), std::string::npos) << sentence;
}

TEST(HandGuiding, IsRefusedInMotionAndInAStop)
{
  GuidedRobot robot;
  robot.swing_for(200);
  EXPECT_EQ(robot.law.guide().answer, GuideAnswer::moving);
  robot.law.stop();
  EXPECT_EQ(robot.law.guide().answer, GuideAnswer::not_following);
}

TEST(HandGuiding, StopsWithoutFeedbackOrModel)
{
  GuidedRobot lost;
  lost.guide();
  lost.push(1.5, 100);
  for (int k = 0; k < 40; ++k) {
    lost.step(reference(nan), {one(nan), one(nan), one(nan)});
  }
  EXPECT_NE(lost.law.phase(), TorquePhase::guided);

  GuidedRobot bare;
  bare.guide();
  bare.law.use(nullptr);
  bare.push(0.0, 1);
  EXPECT_EQ(bare.law.phase(), TorquePhase::stopping);
  bare.push(0.0, 1000);
  EXPECT_NE(bare.law.phase(), TorquePhase::following) << "a fault does not end by itself";
}

TEST(HandGuiding, DoesNotAllocate)
{
  GuidedRobot robot;
  expect_no_allocation("guide", [&] { robot.guide(); });
  const Reference none = reference(nan);
  const auto feedback = robot.measured();
  expect_no_allocation("a guided cycle", [&] { robot.law.update(none, feedback); });
  expect_no_allocation("its end", [&] {
    robot.law.stop();
    for (int k = 0; k < 100; ++k) {
      robot.law.update(none, feedback);
    }
  });
}

}  // namespace
