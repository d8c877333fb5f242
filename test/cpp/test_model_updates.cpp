// Updates of the model of a running control law: their checks, their fade and the fallback.

#include "dynid/model_updates.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocation_checks.hpp"
#include "control_under_test.hpp"
#include "dynid/model_update.hpp"
#include "planar_arm.hpp"
#include "refusals.hpp"

namespace
{

using dynid::FallbackCause;
using dynid::ModelUpdate;
using dynid::ModelUpdateCheck;
using dynid::ModelUpdateLimits;
using dynid::ModelUpdates;
using dynid::ModelUpdatesSettings;

constexpr double rate = 1000.0;
constexpr double ramp_time = 0.05;
constexpr double bound = 10.0;  // of the torque difference [N m]
constexpr int fore = 10;        // first parameter of the body that carries the payload
constexpr int friction = 20;    // first parameter of the terms
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

VectorXd two(double value) { return VectorXd::Constant(2, value); }

dynid::MechanismDescription arm()
{
  return planar_arm({joint_term("coulomb", 0), joint_term("coulomb", 1)});
}

/// With Coulomb friction of 2 N m at each joint.
VectorXd accepted_parameters()
{
  VectorXd parameters = dynid::Mechanism(arm()).urdf_parameters();
  parameters.tail(2).setConstant(2.0);
  return parameters;
}

ModelUpdateLimits limits()
{
  ModelUpdateLimits found;
  found.torque_difference = two(bound);
  found.workspace = {two(-3.0), two(3.0), two(2.0), two(5.0)};
  return found;
}

ModelUpdateCheck make_check(const ModelUpdateLimits & given = limits())
{
  return {arm(), accepted_parameters(), two(0.02), false, given};
}

/// The accepted parameters, known to 0.1 % of what is plausible.
ModelUpdate update_like_accepted()
{
  const auto mechanism = dynid::Mechanism(arm()).with_parameters(accepted_parameters());
  const VectorXd deviations = 1e-3 * dynid::plausible_deviations(mechanism, {});
  return {accepted_parameters(), deviations.cwiseAbs2().asDiagonal()};
}

/// That, with a mass [kg] at the end of the forearm.
ModelUpdate carrying(double mass)
{
  auto update = update_like_accepted();
  constexpr double x = 0.2;
  constexpr double moment = 1e-3;  // of inertia, per kg
  update.parameters[fore] += mass;
  update.parameters[fore + 1] += mass * x;
  update.parameters[fore + 4] += mass * moment;
  update.parameters[fore + 6] += mass * (moment + x * x);
  update.parameters[fore + 9] += mass * (moment + x * x);
  return update;
}

std::string refusal(const ModelUpdate & update, const ModelUpdateLimits & given = limits())
{
  auto check = make_check(given);
  return refusal_of([&] { std::ignore = check.checked(update); });
}

void expect_refusal(
  const ModelUpdate & update, const char * why, const ModelUpdateLimits & given = limits())
{
  const auto found = refusal(update, given);
  EXPECT_NE(found.find(why), std::string::npos) << '"' << found << '"';
}

TEST(ModelUpdateCheck, AcceptsPayloadAndFrictionThatArePlausible)
{
  EXPECT_EQ(refusal(update_like_accepted()), "");
  auto update = carrying(1.0);
  update.parameters[friction] *= 1.3;
  EXPECT_EQ(refusal(update), "");
}

TEST(ModelUpdateCheck, MakesAModelOfTheUpdatedParameters)
{
  const auto update = carrying(1.0);
  auto check = make_check();
  const auto model = check.checked(update);
  ControlModel expected(arm(), update.parameters, two(0.02), false);
  const VectorXd q = (VectorXd(2) << 0.3, -0.8).finished();
  VectorXd found(2);
  VectorXd wanted(2);
  model->torque(dynid::FeedforwardMode::full, q, two(0.5), two(1.0), found);
  expected.torque(dynid::FeedforwardMode::full, q, two(0.5), two(1.0), wanted);
  EXPECT_EQ(found, wanted);
}

TEST(ModelUpdateCheck, RefusesWhatIsNoPlausibleUpdate)
{
  struct Case
  {
    const char * why;
    std::function<void(VectorXd & parameters, Eigen::MatrixXd & covariance)> change;
  };
  const std::vector<Case> cases{
    {"22 parameters", [](auto & p, auto &) { p.conservativeResize(21); }},
    {"not a finite number", [](auto & p, auto &) { p[3] = not_a_number; }},
    {"not a finite number", [](auto &, auto & c) { c(2, 1) = not_a_number; }},
    {"positive semidefinite", [](auto &, auto & c) { c(friction, friction) = -1.0; }},
    {"symmetric", [](auto &, auto & c) { c(friction, friction + 1) = 1.0; }},
    {"pseudo-inertia", [](auto & p, auto &) { p[fore + 9] = -1e-3; }},
    {"cannot be below 0", [](auto & p, auto &) { p[friction] = -0.1; }},
    // a link that changes by 10 standard deviations of 1 %
    {"standard deviations; allowed are 3", [](auto & p, auto &) { p[0] *= 1.1; }},
    // values of the model itself, but uncertain
    {"uncertainty", [](auto &, auto & c) { c *= 1e8; }}};
  for (const auto & [why, change] : cases) {
    auto update = update_like_accepted();
    change(update.parameters, update.covariance);
    expect_refusal(update, why);
  }
}

TEST(ModelUpdateCheck, RefusesManySmallChangesThatAreTogetherImplausible)
{
  auto update = update_like_accepted();
  constexpr double mass = 4.9;  // as all below within 3 standard deviations
  constexpr double x = 0.17;    // and y and z, of its centre
  constexpr double moment = mass * 2.0 * x * x + 1e-3;
  constexpr double product = -mass * x * x;
  VectorXd body(10);
  body << mass, mass * x, mass * x, mass * x, moment, product, moment, product, product, moment;
  update.parameters.segment<10>(fore) += body;
  update.parameters.tail(2) *= 1.5;
  expect_refusal(update, "squared distance");
}

TEST(ModelUpdateCheck, RefusesALargerTorqueThanAllowed)
{
  auto given = limits();
  given.torque_difference = two(1.0);
  expect_refusal(carrying(1.0), "allowed are 1", given);
}

ModelUpdatesSettings updates_settings()
{
  ModelUpdatesSettings settings;
  settings.control_rate = rate;
  settings.ramp_time = ramp_time;
  settings.timeout = 1.0;
  settings.hold_time = 2.0;
  settings.residual_time = 0.2;
  settings.torque_error_delay = 0;
  settings.torque_difference = two(bound);
  settings.low_speed = two(0.05);
  return settings;
}

/// The arm under the control law with updates, as a controller runs them. The robot itself follows
/// exactly and has the torque of `real`.
struct UpdatedArm
{
  UpdatedArm() : real(arm(), accepted_parameters(), two(0.02), false), law(2, law_settings())
  {
    law.use(&accepted);
    updates.accept(&accepted);
    law.start(two(0.0));
  }

  static ControlLawSettings law_settings()
  {
    ControlLawSettings settings;
    settings.feedforward.additive_torque_delay = 0;
    settings.feedforward.ramp_time = ramp_time;
    settings.feedforward.torque_max = two(200.0);
    settings.feedforward.position_jump = two(0.1);
    settings.feedforward.acceleration_jump = two(1e4);
    auto & collision = settings.collision;
    collision.torque_error_enable = two(1.0);
    collision.torque_error_time_constant = two(0.0);
    collision.torque_error_max = two(40.0);
    collision.torque_threshold = two(infinity);
    collision.acceleration_step = two(infinity);
    for (auto * vector :
         {&collision.velocity_factor, &collision.acceleration_factor, &collision.reversal_boost,
          &collision.low_speed}) {
      *vector = two(0.0);
    }
    settings.deceleration = two(10.0);
    settings.reference_tolerance = two(0.1);
    settings.max_age = 10.0;
    return settings;
  }

  void step(double cycles = 1.0)
  {
    const double t = static_cast<double>(++cycle) / rate;
    const double w = speed / amplitude;
    motion = {
      two(amplitude * std::sin(w * t)), two(speed * std::cos(w * t)),
      two(-speed * w * std::sin(w * t))};
    VectorXd torque(2);
    real.torque(
      dynid::FeedforwardMode::full, motion.position, motion.velocity, motion.acceleration, torque);
    torque += disturbance;
    law.update(motion, {motion.position, motion.velocity, torque}, cycles);
    updates.update(law.commanded_motion(), torque, dynid::has_alarm(law), cycles);
    if (updates.chosen() != used) {
      used = updates.chosen();
      law.use(used);
    }
  }

  void run(int count)
  {
    for (int k = 0; k < count; ++k) {
      step();
    }
  }

  void give(ControlModel & model)
  {
    updates.heard();
    updates.take(&model);
  }

  double speed = 0.5;
  double amplitude = 0.4;
  VectorXd disturbance = two(0.0);
  int cycle = 0;
  ControlModel accepted{arm(), accepted_parameters(), two(0.02), false};
  ControlModel real;
  ControlLaw law;
  ModelUpdates updates{2, updates_settings()};
  ControlModel * used = &accepted;
  Reference motion;
};

/// Of an arm that carries 1 kg.
ControlModel payload_model() { return {arm(), carrying(1.0).parameters, two(0.02), false}; }

constexpr int settled = 60;  // cycles, above ramp_time

TEST(ModelUpdates, UsesAnUpdateAndFadesItIn)
{
  UpdatedArm robot;
  auto model = payload_model();
  robot.real = payload_model();
  robot.run(settled);
  robot.give(model);
  EXPECT_TRUE(robot.updates.report().updated);
  robot.run(settled);
  VectorXd expected(2);
  const auto & [q, dq, ddq] = robot.motion;
  model.torque(dynid::FeedforwardMode::full, q, dq, ddq, expected);
  EXPECT_TRUE(robot.law.torque_offset().isApprox(expected, 1e-12));
  robot.run(500);
  EXPECT_EQ(robot.updates.report().fallbacks, 0U);
}

TEST(ModelUpdates, TakesNoUpdateWhileAFadeIsUnderWay)
{
  UpdatedArm robot;
  auto first = payload_model();
  auto second = payload_model();
  robot.run(settled);
  robot.give(first);
  robot.run(10);
  EXPECT_FALSE(robot.updates.ready());
  robot.give(second);
  EXPECT_EQ(robot.updates.chosen(), &first);
}

TEST(ModelUpdates, FallsBackWithoutInputInTheTimeOfTheCycles)
{
  UpdatedArm robot;
  auto model = payload_model();
  robot.real = payload_model();
  robot.run(settled);
  robot.give(model);
  robot.run(999);
  EXPECT_TRUE(robot.updates.report().updated);
  robot.run(2);
  EXPECT_EQ(robot.updates.report().cause, FallbackCause::lost_input);
  robot.run(settled);
  robot.give(model);  // a new one is used again
  for (int k = 0; k < 10; ++k) {
    robot.step(101.0);  // late cycles count with their time
  }
  EXPECT_FALSE(robot.updates.report().updated);
}

TEST(ModelUpdates, FallsBackWhereTheUpdatePredictsWorse)
{
  UpdatedArm robot;  // which carries nothing
  auto model = payload_model();
  robot.run(settled);
  robot.give(model);
  robot.run(400);
  const auto & report = robot.updates.report();
  EXPECT_EQ(report.cause, FallbackCause::residual);
  EXPECT_GT(report.value, report.limit);
  EXPECT_EQ(robot.updates.chosen(), &robot.accepted);
  EXPECT_FALSE(robot.updates.ready());  // held off
  robot.run(2000);
  EXPECT_TRUE(robot.updates.ready());
}

TEST(ModelUpdates, FallsBackAtAnAlarm)
{
  UpdatedArm robot;
  auto model = payload_model();
  robot.real = payload_model();
  robot.run(settled);
  robot.give(model);
  robot.run(settled);
  robot.disturbance = two(35.0);  // above the warning level
  robot.run(1);
  EXPECT_EQ(robot.updates.report().cause, FallbackCause::alarm);
  EXPECT_FALSE(robot.law.latched());
}

TEST(ModelUpdates, FallsBackWhereTheTorquesDifferTooMuch)
{
  UpdatedArm robot;
  auto model = payload_model();
  robot.real = payload_model();
  robot.run(settled);
  ControlModel heavy(arm(), carrying(5.0).parameters, two(0.02), false);
  robot.give(heavy);
  EXPECT_EQ(robot.updates.report().cause, FallbackCause::torque_difference);
  EXPECT_EQ(robot.updates.chosen(), &robot.accepted);
  robot.run(2000);
  robot.give(model);
  EXPECT_EQ(robot.updates.chosen(), &model);
  robot.amplitude = 0.002;  // accelerations of 125 rad/s^2, which the check does not cover
  robot.run(20);
  EXPECT_EQ(robot.updates.chosen(), &robot.accepted);
}

TEST(ModelUpdates, AnotherAcceptedModelEndsTheUpdate)
{
  UpdatedArm robot;
  auto model = payload_model();
  auto other = payload_model();
  robot.run(settled);
  robot.give(model);
  robot.updates.accept(&other);
  EXPECT_EQ(robot.updates.chosen(), &other);
  robot.updates.accept(nullptr);
  EXPECT_EQ(robot.updates.chosen(), nullptr);
  robot.updates.take(&model);
  EXPECT_EQ(robot.updates.chosen(), nullptr);
}

/// An update with random payload and friction, most of which pass the check and some not.
ModelUpdate random_update(std::mt19937 & random)
{
  std::uniform_real_distribution<double> mass(-0.2, 2.5);
  std::uniform_real_distribution<double> factor(0.3, 1.7);
  auto update = carrying(mass(random));
  update.parameters[friction] *= factor(random);
  update.parameters[friction + 1] *= factor(random);
  return update;
}

TEST(ModelUpdates, AMillionCyclesWithRandomUpdatesHaveNoStepAboveTheBound)
{
  UpdatedArm robot;
  robot.speed = 1e-4;  // so that torque changes by updates only
  robot.amplitude = 0.4;
  robot.disturbance = two(0.0);
  auto check = make_check();
  std::mt19937 random(1);
  std::unique_ptr<ControlModel> newest;
  std::unique_ptr<ControlModel> before;
  VectorXd last = two(0.0);
  double largest = 0.0;
  int refused = 0;
  constexpr int cycles = 1'000'000;
  for (int k = 0; k < cycles; ++k) {
    if (k % 997 == 500) {
      try {
        auto model = check.checked(random_update(random));
        robot.updates.heard();
        if (robot.updates.ready()) {
          before = std::move(newest);
          newest = std::move(model);
          robot.updates.take(newest.get());
        }
      } catch (const std::invalid_argument &) {
        ++refused;
      }
    } else if (k % 1009 == 0) {
      robot.updates.fall_back(FallbackCause::lost_input);
    }
    robot.step();
    const auto & offset = robot.law.torque_offset();
    ASSERT_TRUE(offset.allFinite());
    if (k > settled) {
      largest = std::max(largest, (offset - last).cwiseAbs().maxCoeff());
    }
    last = offset;
  }
  const auto & report = robot.updates.report();
  EXPECT_GT(report.taken, 300U);
  EXPECT_GT(report.fallbacks, 300U);
  EXPECT_GT(refused, 50);
  RecordProperty("largest_step", std::to_string(largest));
  RecordProperty("updates", std::to_string(report.taken));
  RecordProperty("fallbacks", std::to_string(report.fallbacks));
  RecordProperty("refused", refused);
  const double motion = 1e-5;  // of the slow motion itself, in a cycle [N m]
  EXPECT_LE(largest, 3.0 * bound / (ramp_time * rate) + motion);
  EXPECT_GT(largest, 0.02 * bound / (ramp_time * rate));  // updates did change the torque
}

TEST(ModelUpdates, TheCycleDoesNotAllocate)
{
  UpdatedArm robot;
  auto model = payload_model();
  robot.run(settled);
  VectorXd torque = two(1.0);
  auto & updates = robot.updates;
  expect_no_allocation("ModelUpdates", [&] {
    for (int k = 0; k < 1000; ++k) {
      updates.heard();
      if (updates.ready()) {
        updates.take(&model);
      }
      updates.update(robot.motion, torque, k % 100 == 0, 1.0);
      torque[0] = k % 7 == 0 ? not_a_number : 1.0;
    }
    updates.accept(&robot.accepted);
  });
}

TEST(ModelUpdates, RefusesSettingsOutOfRange)
{
  auto settings = updates_settings();
  settings.ramp_time = 0.0;
  EXPECT_THROW(ModelUpdates(2, settings), std::invalid_argument);
  settings = updates_settings();
  settings.torque_difference = one(1.0);
  EXPECT_THROW(ModelUpdates(2, settings), std::invalid_argument);
}

}  // namespace
