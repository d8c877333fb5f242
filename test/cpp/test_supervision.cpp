// A drive whose torque is not evaluated: how long, why, and what follows from it. The states of the
// control law, and cycles that come late or have no believable time.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "../../cpp/core/src/law_state.hpp"
#include "control_under_test.hpp"
#include "dynid/control_report.hpp"
#include "dynid/cycle_counter.hpp"
#include "dynid/drive_clock.hpp"

namespace
{

using dynid::BlindReason;
using dynid::DetectionMethod;
using dynid::LawEvent;
using dynid::LawState;

const dynid::JointNames joints{{"axis"}, {false}};

TEST(LawStates, ChangeAsInTheirTableOnly)
{
  using S = LawState;
  using E = LawEvent;
  const std::map<std::pair<S, E>, S> table{
    {{S::waiting, E::join}, S::following}, {{S::following, E::leave}, S::waiting},
    {{S::waiting, E::stop}, S::stopping},  {{S::following, E::stop}, S::stopping},
    {{S::stopping, E::rest}, S::stopped},  {{S::stopped, E::reset}, S::waiting}};
  for (const S state : {S::following, S::waiting, S::stopping, S::stopped}) {
    for (const E event : {E::join, E::leave, E::stop, E::rest, E::reset}) {
      const auto found = table.find({state, event});
      EXPECT_EQ(next_state(state, event), found == table.end() ? state : found->second);
    }
  }
}

TEST(Supervision, NoCycleIsTooLongToCount)
{
  dynid::Supervision supervision({}, zero);
  for (int k = 0; k < 2; ++k) {
    supervision.count(0, BlindReason::bad_sample, std::numeric_limits<double>::max());
  }
  EXPECT_EQ(supervision.stopped().drive, 0) << "infinite is only the time of what is off";
}

/// A law that moves at 0.5 rad/s, with feedback of that motion.
struct Moving
{
  explicit Moving(const ControlLawSettings & given)
  : model(pendulum_model()), settings(given), law(1, settings)
  {
    law.use(&model);
    law.start(zero);
    run(700);  // until the command has joined the reference
  }

  /// Runs cycles with a torque added to the measured one, until the law is stopped; returns their
  /// number, or -1 if it is not stopped.
  template <typename Spoil>
  int run(int cycles, double extra, const Spoil & spoil)
  {
    for (int k = 0; k < cycles; ++k) {
      now += 0.5e-3;
      auto given = reference(now, 0.5);
      auto measured = feedback(torque_of(now, 0.5, 0.0) + extra, now, 0.5);
      double passed = 1.0;
      spoil(k, given, measured, passed);
      law.update(given, measured, passed);
      if (law.latched()) {
        return k;
      }
    }
    return -1;
  }

  int run(int cycles, double extra = 0.0)
  {
    return run(cycles, extra, [](int, Reference &, Feedback &, double &) {});
  }

  ControlModel model;
  ControlLawSettings settings;
  ControlLaw law;
  double now = 0.0;
};

ControlLawSettings supervised_settings(DetectionMethod method = DetectionMethod::torque_error)
{
  auto settings = law_settings(0);
  settings.method = method;
  settings.feedforward.ramp_time = 0.5;
  settings.max_age = 0.05;
  settings.supervision.longest_blind_stop = 1.0;
  settings.collision.torque_error_time_constant = one(0.002);
  return settings;
}

TEST(Supervision, WalksThroughEveryState)
{
  Moving robot(supervised_settings());
  EXPECT_EQ(robot.law.state(), LawState::following);
  robot.law.update(reference(nan), feedback(torque_of(robot.now, 0.5, 0.0), robot.now, 0.5));
  EXPECT_EQ(robot.law.state(), LawState::waiting);
  robot.law.stop({CollisionCause::speed, 0, 1.0, 0.5, 0});
  EXPECT_EQ(robot.law.state(), LawState::stopping);
  const auto rest = [&] {
    const double q = robot.law.position_command()[0];
    robot.law.update(reference(q), feedback(torque_of(q, 0.0, 0.0), q, 0.0));
  };
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::moving);
  for (int k = 0; k < 200; ++k) {
    rest();
  }
  EXPECT_EQ(robot.law.state(), LawState::stopped);
  EXPECT_EQ(robot.law.reset().answer, ResetAnswer::done);
  EXPECT_EQ(robot.law.state(), LawState::waiting);
  rest();
  EXPECT_EQ(robot.law.state(), LawState::following);
}

class BadSamples : public testing::TestWithParam<std::tuple<DetectionMethod, int, int, bool>>
{
};

/// The arm of two drives at rest, where samples of a drive (0, 1, or 2: both) are missing now and
/// then, and the other one is pushed.
TEST_P(BadSamples, DoNotHideAPush)
{
  const auto [method, every, bad, slides] = GetParam();
  const Eigen::Index pushed = bad == 0 ? 1 : 0;
  dynid::MechanismDescription description;
  description.urdf_xml = arm_urdf;
  if (slides) {
    const std::string type = "\"continuous\">";
    description.urdf_xml.replace(
      description.urdf_xml.rfind(type), type.size(),
      R"("prismatic"><limit lower="-1" upper="1" velocity="1" effort="1"/>)");
  }
  description.joints = {"one", "two"};
  const VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  ControlModel model(description, parameters, VectorXd::Constant(2, 0.02), false);
  auto settings = supervised_settings(method);
  const auto pair = [](VectorXd & value) { value = VectorXd::Constant(2, value[0]); };
  auto & c = settings.collision;
  for (auto * value :
       {&settings.feedforward.torque_max, &settings.feedforward.position_jump,
        &settings.feedforward.acceleration_jump, &c.torque_error_enable,
        &c.torque_error_time_constant, &c.torque_error_max, &c.velocity_factor,
        &c.acceleration_factor, &c.reversal_boost, &c.low_speed, &c.acceleration_step,
        &c.torque_threshold, &settings.deceleration, &settings.reference_tolerance}) {
    pair(*value);
  }
  ControlLaw law(2, settings);
  law.use(&model);
  const VectorXd none = VectorXd::Zero(2);
  law.start(none);
  VectorXd torque(2);
  model.torque(dynid::FeedforwardMode::full, none, none, none, torque);
  const auto run = [&](int cycles, double push) {
    for (int k = 0; k < cycles; ++k) {
      Feedback measured{none, none, torque};
      measured.torque[pushed] += push;
      for (Eigen::Index i = 0; i < 2; ++i) {
        if (k % every == 0 && (bad == i || bad == 2)) {
          measured.position[i] = measured.velocity[i] = measured.torque[i] = nan;
        }
      }
      law.update({none, none, none}, measured);
      if (law.latched()) {
        return k;
      }
    }
    return -1;
  };
  EXPECT_LT(run(3000, 0.0), 0) << "nothing is wrong yet";
  const int found = run(1000, 20.0);
  EXPECT_GE(found, 0);
  EXPECT_LT(found, 50);
  EXPECT_EQ(law.detector().collision().drive, pushed);
}

INSTANTIATE_TEST_SUITE_P(
  All, BadSamples,
  testing::Combine(
    testing::Values(DetectionMethod::torque_error, DetectionMethod::momentum),
    testing::Values(2, 3, 5, 10, 20), testing::Values(0, 1, 2), testing::Bool()));

TEST(Supervision, ABadSampleWhileDetectionIsOffLeavesNothingBehind)
{
  for (const auto method : {DetectionMethod::torque_error, DetectionMethod::momentum}) {
    auto settings = supervised_settings(method);
    settings.collision.torque_error_enable = zero;
    Moving robot(settings);
    robot.run(3, 0.0, [](int k, Reference &, Feedback & measured, double &) {
      measured.torque[0] = k == 1 ? nan : measured.torque[0];
    });
    EXPECT_EQ(robot.law.supervision().blind_time()[0], infinity) << "it is off by the settings";
    EXPECT_LT(robot.run(3000), 0) << "which never stops the robot";
    settings.collision.torque_error_enable = one(1.0);
    robot.law.set_collision(settings.collision);
    EXPECT_LT(robot.run(300), 0);
    EXPECT_EQ(robot.law.supervision().blind_time()[0], 0.0);
    const int found = robot.run(200, 80.0);
    EXPECT_GE(found, 0);
    EXPECT_LT(found, 60);
  }
}

TEST(Supervision, StopsWhereSuspensionsFollowOneAnother)
{
  Moving robot(supervised_settings());
  bool warned = false;
  const int stopped = robot.run(5000, 0.0, [&](int k, Reference & given, Feedback &, double &) {
    given.acceleration[0] = k % 400 == 0 ? 2000.0 : 0.0;  // above acceleration_jump
    warned = warned || robot.law.supervision().warned().drive == 0;
  });
  EXPECT_TRUE(warned);
  EXPECT_GE(stopped, 1000) << "one suspension is expected";
  EXPECT_LT(stopped, 1600) << "longest_blind_stop and ramp_time";
  EXPECT_EQ(robot.law.detector().collision().cause, CollisionCause::blind);
  EXPECT_EQ(robot.law.detector().collision().reason, BlindReason::suspended);
  const auto message = describe(robot.law.detector().collision(), joints);
  EXPECT_NE(message.find("was not evaluated for"), std::string::npos) << message;

  Moving once(supervised_settings());
  const int single = once.run(5000, 0.0, [](int k, Reference & given, Feedback &, double &) {
    given.acceleration[0] = k == 0 ? 2000.0 : 0.0;
  });
  EXPECT_LT(single, 0) << "a single jump does not stop the robot";
  EXPECT_LT(once.run(400), 0);
  EXPECT_EQ(once.law.supervision().blind_time()[0], 0.0);
}

TEST(Supervision, StopsWhereTheMeasuredTorqueNeverChanged)
{
  auto settings = supervised_settings();
  settings.collision.torque_error_max = one(1000.0);
  for (const double constant : {0.0, 3.0}) {
    Moving robot(settings);
    robot.law.start(zero);
    robot.now = 0.0;
    const int stopped = robot.run(5000, 0.0, [&](int, Reference &, Feedback & measured, double &) {
      measured.torque[0] = constant;
    });
    EXPECT_GT(stopped, 900);
    EXPECT_LT(stopped, 1100) << "after longest_blind_stop of motion";
    EXPECT_EQ(robot.law.detector().collision().reason, BlindReason::constant_torque);
  }
}

class UnbelievableTime : public testing::TestWithParam<double>
{
};

TEST_P(UnbelievableTime, DoesNotKeepMissingFeedbackFromStoppingTheRobot)
{
  for (const double extrapolation : {0.0, 0.01}) {
    auto settings = supervised_settings();
    settings.extrapolation_time = extrapolation;
    Moving robot(settings);
    const int stopped =
      robot.run(5000, 0.0, [](int, Reference &, Feedback & measured, double & passed) {
        measured = feedback(nan, nan, nan);
        passed = GetParam();
      });
    EXPECT_GE(stopped, 0);
    EXPECT_LE(stopped, 110) << "twice max_age of 50 cycles, where every second cycle counts";
  }
}

INSTANTIATE_TEST_SUITE_P(
  All, UnbelievableTime, testing::Values(0.0, -1.0, nan, 1e-9, 1e-3, -infinity, 5e-324));

TEST(DriveClock, CountsTheCyclesOfItsDrives)
{
  dynid::DriveClock clock;
  EXPECT_EQ(clock.pass(1.0), 1);
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(clock.pass(k % 2 == 0 ? 1.4 : 0.6), 1) << "jitter below half a cycle is none";
  }
  EXPECT_EQ(clock.pass(14.0), 14);
  EXPECT_EQ(clock.pass(1.0), 1);
  EXPECT_EQ(clock.pass(1e-9), 0) << "twice in a cycle of the drives";
  EXPECT_EQ(clock.pass(1e-9), 1) << "but time passes";
}

TEST(CycleCounter, CountsFromWhereverACounterIs)
{
  dynid::CycleCounter counter;
  EXPECT_EQ(counter.read(700.0), std::nullopt) << "it began before";
  EXPECT_EQ(counter.read(701.0), 1);
  EXPECT_EQ(counter.read(701.0), 0) << "twice in a cycle of the drives";
  EXPECT_EQ(counter.read(715.0), 14);
  EXPECT_EQ(counter.read(nan), std::nullopt);
  EXPECT_EQ(counter.read(716.0), std::nullopt) << "since a value that is no number";
  EXPECT_EQ(counter.read(717.0), 1);
  EXPECT_EQ(counter.read(0.0), std::nullopt) << "after a restart of the drives";
  EXPECT_EQ(counter.read(2.0), 2);
  EXPECT_EQ(counter.read(infinity), std::nullopt);
}

TEST(LateCycles, TheCommandIsThatOfTheDrivesCycleWhateverTimePassed)
{
  auto settings = supervised_settings();
  settings.extrapolation_time = 0.02;
  Moving robot(settings);
  const double before = robot.law.position_command()[0];
  const auto update = [&](int drive_cycles) {
    const double q = robot.now += 0.5e-3;
    robot.law.update(
      reference(q, 0.5), feedback(torque_of(q, 0.5, 0.0), q, 0.5), 1.0, drive_cycles);
    return robot.law.position_command()[0] - before;
  };
  EXPECT_EQ(update(0), 0.0) << "the drives have not taken the last command yet";
  EXPECT_NEAR(update(2), 2.0 * 0.5e-3, 1e-9) << "and then ran two cycles";
  EXPECT_NEAR(update(1), 3.0 * 0.5e-3, 1e-9);
}

TEST(LateCycles, TheCommandContinuesWhereTheDrivesMovedOn)
{
  auto settings = supervised_settings();
  settings.extrapolation_time = 0.02;
  settings.feedforward.position_jump = one(0.1);
  settings.collision.torque_error_max = one(1000.0);  // catching up takes torque
  Moving robot(settings);
  const double before = robot.law.position_command()[0];
  const auto late = [&](double cycles) {
    robot.now += 0.5e-3 * (cycles - 1.0);
    robot.run(1, 0.0, [cycles](int, Reference &, Feedback &, double & passed) { passed = cycles; });
  };
  late(14.0);
  EXPECT_NEAR(robot.law.position_command()[0] - before, 14.0 * 0.5e-3, 1e-9)
    << "after 14 cycles it has moved by the distance of 14";
  EXPECT_TRUE(std::isnan(robot.law.torque_error()[0])) << "nothing was measured for 14 cycles";
  EXPECT_LT(robot.run(1), 0);
  EXPECT_LT(std::abs(robot.law.torque_error()[0]), 0.1) << "and the torque is what was expected";
  EXPECT_LT(robot.run(300), 0) << "nothing stops it";
  const double again = robot.law.position_command()[0];
  late(50.0);
  EXPECT_NEAR(robot.law.position_command()[0] - again, 21.0 * 0.5e-3, 1e-4)
    << "but no further than the drives did";
  EXPECT_LT(robot.run(1500), 0);
  EXPECT_NEAR(robot.law.position_command()[0], robot.now, 1e-4) << "the rest is made up for later";
}

TEST(LateCycles, DrivesThatHoldTheirTargetGetOneStepACycle)
{
  Moving robot(supervised_settings());
  const double before = robot.law.position_command()[0];
  robot.now += 0.5e-3 * 13.0;
  robot.run(1, 0.0, [](int, Reference &, Feedback &, double & passed) { passed = 14.0; });
  // which begins to make up for the rest, 6.5 mrad critically damped with 6 / 0.5 s
  EXPECT_NEAR(robot.law.position_command()[0] - before, 0.5e-3, 1.1 * 6.5e-3 * 144e-6);
}

}  // namespace
