// Models that are wrong are noticed without thresholds; those with a small error are not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "control_under_test.hpp"
#include "dynid/model_monitor.hpp"

namespace
{

using dynid::ModelMonitor;
using dynid::ModelMonitorSettings;

constexpr double period = 1e-3;
const VectorXd slowest = one(0.01);
const VectorXd unknown_error;

/// Time [s] until a drive whose torque is a sine of 10 N m is found, with an error of this share;
/// -1 where it is not within ten seconds.
double found_after(
  double share, double velocity, const VectorXd & rmse = unknown_error,
  const ModelMonitorSettings & settings = {}, double friction = 0.0)
{
  ModelMonitor monitor(1, settings);
  monitor.restart(rmse);
  for (int k = 1; k <= 10'000; ++k) {
    const VectorXd torque = one(10.0 * std::sin(0.05 * k));
    monitor.update(share * torque, torque, one(friction), one(velocity), slowest, period);
    if (monitor.drive() == 0) {
      return k * period;
    }
  }
  return -1.0;
}

TEST(ModelMonitor, FindsErrorsAboveAShareOfTheMeasuredTorque)
{
  EXPECT_NEAR(found_after(0.5, 0.5), 2.0, 0.01) << "after two seconds of motion";
  EXPECT_NEAR(found_after(-2.0, 0.5), 2.0, 0.01) << "in either direction";
  EXPECT_EQ(found_after(0.25, 0.5), -1.0);
}

TEST(ModelMonitor, LooksAtMotionOnly)
{
  EXPECT_EQ(found_after(0.5, 0.005), -1.0) << "at rest dry friction is not known";
  EXPECT_EQ(found_after(std::numeric_limits<double>::quiet_NaN(), 0.5), -1.0);
}

TEST(ModelMonitor, PermitsWhatTheModelsOwnErrorExplains)
{
  // an error of 5 sin has an r.m.s. of 3.5, which is 4 times 0.88
  EXPECT_EQ(found_after(0.5, 0.5, one(0.95)), -1.0);
  EXPECT_NEAR(found_after(0.5, 0.5, one(0.8)), 2.0, 0.01);
  EXPECT_NEAR(found_after(0.5, 0.5, one(std::numeric_limits<double>::quiet_NaN())), 2.0, 0.01)
    << "an unknown error explains nothing";
}

TEST(ModelMonitor, KnowsThatFrictionAndGravityMayCancelEachOther)
{
  EXPECT_EQ(found_after(0.5, 0.5, unknown_error, {}, 15.0), -1.0);
  EXPECT_NEAR(found_after(0.5, 0.5, unknown_error, {}, 10.0), 2.0, 0.01);
  ModelMonitor monitor(1, {});
  monitor.restart(unknown_error);
  for (int k = 0; k < 10'000; ++k) {
    const double torque = k < 5000 ? 10.0 : 1.0;
    monitor.update(one(1.0), one(torque), one(0.0), one(0.5), slowest, period);
  }
  EXPECT_EQ(monitor.drive(), -1) << "its torque was larger before";
}

TEST(ModelMonitor, CanBeSwitchedOff)
{
  ModelMonitorSettings settings;
  settings.model_check = false;
  EXPECT_EQ(found_after(2.0, 0.5, unknown_error, settings), -1.0);
}

TEST(ModelMonitor, RampsTheTorqueOfAWrongModelOut)
{
  auto model = pendulum_model();
  auto settings = law_settings();
  settings.collision.torque_error_enable.setZero();
  settings.feedforward.ramp_time = 0.5;
  settings.model_monitor.model_check = true;
  ControlLaw law(1, settings);
  law.use(&model);
  law.start(zero);
  double now = 0.0;
  double largest_change = 0.0;
  double before = 0.0;
  for (int k = 0; k < 8000 && law.inactive_reason() != InactiveReason::model_wrong; ++k) {
    now += 0.5e-3;
    law.update(reference(now, 0.5), feedback(-torque_of(now, 0.5, 0.0), now, 0.5));
    before = law.torque_offset()[0];
  }
  EXPECT_EQ(law.inactive_reason(), InactiveReason::model_wrong);
  EXPECT_EQ(law.limited_drive(), 0);
  EXPECT_GT(std::abs(before), 1.0);
  for (int k = 0; k < 1000; ++k) {
    now += 0.5e-3;
    law.update(reference(now, 0.5), feedback(-torque_of(now, 0.5, 0.0), now, 0.5));
    largest_change = std::max(largest_change, std::abs(law.torque_offset()[0] - before));
    before = law.torque_offset()[0];
  }
  EXPECT_EQ(before, 0.0);
  EXPECT_LT(largest_change, 0.2) << "in ramp_time, not at once";
  EXPECT_FALSE(law.latched()) << "the robot goes on";
  law.use(&model);
  law.update(reference(now, 0.5), feedback(-torque_of(now, 0.5, 0.0), now, 0.5));
  EXPECT_NE(law.inactive_reason(), InactiveReason::model_wrong) << "another model begins again";
}

}  // namespace
