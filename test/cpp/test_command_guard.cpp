// Position commands for any reference: limits, even steps, and stops on the path.

#include <gtest/gtest.h>

#include <tuple>

#include "control_under_test.hpp"
#include "refusals.hpp"

namespace
{

constexpr double dt = 1e-3;
constexpr double v_max = 2.0;
constexpr double a_max = 10.0;

// change of torque in a cycle: from one extreme acceleration to the other, by friction, by the ramp
constexpr double roughest_change = 2.0 * inertia * a_max + 0.01 + 1.1 * weight / 200;
// the same where a stop begins or ends, in two cycles
constexpr double roughest_stop = 0.5 * inertia * a_max + 0.1 + 1.1 * weight / 200;

ControlLawSettings limited_settings()
{
  auto settings = law_settings(0);
  settings.feedforward.ramp_time = 0.2;
  settings.limits.position_min = one(-1.5);
  settings.limits.position_max = one(1.5);
  settings.limits.velocity_max = one(v_max);
  settings.limits.acceleration_max = one(a_max);
  settings.collision.torque_error_max = one(infinity);
  return settings;
}

ControlLawSettings unlimited_settings()
{
  auto settings = limited_settings();
  settings.limits = {};
  return settings;
}

/// A control law, and extremes of its commands.
struct Watched
{
  explicit Watched(const ControlLawSettings & settings = limited_settings(), double start = 0.0)
  : model(pendulum_model()), law(1, settings), position(start)
  {
    law.use(&model);
    law.start(one(start));
  }

  void update(const Reference & given, double cycles = 1.0)
  {
    const double torque = law.torque_offset()[0];
    law.update(given, feedback(0.0), cycles);
    const double next = law.position_command()[0];
    fastest = std::max(fastest, std::abs(next - position));
    hardest = std::max(hardest, std::abs(next - position - step));
    roughest = std::max(roughest, std::abs(law.torque_offset()[0] - torque));
    finite = finite && std::isfinite(next) && std::isfinite(law.torque_offset()[0]);
    step = next - position;
    position = next;
  }

  /// Up to 1 rad/s within 0.2 s, and then on for some cycles.
  void set_off(int cycles)
  {
    for (int k = 1; k <= 200 + cycles; ++k) {
      const double t = dt * k;
      now = k <= 200 ? 0.5 * 5.0 * t * t : 0.1 + (t - 0.2);
      update(reference(now, k <= 200 ? 5.0 * t : 1.0, k < 200 ? 5.0 : 0.0));
    }
  }

  [[nodiscard]] bool kept() const
  {
    // the guard tolerates 10^-6 of a limit as rounding
    return finite && fastest <= v_max * dt * (1.0 + 1e-5) &&
           hardest <= a_max * dt * dt * (1.0 + 1e-3);
  }

  ControlModel model;
  ControlLaw law;
  double position;
  double now = 0.0;  // reference
  double step = 0.0;
  double fastest = 0.0;
  double hardest = 0.0;
  double roughest = 0.0;  // change of torque
  bool finite = true;
};

/// From rest at -1.5 to rest at 1.5, at the limits of acceleration, velocity and position.
double fastest_motion(double t)
{
  const double ramp = v_max / a_max;
  const double way = 3.0;
  const double cruise = way / v_max - ramp;
  const double end = 2.0 * ramp + cruise;
  if (t >= end) {
    return 1.5;
  }
  if (t < ramp) {
    return -1.5 + 0.5 * a_max * t * t;
  }
  if (t < ramp + cruise) {
    return -1.5 + v_max * (t - 0.5 * ramp);
  }
  return 1.5 - 0.5 * a_max * (end - t) * (end - t);
}

TEST(CommandGuard, PassesAMotionWithinTheLimitsUnchanged)
{
  for (const double ahead : {0.0, 0.3e-3, 0.77e-3}) {  // of the cycles
    Watched robot(limited_settings(), -1.5);
    bool same = true;
    for (int k = 0; k < 2000; ++k) {
      const double wanted = fastest_motion(k == 0 ? 0.0 : dt * k + ahead - dt);
      robot.update(reference(wanted, 0.0));
      same = same && robot.position == wanted;
    }
    EXPECT_TRUE(same) << "a motion at all limits passes unchanged to the last bit";
    EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::none);
    EXPECT_EQ(robot.position, 1.5);
  }
  Watched swinging;
  Watched bare(unlimited_settings());
  bool same = true;
  for (int k = 0; k < 20000; ++k) {
    const double t = dt * k;
    const double w = 5.0;  // reaches v_max, and a_max
    const auto given = reference(
      0.4 * (1.0 - std::cos(w * t)), 0.4 * w * std::sin(w * t), 0.4 * w * w * std::cos(w * t));
    swinging.update(given);
    bare.update(given);
    same = same && swinging.position == given.position[0] && swinging.position == bare.position &&
           swinging.law.torque_offset() == bare.law.torque_offset();
  }
  EXPECT_TRUE(same) << "so does a sine, with the torque that it has without limits";
}

TEST(CommandGuard, PassesAMotionAtTheLimitsFarFromZeroUnchanged)
{
  auto settings = limited_settings();
  settings.limits.position_min = one(-infinity);
  settings.limits.position_max = one(infinity);
  const double far = 1e6;  // where a difference of positions has few digits left
  Watched robot(settings, far - 1.5);
  bool same = true;
  for (int k = 0; k < 2000; ++k) {
    const double wanted = far + fastest_motion(dt * k);
    robot.update(reference(wanted, 0.0));
    same = same && robot.position == wanted;
  }
  EXPECT_TRUE(same);
}

TEST(CommandGuard, ALateCycleGoesOnAtTheReferencesVelocity)
{
  Watched robot(unlimited_settings());
  robot.set_off(0);
  const double before = robot.position;
  double velocity = 1.0;
  // three cycles late, while the reference brakes at 10 rad/s^2
  const double late = 3.0 * dt;
  const double next = robot.now + velocity * late - 5.0 * late * late;
  velocity -= 10.0 * late;
  robot.update(reference(next, velocity, -10.0), 3.0);
  const double skew = velocity * dt - (next - robot.now);
  const double catching_up = 0.03 * 0.03 * std::abs(skew);  // the first of 200 cycles of a ramp
  EXPECT_NEAR(robot.position - before, velocity * dt, 1.01 * catching_up);
  EXPECT_GT(std::abs((next - robot.now) / 3.0 - velocity * dt), 3.0 * catching_up)
    << "which is not the mean velocity";
}

class LateCycle : public testing::TestWithParam<double>
{
};

TEST_P(LateCycle, IsCaughtUpWithinTheLimits)
{
  const double late = GetParam();  // [cycles]
  Watched robot;
  Watched free(unlimited_settings());
  for (auto * each : {&robot, &free}) {
    each->set_off(300);
    each->roughest = 0.0;
    for (int k = 0; k < 800; ++k) {
      each->now += 1e-3 * (k == 0 ? late : 1.0);
      each->update(reference(each->now, 1.0), k == 0 ? late : 1.0);
    }
  }
  EXPECT_TRUE(robot.kept());
  // catching up is critically damped with 6 / 0.2 s
  const double catching_up = 1.05e-3 * late * 0.03 / std::exp(1.0);
  EXPECT_LT(free.fastest, 1e-3 + catching_up) << "the command does not jump even without limits";
  const bool stops = late > 101.0;  // 0.1 rad is reference_tolerance
  EXPECT_EQ(robot.law.inactive_reason() == InactiveReason::uneven, stops);
  EXPECT_EQ(robot.step == 0.0, stops);
  EXPECT_LT(robot.roughest, stops ? roughest_stop : roughest_change)
    << "additive torque is that of the motion";
  EXPECT_TRUE(stops || std::abs(robot.position - robot.now) < 2e-3) << "it follows again";
}

INSTANTIATE_TEST_SUITE_P(CommandGuard, LateCycle, testing::Values(60.0, 90.0, 150.0));

/// Largest lag in a motion at 1 rad/s with uneven cycles, for a reference with another velocity.
double furthest_behind(Watched & robot, double velocity, double jitter, int cycles = 2000)
{
  robot.set_off(100);
  double behind = 0.0;
  for (int k = 0; k < cycles; ++k) {
    const double c = 1.0 + (k % 2 == 0 ? jitter : -jitter);
    robot.now += dt * c;
    robot.update(reference(robot.now, velocity), c);
    behind = std::max(behind, std::abs(robot.position - robot.now));
  }
  return behind;
}

class WrongReferenceVelocity : public testing::TestWithParam<std::tuple<double, double>>
{
};

TEST_P(WrongReferenceVelocity, DoesNotMoveTheCommand)
{
  const auto [velocity, jitter] = GetParam();
  Watched robot(unlimited_settings());
  const double behind = furthest_behind(robot, velocity, jitter);
  EXPECT_TRUE(robot.finite);
  // a reference of uneven cycles is itself off by the cycle's share of a step
  EXPECT_LT(behind, 1.1e-3 * (jitter + 0.1));
  EXPECT_LT(robot.fastest, 1.06e-3);
}

INSTANTIATE_TEST_SUITE_P(
  CommandGuard, WrongReferenceVelocity,
  testing::Combine(
    testing::Values(0.0, 57.3, -1.0, 90.0, 1e308, infinity, nan),
    testing::Values(0.01, 0.03, 0.05, 0.5)));

TEST(CommandGuard, OneWrongReferenceVelocityDoesNotMoveTheCommand)
{
  Watched once(unlimited_settings());
  once.set_off(100);
  once.now += 1.05e-3;
  once.update(reference(once.now, 90.0), 1.05);
  EXPECT_NEAR(once.step, 1e-3, 1e-7) << "in a single late cycle";
  auto settings = unlimited_settings();
  settings.reference_tolerance = one(infinity);
  Watched any(settings);
  any.set_off(100);
  any.update(reference(any.now + 1.3e-3, infinity), 1.3);
  any.update(reference(any.now + 2.3e-3, 1.0));
  EXPECT_TRUE(any.finite) << "with an infinite one in an uneven cycle the command stays finite";
  EXPECT_NEAR(any.position, any.now, 3e-3);
}

TEST(CommandGuard, StopsInFrontOfAPositionLimit)
{
  Watched robot;
  robot.set_off(0);
  robot.roughest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    robot.now += dt;
    robot.update(reference(robot.now, 1.0));
  }
  EXPECT_TRUE(robot.kept()) << "a reference beyond a limit stops in front of it";
  EXPECT_LE(robot.position, 1.5);
  EXPECT_GT(robot.position, 1.4) << "at rest, and reports why";
  EXPECT_EQ(robot.step, 0.0);
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::position_limit);
  EXPECT_EQ(robot.law.limited_drive(), 0);
  EXPECT_EQ(robot.law.torque_offset()[0], 0.0) << "without additive torque, which was ramped out";
  EXPECT_LT(robot.roughest, roughest_stop);
  robot.update(reference(robot.position));
  for (int k = 0; k < 500; ++k) {
    robot.update(reference(1.45));
  }
  EXPECT_EQ(robot.position, 1.45) << "and follows a near reference within the limits";
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::none);
  EXPECT_TRUE(robot.kept());

  auto settings = limited_settings();
  settings.reference_tolerance = one(infinity);
  Watched follows(settings);
  follows.set_off(0);
  for (int k = 0; k < 2000; ++k) {
    follows.now += k < 1500 ? 2e-3 : -8e-3;
    follows.update(reference(follows.now, 1.0));
    if (k == 1499) {
      EXPECT_EQ(follows.position, 1.5) << "with an infinite tolerance it goes up to the limit";
    }
  }
  EXPECT_TRUE(follows.kept()) << "and back with the reference, within the velocity limit";
  EXPECT_EQ(follows.law.inactive_reason(), InactiveReason::none);
  EXPECT_LT(follows.position, 1.5);
}

TEST(CommandGuard, LetsARobotOutsideItsLimitsMoveBackOnly)
{
  Watched robot(limited_settings(), 2.0);
  for (int k = 0; k < 300; ++k) {
    robot.update(reference(2.0 + 1e-4 * k));
  }
  EXPECT_EQ(robot.position, 2.0) << "a robot outside its limits is not moved further out";
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::position_limit);
  double least = 2.0;
  bool further = false;  // while it was outside
  for (int k = 0; k < 3000; ++k) {
    robot.update(reference(std::max(1.0, 1.99 - 1e-3 * k)));
    further = further || (robot.position > 1.5 && robot.position > least);
    least = std::min(least, robot.position);
  }
  EXPECT_EQ(robot.position, 1.0) << "but back, within all other limits";
  EXPECT_FALSE(further);
  EXPECT_TRUE(robot.kept());
}

TEST(CommandGuard, StopsFollowingAReferenceThatIsTooFast)
{
  Watched robot;
  robot.set_off(0);
  for (int k = 0; k < 1000; ++k) {
    robot.now += 6e-3;
    robot.update(reference(std::min(robot.now, 1.4), 6.0));
  }
  EXPECT_TRUE(robot.kept())
    << "a reference that is three times too fast is not followed, with the reason";
  EXPECT_EQ(robot.step, 0.0);
  EXPECT_EQ(robot.law.inactive_reason(), InactiveReason::too_fast);

  Watched rough;
  rough.set_off(0);
  double behind = 0.0;
  for (int k = 0; k < 1500; ++k) {  // a spline may overshoot its limits for a while
    const double t = dt * k;
    rough.now = 0.1 + t + 0.01 * std::sin(40.0 * t) - 0.4 * t * std::exp(-100.0 * t);
    rough.update(reference(std::min(rough.now, 1.0 + 0.1), 1.0));
    behind = std::max(behind, std::abs(rough.position - std::min(rough.now, 1.1)));
  }
  EXPECT_TRUE(rough.kept()) << "one that is too fast at times is followed, and reached";
  EXPECT_LT(behind, 0.1);
  EXPECT_EQ(rough.law.inactive_reason(), InactiveReason::none);
  EXPECT_NEAR(rough.position, 1.1, 1e-9);

  Watched lost;
  lost.set_off(300);
  for (int k = 0; k < 300; ++k) {
    lost.update(reference(nan, nan, nan));
  }
  // v^2 / 2a further, at 1 rad/s
  EXPECT_TRUE(lost.kept()) << "without a reference the command comes to rest on its path";
  EXPECT_EQ(lost.step, 0.0);
  EXPECT_LT(std::abs(lost.position - lost.now - 0.05), 1e-3);
  Watched glitch;
  glitch.set_off(300);
  for (int k = 0; k < 300; ++k) {
    glitch.now += dt;
    glitch.update(reference(k == 10 ? 1e300 : glitch.now, 1.0));
  }
  EXPECT_TRUE(glitch.kept()) << "one wrong reference only removes additive torque for a while";
  EXPECT_NEAR(glitch.position, glitch.now, 1e-9);
}

TEST(CommandGuard, ChecksStartAndSettings)
{
  Watched robot;
  robot.law.start(one(nan));
  EXPECT_EQ(robot.law.position_command()[0], 0.0)
    << "a start without a finite position is at the previous command";
  const auto refused = [](const std::function<void(ControlLawSettings &)> & change) {
    auto settings = limited_settings();
    change(settings);
    return refusal_of([&] { ControlLaw(1, settings); });
  };
  EXPECT_EQ(
    refused([](auto & s) { s.limits.position_min = one(2.0); }),
    "The setting position_min is 2, but must be below position_max, which is 1.5.")
    << "limits must be in order";
  EXPECT_EQ(
    refused([](auto & s) { s.limits.velocity_max = zero; }),
    "The setting velocity_max is 0, but must be above 0.")
    << "and permit motion";
  EXPECT_EQ(
    refused([](auto & s) { s.max_age = 0.0; }),
    "The setting max_age is 0, but must be above 0, and at most 10.")
    << "max_age must be above 0";
}

}  // namespace
