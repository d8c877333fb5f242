// Torque against dry friction at rest.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "allocation_checks.hpp"
#include "torque_robot.hpp"

namespace
{

TorqueLawSettings helped(double gain, double dither = 0.0)
{
  auto settings = torque_settings();
  settings.damping *= 0.3;
  settings.law.stiction.stiction_gain = one(gain);
  settings.law.stiction.stiction_band = one(1e-3);
  settings.law.stiction.dither = one(dither);
  return settings;
}

/// A joint with this friction at rest, of which the model has 1 N m, and a fifth of it in motion.
struct StickingRobot : TorqueRobot
{
  StickingRobot(const TorqueLawSettings & settings, double at_rest)
  : TorqueRobot(settings, sticking(at_rest), 0.2 * at_rest, 0.0)
  {
  }

  static DrivePlantSettings sticking(double at_rest)
  {
    auto settings = drives(torque_settings());
    settings.stribeck_torque = one(0.8 * at_rest);
    settings.stribeck_velocity = one(0.05);
    return settings;
  }
};

/// A ramp at a speed [rad/s] after 0.2 s of rest, and its largest change of error in 0.3 s.
double stairs(const TorqueLawSettings & settings, double at_rest, double speed)
{
  StickingRobot robot(settings, at_rest);
  std::vector<double> errors;
  const int cycles = 200 + static_cast<int>(150.0 / speed);
  double most = 0.0;
  for (int k = 0; k < cycles; ++k) {
    const double moved = k < 200 ? 0.0 : 1e-3 * speed * (k - 200);
    robot.step(reference(moved, k < 200 ? 0.0 : speed));
    errors.push_back(moved - robot.truth());
    if (k > cycles / 2) {
      most = std::max(most, std::abs(errors.back() - errors[errors.size() - 300]));
    }
  }
  EXPECT_EQ(robot.law.phase(), dynid::TorquePhase::following);
  return most;
}

TEST(Stiction, StairsOfASlowMotionVanishAlsoWithWrongFriction)
{
  for (const double at_rest : {0.7, 1.0, 1.4}) {
    for (const double speed : {0.01, 0.02, 0.03}) {
      const double without = stairs(helped(0.0), at_rest, speed);
      EXPECT_LT(stairs(helped(1.0), at_rest, speed), 0.25 * without + 1e-4) << at_rest << speed;
    }
    EXPECT_GT(stairs(helped(0.0), at_rest, 0.03), 1e-3) << "there are some without it";
  }
}

/// The push of a law after each cycle, which gets a position and a measured velocity.
struct PushedLaw
{
  explicit PushedLaw(double gain, double dither = 0.0)
  : model(pendulum_model()), law(1, settings(gain, dither))
  {
    law.use(&model);
    law.start(zero);
    for (int k = 0; k < 5; ++k) {
      step(0.0, 0.0);  // one inertia takes two
    }
  }

  static ControlLawSettings settings(double gain, double dither)
  {
    auto given = law_settings(0);
    given.feedforward.ramp_time = 0.5;
    given.collision.torque_error_enable = zero;
    given.stiction.stiction_gain = one(gain);
    given.stiction.stiction_band = one(1e-3);
    given.stiction.dither = one(dither);
    return given;
  }

  double step(double speed, double measured)
  {
    at += 1e-3 * speed;
    law.update(reference(at, speed), {one(at), one(measured), one(0.0)});
    return law.stiction_torque()[0];
  }
  double steps(int count, double speed, double measured)
  {
    double last = 0.0;
    for (int k = 0; k < count; ++k) {
      last = step(speed, measured);
    }
    return last;
  }

  ControlModel model;
  ControlLaw law;
  double at = 0.0;
};

TEST(Stiction, PushBuildsUpOverTheBandReversesAndEndsAtRest)
{
  PushedLaw robot(0.8);
  const double speed = 5e-3;  // half of the smoothing velocity: the model has tanh(0.5) of 1 N m
  const double present = std::tanh(0.5);
  EXPECT_EQ(robot.steps(20, 0.0, 0.0), 0.0);
  EXPECT_LT(robot.steps(50, speed, 0.0), 0.2);
  EXPECT_NEAR(robot.steps(600, speed, 0.0), 0.8 - present, 0.01);
  EXPECT_GT(robot.step(-speed, 0.0), 0.7) << "it does not jump where the motion reverses";
  EXPECT_NEAR(robot.steps(1200, -speed, 0.0), -(0.8 - present), 0.01);
  EXPECT_LT(std::abs(robot.steps(250, 0.0, 0.0)), 0.5) << "it decays in ramp_time";
  EXPECT_EQ(robot.steps(400, 0.0, 0.0), 0.0);
}

TEST(Stiction, PushIsOnlyWhatTheModelsTorqueLacks)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  dynid::JointTerm contact{&dynid::term_kind("presliding"), 0, dynid::TermSide::joint};
  contact.scale = 1e-4;
  description.terms = {contact};
  VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  parameters[10] = 1.0;
  PushedLaw robot(1.0);
  ControlModel remembers(description, parameters, one(0.01), false);
  robot.law.use(&remembers);
  double most = 0.0;
  for (int k = 0; k < 600; ++k) {
    most = std::max(most, std::abs(robot.step(5e-3, 0.0)));
  }
  EXPECT_LT(most, 0.05) << "after 0.1 mm its torque has all friction already";
}

TEST(Stiction, PushIgnoresNoiseOfTheReferenceAtRest)
{
  PushedLaw robot(1.0);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(-2e-5, 2e-5);
  for (int k = 0; k < 5000; ++k) {
    const double wanted = noise(random);
    const double speed = 1e3 * (wanted - robot.at);
    EXPECT_LT(std::abs(robot.step(speed, 0.0)), 0.05);
  }
}

TEST(Stiction, PushFadesWithTheSpeedOfASlipAndNeverDrivesIt)
{
  PushedLaw robot(1.0);
  const double speed = 5e-3;
  const double present = std::tanh(0.5);
  robot.steps(800, speed, 0.0);
  EXPECT_NEAR(robot.step(speed, speed), 1.0 - present, 0.01);
  const double slip = robot.step(speed, 0.02);
  EXPECT_LT(slip, 0.9 - present);
  EXPECT_NEAR(robot.step(speed, 5.0), -present, 1e-6) << "then it takes the model's friction away";
  EXPECT_NEAR(robot.step(speed, -5.0), 1.0 - present, 0.01) << "no more than all";
  EXPECT_EQ(robot.step(speed, nan), 0.0);
}

TEST(Stiction, IsNothingWithoutASetting)
{
  TorqueRobot with(helped(0.0));
  auto settings = torque_settings();
  settings.damping *= 0.3;
  TorqueRobot without(settings);
  with.swing_for(500);
  without.swing_for(500);
  EXPECT_EQ(with.command(), without.command());
}

TEST(Stiction, DitherIsWithinFrictionAndItsAmplitude)
{
  PushedLaw robot(0.0, 1e-5);
  double most = 0.0;
  for (int k = 0; k < 1000; ++k) {
    most = std::max(most, std::abs(robot.step(4e-3, 0.0)));
  }
  const double rate = 2.0 * 3.14159265 * 60.0;
  EXPECT_LT(most, inertia * rate * rate * 1e-5);
  EXPECT_GT(most, 0.7 * inertia * rate * rate * 1e-5);
  PushedLaw large(0.0, 1.0);
  for (int k = 0; k < 1000; ++k) {
    EXPECT_LE(std::abs(large.step(4e-3, 0.0)), 1.0) << "the model's friction";
  }
}

/// Random moves with pauses. The way [rad] in pauses, from half a second after their begin on.
double way_at_rest(double at_rest, int cycles)
{
  const auto settings = helped(1.0, 1e-5);
  StickingRobot robot(settings, at_rest);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  double way = 0.0;
  double from = 0.0;
  int k = 0;
  while (k < cycles) {
    const double to = 0.2 * (share(random) - 0.5);
    const int moving = 50 + static_cast<int>(3000.0 * share(random));
    const int resting = 800 + static_cast<int>(2000.0 * share(random));
    for (int j = 0; j < moving + resting; ++j, ++k) {
      const double done = j < moving ? 0.5 * (1.0 - std::cos(3.14159265 * j / moving)) : 1.0;
      const double rate =
        j < moving ? 0.5 * 3.14159265 / moving * std::sin(3.14159265 * j / moving) : 0.0;
      robot.step(reference(from + done * (to - from), 1e3 * rate * (to - from)));
      way += j > moving + 700 ? 1e-3 * std::abs(robot.speed()) : 0.0;
    }
    from = to;
  }
  return way;
}

TEST(Stiction, HasNoLimitCycleWithWrongFriction)
{
  for (const double at_rest : {0.7, 1.0, 1.4}) {
    EXPECT_LT(way_at_rest(at_rest, 100'000), 1e-6) << at_rest;
  }
}

/// A position-controlled joint in a slow sine, and its r.m.s. error from the command [rad], after
/// half of it; then its way [rad] in the second half of a long rest.
std::pair<double, double> in_position_mode(double gain, double at_rest)
{
  auto settings = PushedLaw::settings(gain, 0.0);
  settings.feedforward.additive_torque_delay = 0.002;
  settings.feedforward.position_jump = one(infinity);
  ControlModel model = pendulum_model();
  ControlLaw law(1, settings);
  auto drives = StickingRobot::sticking(at_rest);
  drives.mode = DriveMode::position;
  auto plant = pendulum(drives, 0.2 * at_rest);
  law.use(&model);
  plant.reset(zero);
  law.start(zero);
  constexpr int moving = 20'000;
  double sum = 0.0;
  double way = 0.0;
  for (int k = 0; k < 2 * moving; ++k) {
    const double t = 1e-3 * std::min(k, moving);
    const double w = 2.0 * 3.14159265 / 5.0;  // it ends at rest
    const bool moves = k < moving;
    const double q = 0.02 * (1.0 - std::cos(w * t));
    law.update(
      reference(
        q, moves ? 0.02 * w * std::sin(w * t) : 0.0, moves ? 0.02 * w * w * std::cos(w * t) : 0.0),
      {plant.position(), plant.velocity(), plant.torque()});
    plant.step(law.position_command(), law.torque_offset());
    const double error = plant.truth().position[0] - q;
    sum += moves && k > moving / 2 ? error * error : 0.0;
    way += k > 3 * moving / 2 ? 1e-3 * std::abs(plant.truth().velocity[0]) : 0.0;
  }
  return {std::sqrt(sum / (moving / 2)), way};
}

TEST(Stiction, ReducesTheErrorOfPositionControlledDrivesWithoutHunting)
{
  for (const double at_rest : {0.7, 1.0, 1.4}) {
    const auto [without, hunting] = in_position_mode(0.0, at_rest);
    const auto [with, way] = in_position_mode(1.0, at_rest);
    EXPECT_LT(with, without) << at_rest;
    EXPECT_LE(way, hunting + 1e-6) << at_rest;
  }
}

TEST(Stiction, DoesNotAllocate)
{
  TorqueRobot robot(helped(1.0, 1e-5));
  robot.swing_for(10);
  const auto feedback = robot.measured();
  const auto wanted = TorqueRobot::sine(11);
  expect_no_allocation("a cycle", [&] { robot.law.update(wanted, feedback); });
}

}  // namespace
