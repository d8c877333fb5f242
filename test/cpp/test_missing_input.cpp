// Missing or frozen feedback stops the robot after max_age [s], with a reason.

#include <gtest/gtest.h>

#include <tuple>

#include "control_under_test.hpp"
#include "dynid/control_report.hpp"

namespace
{

const dynid::JointNames joints{{"axis"}, {false}};

ControlLawSettings aged_settings(double rate = 1000.0)
{
  auto settings = law_settings(0);
  settings.feedforward.control_rate = rate;
  settings.collision.control_rate = rate;
  settings.max_age = 0.05;
  return settings;
}

/// A law that moves at 0.5 rad/s, with feedback that follows.
struct Moving
{
  explicit Moving(const ControlLawSettings & settings = aged_settings())
  : model(pendulum_model()), law(1, settings), dt(1.0 / settings.feedforward.control_rate)
  {
    law.use(&model);
    law.start(zero);
    run(100, [](Feedback &) {});
  }

  /// Runs up to this many cycles; returns the cycles until it is stopped, or -1.
  int run(int cycles, const std::function<void(Feedback &)> & spoil, double speed = 0.5)
  {
    for (int k = 0; k < cycles; ++k) {
      now += speed * dt;
      auto measured = feedback(torque_of(now, speed, 0.0), now, speed);
      spoil(measured);
      law.update(reference(now, speed), measured);
      if (law.latched()) {
        return k;
      }
    }
    return -1;
  }

  [[nodiscard]] std::string message() const { return describe(law.detector().collision(), joints); }

  ControlModel model;
  ControlLaw law;
  double dt;
  double now = 0.0;
};

/// The missing part of the feedback.
struct Missing
{
  const char * name;
  CollisionCause cause;
  Eigen::VectorXd Feedback::* values;
};

class MissingFeedback : public testing::TestWithParam<std::tuple<Missing, double, double>>
{
};

TEST_P(MissingFeedback, StopsTheRobotAfterMaxAge)
{
  const auto & [missing, rate, bad] = GetParam();
  Moving robot(aged_settings(rate));
  const auto lose = [values = missing.values, value = bad](Feedback & measured) {
    (measured.*values)[0] = value;
  };
  const int tolerated = static_cast<int>(0.05 * rate) - 1;
  EXPECT_LT(robot.run(tolerated, lose), 0) << "it may be missing for less than max_age";
  robot.run(1, [](Feedback &) {});
  EXPECT_LT(robot.run(tolerated, lose), 0) << "counted again from each valid sample";
  robot.run(1, [](Feedback &) {});
  const int stopped = robot.run(1000, lose);
  EXPECT_GE(stopped, tolerated);
  EXPECT_LE(stopped, tolerated + 2);
  EXPECT_EQ(robot.law.detector().collision().cause, missing.cause);
  const std::string expected = std::string("There was no measured ") + missing.name;
  EXPECT_EQ(robot.message().find(expected + " of joint 'axis'"), 0U) << robot.message();
}

INSTANTIATE_TEST_SUITE_P(
  MissingInput, MissingFeedback,
  testing::Combine(
    testing::Values(
      Missing{"position", CollisionCause::no_position, &Feedback::position},
      Missing{"velocity", CollisionCause::no_velocity, &Feedback::velocity},
      Missing{"torque (effort)", CollisionCause::no_torque, &Feedback::torque}),
    testing::Values(250.0, 1000.0), testing::Values(nan, infinity)));

TEST(MissingInput, ComesToRestOnItsPath)
{
  auto settings = aged_settings();
  settings.reaction = dynid::CollisionReaction::hold;
  Moving robot(settings);
  robot.run(1000, [](Feedback & measured) { measured.torque[0] = nan; });
  double before = robot.law.position_command()[0];
  double hardest = 0.0;
  double step = 0.0;
  for (int k = 0; k < 100; ++k) {
    robot.law.update(reference(nan), feedback(nan, nan, nan));
    const double next = robot.law.position_command()[0] - before;
    before += next;
    hardest = k == 0 ? 0.0 : std::max(hardest, std::abs(next - step));
    step = next;
  }
  EXPECT_EQ(step, 0.0) << "it comes to rest on its path, whatever it is to do after a "
                          "collision";
  EXPECT_LT(hardest, 10.1e-6);
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::done) << "and moves again after a reset";
  EXPECT_FALSE(robot.law.latched());
}

TEST(MissingInput, StopsWhereStatesAreFrozenInMotion)
{
  Moving robot;
  const auto measured = feedback(torque_of(robot.now, 0.5, 0.0), robot.now, 0.5);
  const int stopped = robot.run(1000, [&](Feedback & f) { f = measured; });
  // 2 cycles until it is commanded to move by 1 mrad
  EXPECT_GE(stopped, 49) << "frozen states while the robot is commanded to move stop it";
  EXPECT_LE(stopped, 53);
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::frozen);
  EXPECT_EQ(robot.message().find("The states of joint 'axis' did not change for 0.05"), 0U)
    << robot.message();

  Moving backwards;
  backwards.run(100, [](Feedback &) {}, -0.5);
  const auto old = feedback(torque_of(backwards.now, -0.5, 0.0), backwards.now, -0.5);
  EXPECT_GE(backwards.run(1000, [&](Feedback & f) { f = old; }, -0.5), 49) << "either way";
  EXPECT_EQ(backwards.law.detector().collision().cause, CollisionCause::frozen);

  Moving resting;
  const auto same = feedback(torque_of(resting.now, 0.0, 0.0), resting.now, 0.0);
  EXPECT_LT(
    resting.run(
      1000, [&](Feedback & f) { f = same; }, 0.0),
    0)
    << "at rest they may be unchanged";
  Moving quantised;
  EXPECT_LT(
    quantised.run(
      2000,
      [](Feedback & f) {
        f.position[0] = 1e-4 * std::floor(1e4 * f.position[0]);
        f.velocity[0] = 0.0;
        f.torque[0] = std::floor(f.torque[0]);
      },
      1e-3),
    0)
    << "and between two counts of an encoder, too";
  Moving late;
  late.law.update(reference(late.now, 0.5), feedback(nan, nan, nan), 200.0);
  EXPECT_FALSE(late.law.latched()) << "one measurement lost in a late cycle is not missing";
}

TEST(MissingInput, NeedsTorqueOnlyWhereItIsSupervised)
{
  auto settings = aged_settings();
  settings.collision.torque_error_enable = zero;
  Moving without(settings);
  const auto lose = [](Feedback & measured) { measured.torque[0] = nan; };
  EXPECT_LT(without.run(1000, lose), 0) << "torque that is not supervised need not be measured";
  const auto & supervised = without.law.supervised();
  EXPECT_EQ(supervised[0], 0.0) << describe_supervision(supervised, joints);
  EXPECT_EQ(
    describe_supervision(supervised, joints).find("Torque is not supervised at any joint"), 0U);
  settings.collision.torque_error_enable = one(1.0);
  without.law.set_collision(settings.collision);
  EXPECT_EQ(without.law.supervised()[0], 1.0) << "but once it is supervised, it must be";
  EXPECT_GE(without.run(1000, lose), 0);
  settings.collision.torque_error_max = one(infinity);
  EXPECT_EQ(Moving(settings).law.supervised()[0], 0.0)
    << "without a threshold it is not supervised either";
  settings.collision.torque_threshold = one(99.0);
  EXPECT_EQ(Moving(settings).law.supervised()[0], 1.0) << "with one of measured torque it is";
  EXPECT_EQ(describe_supervision(one(1.0), joints), "Torque is supervised at every joint.");
  const dynid::JointNames three{{"a", "b", "c"}, {false, false, false}};
  EXPECT_NE(
    describe_supervision(Eigen::Vector3d(0, 1, 0), three).find("at joints 'a' and 'c'"),
    std::string::npos)
    << "joints without supervision are named";
}

}  // namespace
