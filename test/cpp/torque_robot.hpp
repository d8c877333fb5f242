#pragma once

// A pendulum in torque mode under its control law, for tests of that.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "control_under_test.hpp"
#include "dynid/torque_law.hpp"

namespace
{

using dynid::DriveMode;
using dynid::GravityBy;
using dynid::TorqueLaw;
using dynid::TorqueLawSettings;

constexpr double rate_max = 2000.0;  // [N m/s]

/// Loops with a natural frequency of 20 rad/s at the pendulum.
inline TorqueLawSettings torque_settings()
{
  TorqueLawSettings settings;
  settings.law = law_settings(0);
  settings.law.feedforward.ramp_time = 0.1;
  settings.law.collision.torque_error_max = one(infinity);
  settings.law.deceleration = one(20.0);
  settings.law.limits.velocity_max = one(9.0);
  settings.law.limits.acceleration_max = one(100.0);
  settings.law.max_age = 0.02;
  settings.feedback_delay = 0.002;  // of the plant: one each of commands and feedback
  settings.stiffness = one(inertia * 400.0);
  settings.damping = one(inertia * 40.0);
  settings.integral_gain = zero;
  settings.integral_max = one(10.0);
  settings.torque_rate_max = one(rate_max);
  settings.position_error_max = one(infinity);
  settings.speed_max = one(infinity);
  settings.stop_damping = one(5.0);
  settings.stop_speed = one(0.02);
  settings.guiding_speed = one(0.5);
  settings.guiding_torque = one(5.0);
  settings.wall_distance = one(0.15);
  return settings;
}

/// The pendulum in torque mode under the law, at rest at 0 or elsewhere.
struct TorqueRobot
{
  /// `coulomb`: the true friction [N m], of which the model has 1.
  explicit TorqueRobot(
    const TorqueLawSettings & given = torque_settings(), double coulomb = 1.0, double q = 0.0)
  : TorqueRobot(given, drives(given), coulomb, q)
  {
  }

  TorqueRobot(
    const TorqueLawSettings & given, const DrivePlantSettings & drives, double coulomb, double q)
  : model(pendulum_model()), law(1, given), plant(pendulum(drives, coulomb))
  {
    law.use(&model);
    plant.reset(one(q));
    EXPECT_TRUE(law.start(one(q)).done());
  }

  static DrivePlantSettings drives(const TorqueLawSettings & given)
  {
    auto settings = plain(1);
    settings.mode =
      given.gravity == GravityBy::by_robot ? DriveMode::torque_and_gravity : DriveMode::torque;
    settings.torque_max = one(100.0);
    settings.feedback_delay = 0.001;
    return settings;
  }

  [[nodiscard]] Feedback measured() const
  {
    return {plant.position(), plant.velocity(), plant.torque()};
  }

  void step(const Reference & wanted, double cycles = 1.0) { step(wanted, measured(), cycles); }

  void step(const Reference & wanted, const Feedback & feedback, double cycles = 1.0)
  {
    law.update(wanted, feedback, cycles);
    plant.step(zero, law.torque_command());
  }

  /// Cycles of a sine in position of 0.4 rad at 1 Hz. The largest position error, to the command
  /// of the cycle before, which has just acted.
  double swing_for(int cycles)
  {
    double worst = 0.0;
    for (int k = 0; k < cycles; ++k, ++now) {
      const double due = law.law().position_command()[0];
      step(sine(now));
      worst = std::max(worst, std::abs(due - truth()));
    }
    return worst;
  }

  static Reference sine(int cycle)
  {
    const double w = 2.0 * 3.14159;
    const double t = 1e-3 * cycle;
    return reference(
      0.4 * (1.0 - std::cos(w * t)), 0.4 * w * std::sin(w * t), 0.4 * w * w * std::cos(w * t));
  }

  [[nodiscard]] double truth() const { return plant.truth().position[0]; }
  [[nodiscard]] double speed() const { return plant.truth().velocity[0]; }
  [[nodiscard]] double command() const { return law.torque_command()[0]; }

  ControlModel model;
  TorqueLaw law;
  DrivePlant plant;
  int now = 0;
};

}  // namespace
