// The whole control cycle: commands of the drives for any input.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "allocation_checks.hpp"
#include "control_under_test.hpp"
#include "refusals.hpp"

namespace
{

/// A control law with a model, at rest at 0, with a reference at rest there.
struct LawAtRest
{
  explicit LawAtRest(const ControlLawSettings & settings = law_settings(3))
  : model(pendulum_model()), law(1, settings)
  {
    law.use(&model);
    law.start(zero);
    rest(10);
  }

  void rest(int cycles)
  {
    for (int k = 0; k < cycles; ++k) {
      law.update(reference(0.0), feedback(torque_of(0, 0, 0)));
    }
  }

  void collide(double q = 0.0, double dq = 0.0)
  {
    for (int k = 0; k < 3; ++k) {
      law.update(reference(q + 1e-3 * k * dq, dq), feedback(torque_of(0, 0, 0) + 9.0));
    }
  }

  ControlModel model;
  ControlLaw law;
};

TEST(ControlLaw, PassesAMotion)
{
  LawAtRest robot;
  bool right = true;
  double error = 0.0;
  for (int k = 0; k < 500; ++k) {
    const auto at = [](int cycle) { return std::max(0.0, 1e-3 * cycle); };
    const auto measured = torque_of(at(k - 3), k >= 3 ? 1.0 : 0.0, 0.0);
    robot.law.update(reference(at(k), k >= 0 ? 1.0 : 0.0), feedback(measured));
    right = right && robot.law.position_command()[0] == at(k);
    error = std::max(error, std::abs(robot.law.torque_error()[0]));
  }
  EXPECT_TRUE(right) << "positions pass unchanged";
  EXPECT_LT(error, 1e-12) << "a torque measured three cycles later has no error";
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::none) << "and there is additive torque";
}

TEST(ControlLaw, LatchesACollisionUntilReset)
{
  LawAtRest robot;
  robot.collide();
  EXPECT_TRUE(robot.law.latched()) << "a collision is latched";
  EXPECT_EQ(robot.law.torque_offset()[0], 0.0) << "and ends the additive torque in the same cycle";
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::latched);
  robot.law.update(reference(0.3, 5.0), feedback(0.0));
  EXPECT_EQ(robot.law.position_command()[0], 0.0) << "the reference is ignored";
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::reference_away)
    << "and a far reference is not followed after it";
  robot.law.update(reference(nan), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::done)
    << "a missing reference does not prevent the reset";
  robot.rest(10);
  robot.collide();
  robot.law.update(reference(0.05), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::done) << "but when it is near";
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::nothing_latched) << "once";
  robot.law.update(reference(0.05), feedback(torque_of(0, 0, 0)));
  robot.law.update(reference(0.05), feedback(torque_of(0, 0, 0)));
  EXPECT_FALSE(robot.law.latched()) << "and then it is followed again";
  EXPECT_EQ(robot.law.position_command()[0], 0.05);

  auto settings = law_settings(0);
  LawAtRest braking(settings);
  for (int k = 0; k < 100; ++k) {
    braking.law.update(reference(1e-3 * k, 1.0), feedback(torque_of(1e-3 * k, 1.0, 0)));
  }
  braking.collide(0.1, 1.0);
  EXPECT_EQ(braking.law.reset().answer, ResetAnswer::moving)
    << "a reset is refused while the robot brakes";
  double before = braking.law.position_command()[0];
  double speed = 0.995;  // in the cycle that it began in
  bool slower = true;
  for (int k = 0; k < 110; ++k) {
    braking.law.update(reference(nan), feedback(nan));
    const double now = braking.law.position_command()[0];
    const double then = (now - before) * 1000.0;
    slower = slower && then < speed + 1e-9 && then > speed - 0.0101 - 1e-9;
    speed = then;
    before = now;
  }
  EXPECT_TRUE(slower) << "it brakes along a ramp";
  EXPECT_EQ(speed, 0.0) << "and comes to rest v^2 / 2d later";
  EXPECT_NEAR(before, 0.151, 0.001);

  settings.reaction = dynid::CollisionReaction::hold;
  LawAtRest holding(settings);
  for (int k = 0; k < 100; ++k) {
    holding.law.update(reference(1e-3 * k, 1.0), feedback(torque_of(1e-3 * k, 1.0, 0)));
  }
  holding.collide(0.1, 1.0);
  EXPECT_NEAR(holding.law.position_command()[0], 0.101, 1e-9) << "or it stays where it is";
}

TEST(ControlLaw, MovesToANearReferenceAndWaitsForAFarOne)
{
  auto settings = law_settings(0);
  settings.feedforward.ramp_time = 0.1;
  LawAtRest robot(settings);
  robot.law.update(reference(nan), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(robot.law.position_command()[0], 0.0)
    << "without a reference the command stays, without additive torque";
  EXPECT_EQ(robot.law.torque_offset()[0], 0.0);
  double before = 0.0;
  double velocity = 0.0;
  double hardest = 0.0;
  for (int k = 0; k < 110; ++k) {
    robot.law.update(reference(0.09), feedback(torque_of(0, 0, 0)));
    const double step = robot.law.position_command()[0] - before;
    hardest = std::max(hardest, std::abs(step - velocity));
    before = robot.law.position_command()[0];
    velocity = step;
  }
  // 0.09 rad in 100 cycles along the quintic step
  EXPECT_LT(hardest, 1.05 * 5.774 * 0.09 / 1e4) << "it moves to a near reference smoothly";
  EXPECT_EQ(before, 0.09) << "and reaches it";
  for (int k = 0; k < 10; ++k) {
    robot.law.update(reference(0.5), feedback(torque_of(0, 0, 0)));
  }
  EXPECT_EQ(robot.law.position_command()[0], 0.09) << "for one far away it waits";
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::reference_away);
  EXPECT_EQ(robot.law.torque_offset()[0], 0.0) << "without additive torque";

  LawAtRest hasty;
  for (int k = 0; k < 100; ++k) {
    hasty.law.update(reference(1e-3 * k, 1.0, 2000.0), feedback(torque_of(1e-3 * k, 1.0, 0)));
  }
  EXPECT_NEAR(hasty.law.position_command()[0], 0.099, 1e-12)
    << "an implausible acceleration removes the additive torque, not the position command";
  EXPECT_EQ(hasty.law.inactive_reason(), InactiveReason::acceleration);
}

/// Whether an external torque stops a robot within a number of cycles.
bool stops(ControlLaw & law, double q, double extra, int cycles)
{
  for (int k = 0; k < cycles; ++k) {
    law.update(reference(q), feedback(torque_of(0, 0, 0) + extra));
  }
  return law.latched();
}

TEST(ControlLaw, ResetNamesTheDistanceOfAFarReference)
{
  auto model = pendulum_model();
  ControlLaw law(1, law_settings(0));
  law.use(&model);
  law.start(one(0.3));
  for (int k = 0; k < 100; ++k) {
    law.update(reference(0.3), feedback(torque_of(0.3, 0, 0) + 20.0, 0.3));
  }
  ASSERT_TRUE(law.latched());
  law.update(reference(0.5), feedback(torque_of(0.3, 0, 0), 0.3));
  const auto report = law.reset();
  EXPECT_EQ(report.answer, ResetAnswer::reference_away);
  EXPECT_EQ(report.drive, 0);
  EXPECT_NEAR(report.distance, 0.2, 1e-12);
  law.update(reference(0.3), feedback(torque_of(0.3, 0, 0), 0.3));
  EXPECT_EQ(law.reset().answer, ResetAnswer::done);
}

TEST(ControlLaw, SuspendsDetectionWhereTheModelDoesNotHaveTheMotion)
{
  auto settings = law_settings(0);
  settings.feedforward.ramp_time = 0.1;
  LawAtRest jumped(settings);
  jumped.rest(300);
  EXPECT_FALSE(stops(jumped.law, 0.05, 9.0, 50))
    << "while the command moves to a reference detection is suspended";
  jumped.law.update(reference(0.05), feedback(torque_of(0, 0, 0)));
  EXPECT_FALSE(stops(jumped.law, 0.05, 0.0, 60)) << "for ramp_time only";
  EXPECT_TRUE(stops(jumped.law, 0.05, 9.0, 5));

  LawAtRest waiting(settings);
  waiting.rest(300);
  EXPECT_FALSE(stops(waiting.law, 3.0, 9.0, 50))
    << "errors are also ignored after additive torque was lost";
  EXPECT_FALSE(stops(waiting.law, 3.0, 0.0, 200)) << "a robot that waits";
  EXPECT_EQ(waiting.law.inactive_reason(), InactiveReason::reference_away) << "for its reference";
  EXPECT_TRUE(stops(waiting.law, 3.0, 9.0, 5)) << "is supervised as well";
  waiting.law.update(reference(3.0), feedback(torque_of(0, 0, 0) + 7.0));
  EXPECT_LT(std::abs(waiting.law.torque_error()[0] + 7.0), 1e-9)
    << "and its errors are reported after a stop";

  LawAtRest moving(settings);
  moving.rest(300);
  moving.collide();
  moving.law.update(reference(0.0, 0.3), feedback(torque_of(0, 0, 0)));
  EXPECT_EQ(moving.law.reset().answer, ResetAnswer::done) << "a moving reference can come near";
  for (int k = 1; k < 50; ++k) {
    moving.law.update(reference(3e-4 * k, 0.3), feedback(torque_of(0, 0, 0) + 9.0));
  }
  EXPECT_FALSE(moving.law.latched()) << "and drives that catch up with it cause no collision";
}

TEST(ControlLaw, CatchesUpAfterALateCycle)
{
  auto settings = law_settings(0);
  settings.feedforward.ramp_time = 0.2;
  settings.collision.torque_error_max = one(infinity);  // catching up takes torque
  LawAtRest robot(settings);
  double before = 0.0;
  double hardest = 0.0;
  double velocity = 1e-3;
  const auto move = [&](int k, double cycles) {
    robot.law.update(
      reference(1e-3 * k, 1.0), feedback(torque_of(1e-3 * (k - 3), 1.0, 0.0)), cycles);
    const double step = robot.law.position_command()[0] - before;
    hardest = std::max(hardest, k > 1 ? std::abs(step - velocity) : 0.0);
    before = robot.law.position_command()[0];
    velocity = step;
  };
  for (int k = 1; k < 300; ++k) {
    move(k, 1.0);
  }
  EXPECT_LT(hardest, 1e-12) << "a motion passes unchanged";
  for (int k = 330; k < 600; ++k) {
    move(k, k == 330 ? 31.0 : 1.0);
  }
  // 30 ms at 1 rad/s, critically damped with 6 / 0.2 s
  EXPECT_LT(hardest, 1.1 * 0.03 * 9e-4) << "after a pause the command continues smoothly";
  EXPECT_NEAR(before, 0.599, 2e-4) << "and catches up";
  hardest = 0.0;
  for (int k = 630; k < 660; ++k) {
    move(630, k == 630 ? 31.0 : 0.0);  // the way of 31 cycles in one, then none
  }
  move(631, 1.0);
  EXPECT_LT(hardest, 1.1 * 0.03 * 9e-4)
    << "nor is there a jerk where the delayed cycles follow all at once";
  EXPECT_FALSE(robot.law.latched()) << "with additive torque";
  EXPECT_NE(robot.law.torque_offset()[0], 0.0);
}

TEST(ControlLaw, ComesToRestWhereCyclesAreTooUneven)
{
  auto settings = law_settings(0);
  settings.feedforward.ramp_time = 0.5;  // time for catching up
  settings.collision.torque_error_max = one(infinity);
  LawAtRest robot(settings);
  double before = 0.0;
  double step = 0.0;
  const auto move = [&](double q, double cycles) {
    robot.law.update(reference(q, 1.0), feedback(torque_of(0, 0, 0)), cycles);
    step = robot.law.position_command()[0] - before;
    before += step;
  };
  double now = 0.0;
  for (int k = 0; k < 100; ++k) {
    move(now += 1e-3, 1.0);
  }
  move(now += 1.1e-3, 1.1);
  EXPECT_NEAR(step, 1e-3, 1e-4 / 10) << "after a cycle 10 % late the command continues evenly";
  move(now += 0.95e-3, 0.95);
  EXPECT_NEAR(step, 1e-3, 1e-4 / 10) << "and one 5 % early";

  settings.feedforward.ramp_time = 10.0;
  LawAtRest slow(settings);
  const auto late = [&](double q) {
    slow.law.update(reference(q, 1.0), feedback(torque_of(0, 0, 0)), 60.0);
  };
  slow.law.update(reference(0.001, 1.0), feedback(torque_of(0, 0, 0)));
  late(0.061);
  EXPECT_EQ(slow.law.inactive_reason(), InactiveReason::none)
    << "one cycle 59 ms late can be caught up";
  late(0.121);
  EXPECT_EQ(slow.law.inactive_reason(), InactiveReason::uneven)
    << "but a second one would exceed reference_tolerance";
  LawAtRest bursts(settings);
  for (int k = 1; k <= 50; ++k) {
    bursts.law.update(reference(0.06 * k, 1.0), feedback(torque_of(0, 0, 0)), 60.0);
    for (int burst = 0; burst < 59; ++burst) {
      bursts.law.update(reference(0.06 * k, 1.0), feedback(torque_of(0, 0, 0)), 0.0);
    }
  }
  EXPECT_EQ(bursts.law.inactive_reason(), InactiveReason::none)
    << "while pauses followed by the delayed cycles cancel out";
}

TEST(ControlLaw, RaisesThresholdsAfterUnevenCycles)
{
  for (const double cycles : {1.0, 0.5, 1.5}) {
    auto settings = law_settings(0);
    settings.collision.reversal_boost = one(10.0);
    settings.collision.low_speed = zero;
    settings.collision.boost_time = 0.05;
    LawAtRest robot(settings);
    for (int k = 0; k < 200; ++k) {
      robot.law.update(reference(1e-3 * k, 1.0), feedback(torque_of(1e-3 * k, 1.0, 0.0)));
    }
    for (int k = 200; k < 280; ++k) {
      robot.law.update(
        reference(1e-3 * k, 1.0), feedback(torque_of(1e-3 * k, 1.0, 0.0) + 9.0),
        k == 200 ? cycles : 1.0);
      if (k == 239) {
        EXPECT_EQ(robot.law.latched(), cycles == 1.0)
          << "thresholds are raised for a while after a cycle of " << cycles;
      }
    }
    EXPECT_TRUE(robot.law.latched()) << "for boost_time only";
  }
}

TEST(ControlLaw, IgnoresTorqueErrorsBeforeTheModelTorqueIsAvailable)
{
  auto settings = law_settings(3);
  settings.collision.debounce_time = 0.0;
  auto model = pendulum_model();
  for (const bool collides : {false, true}) {
    ControlLaw law(1, settings);
    law.start(zero);
    law.use(&model);
    for (int k = 0; k < 20; ++k) {
      law.update(reference(0.0), feedback(torque_of(0, 0, 0) + (collides && k == 10 ? 9.0 : 0.0)));
    }
    EXPECT_EQ(law.latched(), collides) << "a single cycle may be a collision from then on";
  }
}

TEST(ControlLaw, MomentumMethodFindsAPush)
{
  for (const double push : {0.0, 9.0}) {
    auto settings = law_settings(3);
    settings.method = dynid::DetectionMethod::momentum;
    settings.observer_gain = 50.0;
    LawAtRest robot(settings);
    robot.rest(500);
    for (int k = 0; k < 200; ++k) {  // it is held in place against the push
      robot.law.update(reference(0.0), feedback(torque_of(0, 0, 0) - push));
    }
    EXPECT_EQ(robot.law.latched(), push > 0.0);
    EXPECT_NEAR(robot.law.torque_error()[0], push, 0.01 * push + 1e-9) << "with its true size";
  }
}

TEST(ControlLaw, RefusesRatesBeyondTheirRange)
{
  const auto refusal = [](double rate) {
    auto settings = law_settings();
    settings.feedforward.control_rate = settings.collision.control_rate = rate;
    settings.observer_gain = 0.5;
    return refusal_of([&] { ControlLaw(1, settings); });
  };
  EXPECT_EQ(refusal(1.0), "") << "both ends of a range belong to it";
  EXPECT_EQ(refusal(1e6), "");
  for (const double rate : {0.0, -1000.0, 5e-324, 0.001, 0.999, 1.001e6, 1e9, infinity, nan}) {
    EXPECT_NE(refusal(rate).find(" Hz, but must be from 1 Hz to 1 MHz."), std::string::npos);
  }
}

TEST(ControlLaw, CommandsAreWithinLimitsForAnyInput)
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<int> dice(0, 30);
  const auto any = [&](double usual) {
    switch (dice(random)) {
      case 0:
        return nan;
      case 1:
        return infinity;
      case 2:
        return -1e308;
      case 3:
        return 1e5;
      default:
        return usual * uniform(random);
    }
  };
  auto settings = law_settings(3);
  settings.method = dynid::DetectionMethod::momentum;
  settings.reference_tolerance = one(1.0);
  settings.deceleration = one(10000.0);
  LawAtRest robot(settings);
  auto other = pendulum_model();
  bool good = true;
  int collisions = 0;
  Reference wanted = reference(0.0);
  Feedback measured = feedback(0.0);
  expect_no_allocation("the control law with any input", [&] {
    for (int k = 0; k < 100000; ++k) {
      wanted.position[0] = any(0.02);
      wanted.velocity[0] = any(2.0);
      wanted.acceleration[0] = any(20.0);
      measured.position[0] = any(0.02);
      measured.velocity[0] = any(2.0);
      measured.torque[0] = any(5.0);
      robot.law.update(wanted, measured, 1.0 + any(4.0));
      good = good && std::abs(robot.law.position_command()[0]) <= 2e5 &&
             std::abs(robot.law.torque_offset()[0]) <= 50.0;
      collisions += robot.law.reset().answer == ResetAnswer::done ? 1 : 0;
      if (k % 1000 == 0) {
        robot.law.use(k % 3000 == 0 ? nullptr : (k % 2000 == 0 ? &other : &robot.model));
        robot.law.set_payload({1.0, {0.1, 0.0, 0.0}, Eigen::Matrix3d::Identity()});
      }
    }
  });
  EXPECT_TRUE(good) << "commands of the drives are finite and within the limits";
  EXPECT_GT(collisions, 10) << "and the motion continued after collisions";
}

}  // namespace
