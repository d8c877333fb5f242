// Faults of the feedback of a torque-controlled robot, each at each joint and at all, in motion and
// at rest: what they do to the robot before its own stop holds it.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "allocation_checks.hpp"
#include "dynid/control_report.hpp"
#include "dynid/drive_plant.hpp"
#include "dynid/torque_law.hpp"
#include "planar_arm.hpp"
#include "simulated_robots.hpp"

namespace
{

using dynid::CollisionCause;
using dynid::ControlModel;
using dynid::DriveMode;
using dynid::Feedback;
using dynid::Reference;
using dynid::TorqueLaw;
using dynid::TorqueLawSettings;
using dynid::TorquePhase;
using dynid::TorqueStartAnswer;
using Eigen::Vector2d;

constexpr double pi = 3.14159265358979323846;
constexpr double period = 1e-3;      // of control [s]
constexpr double fault_time = 1.25;  // [s], where the motion is fastest
constexpr double rest_time = 0.3;    // of a fault before the motion [s]
constexpr double delay = 0.05;       // of a delayed signal [s]
const Vector2d home(0.3, 0.8);       // [rad]
const Vector2d amplitude(0.3, 0.5);  // [rad]
const Vector2d speed_limit(3.0, 5.0);
const Vector2d torque_limit(80.0, 25.0);

VectorXd parameters(
  const dynid::MechanismDescription & description, double bodies = 1.0, double dry = 1.0)
{
  VectorXd values = dynid::Mechanism(description).urdf_parameters();
  values.head(20) *= bodies;
  values.tail(6) << 1.0, 0.5, 3.0 * dry, 1.0 * dry, 0.3, 0.1;  // viscous, Coulomb, rotor
  return values;
}

dynid::MechanismDescription description()
{
  return planar_arm(
    {joint_term("viscous", 0), joint_term("viscous", 1), joint_term("coulomb", 0),
     joint_term("coulomb", 1), joint_term("rotor_inertia", 0), joint_term("rotor_inertia", 1)});
}

TorqueLawSettings torque_settings()
{
  const VectorXd none = VectorXd::Zero(2);
  const VectorXd never = VectorXd::Constant(2, infinity);
  TorqueLawSettings settings;
  auto & law = settings.law;
  law.feedforward.additive_torque_delay = 0;
  law.feedforward.torque_max = torque_limit;
  law.feedforward.position_jump = VectorXd::Constant(2, 0.05);
  law.feedforward.acceleration_jump = never;
  law.collision.torque_error_enable = none;
  law.collision.torque_error_time_constant = none;
  law.collision.torque_error_max = never;
  law.collision.velocity_factor = none;
  law.collision.acceleration_factor = none;
  law.collision.reversal_boost = none;
  law.collision.low_speed = VectorXd::Constant(2, 0.05);
  law.collision.acceleration_step = never;
  law.collision.torque_threshold = never;
  law.deceleration = VectorXd::Constant(2, 20.0);
  law.reference_tolerance = VectorXd::Constant(2, 0.2);
  law.limits.velocity_max = speed_limit;
  law.limits.acceleration_max = VectorXd::Constant(2, 60.0);
  settings.feedback_delay = 2 * period;
  const Vector2d mass = planar_mass(home).diagonal() + Vector2d(0.3, 0.1);
  const double rate = 2.0 * pi * 3.0;
  settings.stiffness = rate * rate * mass;
  settings.damping = 2.0 * rate * mass;
  settings.integral_gain = none;
  settings.integral_max = none;
  settings.torque_rate_max = 20.0 * torque_limit;
  settings.position_error_max = VectorXd::Constant(2, 0.2);
  settings.speed_max = 1.2 * speed_limit;
  settings.stop_damping = settings.damping;
  settings.stop_speed = VectorXd::Constant(2, 0.02);
  settings.guiding_speed = VectorXd::Constant(2, 0.5);
  settings.guiding_torque = VectorXd::Constant(2, 5.0);
  settings.wall_distance = VectorXd::Constant(2, 0.15);
  return settings;
}

DrivePlantSettings drives()
{
  auto settings = plain(2);
  settings.mode = DriveMode::torque;
  settings.torque_max = torque_limit;
  settings.feedback_delay = period;
  settings.position_resolution = VectorXd::Constant(2, 1e-4);
  settings.torque_noise = 0.005 * torque_limit;
  settings.rated_torque = 0.5 * torque_limit;
  return settings;
}

/// Feedback at the fault, and 50 ms ago; and whether the law has noticed the fault.
struct Past
{
  Feedback fault;
  Feedback late;
  bool noticed = false;
};

/// What a fault makes of a drive's feedback.
struct FeedbackFault
{
  const char * name;
  std::function<void(Eigen::Index, Feedback &, const Past &)> spoil;
};

void PrintTo(const FeedbackFault & fault, std::ostream * stream) { *stream << fault.name; }

using Values = VectorXd Feedback::*;

/// A fault of one signal: its value becomes a function of the value now, and of the past.
std::function<void(Eigen::Index, Feedback &, const Past &)> of(
  Values signal, const std::function<double(double, double)> & spoilt)
{
  return [signal, spoilt](Eigen::Index i, Feedback & now, const Past & past) {
    (now.*signal)[i] = spoilt((now.*signal)[i], (past.fault.*signal)[i]);
  };
}

/// The same for several signals.
std::function<void(Eigen::Index, Feedback &, const Past &)> of_all(
  const std::vector<Values> & signals, const std::function<double(double, double)> & spoilt)
{
  return [signals, spoilt](Eigen::Index i, Feedback & now, const Past & past) {
    for (const auto & signal : signals) {
      of(signal, spoilt)(i, now, past);
    }
  };
}

double frozen(double, double then) { return then; }
double missing(double, double) { return nan; }

std::vector<FeedbackFault> feedback_faults()
{
  const Values q = &Feedback::position, dq = &Feedback::velocity, tau = &Feedback::torque;
  const auto random = std::make_shared<std::mt19937>(7);
  const auto noisy = [random](double now, double) {
    return now + std::normal_distribution<>(0.0, 1.0)(*random);
  };
  const auto late = [](Eigen::Index i, Feedback & now, const Past & past) {
    now.velocity[i] = past.late.velocity[i];
  };
  return {
    {"all frozen", of_all({q, dq, tau}, frozen)},
    {"encoder frozen", of_all({q, dq}, frozen)},
    {"encoder frozen, velocity 0",
     [q](Eigen::Index i, Feedback & now, const Past & past) {
       of(q, frozen)(i, now, past);
       now.velocity[i] = 0.0;
     }},
    {"position frozen", of(q, frozen)},
    {"velocity frozen", of(dq, frozen)},
    {"all missing", of_all({q, dq, tau}, missing)},
    {"position missing", of(q, missing)},
    {"velocity missing", of(dq, missing)},
    {"velocity inverted", of(dq, [](double now, double) { return -now; })},
    {"velocity halved", of(dq, [](double now, double) { return 0.5 * now; })},
    {"velocity doubled", of(dq, [](double now, double) { return 2.0 * now; })},
    {"velocity 0", of(dq, [](double, double) { return 0.0; })},
    {"velocity noisy", of(dq, noisy)},
    {"velocity delayed", late},
    {"position slipped", of(q, [](double now, double) { return now + 0.1; })},
    {"position wrapped", of(q, [](double now, double) { return now - 2.0 * pi; })},
    {"position and velocity inverted",
     [](Eigen::Index i, Feedback & now, const Past & past) {
       now.position[i] = 2.0 * past.fault.position[i] - now.position[i];
       now.velocity[i] = -now.velocity[i];
     }},
    {"torque frozen", of(tau, frozen)},
    {"torque wrong", of(tau, [](double now, double) { return -3.0 * now; })},
  };
}

/// The arm under the law with one fault of its feedback, until its own stop has held it.
class FaultyArm
{
public:
  explicit FaultyArm(
    double start, double dry = 1.0, const TorqueLawSettings & settings = torque_settings())
  : model_(description(), parameters(description(), 1.0, dry), smoothing(), false),
    law_(2, settings),
    plant_(description(), parameters(description(), 1.0, dry), drives()),
    fault_(start)
  {
    law_.use(&model_);
    plant_.reset(wanted(0.0).position);
    EXPECT_TRUE(law_.start(wanted(0.0).position).done());
  }

  /// In motion from the beginning, or only from the fault on.
  [[nodiscard]] Reference wanted(double time) const
  {
    const double w = 2.0 * pi;
    const double t = fault_ > 0.5 ? time : std::max(0.0, time - fault_);
    return {
      home + amplitude * (1.0 - std::cos(w * t)), amplitude * w * std::sin(w * t),
      amplitude * w * w * std::cos(w * t)};
  }

  /// Runs for a time after the fault, at the joints (0, 1, or 2: both).
  void run(const FeedbackFault & fault, int joints, double duration)
  {
    std::deque<Feedback> past;
    const int begin = static_cast<int>(fault_ / period);
    for (int k = 0; k < begin + static_cast<int>(duration / period); ++k) {
      Feedback now{plant_.position(), plant_.velocity(), plant_.torque()};
      past.push_back(now);
      if (past.size() > static_cast<std::size_t>(delay / period)) {
        past.pop_front();
      }
      const auto reference = wanted(period * k);
      if (k == begin) {
        at_ = now;
        expected = plant_.truth().velocity.cwiseAbs();
        peak = expected;
      }
      if (k >= begin) {
        for (Eigen::Index i = 0; i < 2; ++i) {
          if (joints == i || joints == 2) {
            fault.spoil(i, now, {at_, past.front(), detected >= 0.0});
          }
        }
      }
      cycle(k, begin, reference, now);
    }
  }

  /// Of each joint since the fault: the highest true speed; and the highest that its command or
  /// its motion at the fault had.
  VectorXd peak;
  VectorXd expected;
  VectorXd noticed;  ///< true speeds when the stop began
  std::vector<VectorXd> commands;
  double detected = -1.0;  ///< time from the fault to the stop [s]; -1: none
  [[nodiscard]] TorqueLaw & law() { return law_; }
  [[nodiscard]] double speed() const { return plant_.truth().velocity.cwiseAbs().maxCoeff(); }
  [[nodiscard]] std::string message() const
  {
    return dynid::describe(
      law_.law().detector().collision(), {{"shoulder", "elbow"}, {false, false}}, "a start");
  }

private:
  static VectorXd smoothing() { return VectorXd::Constant(2, 0.02); }

  void cycle(int k, int begin, const Reference & reference, const Feedback & now)
  {
    law_.update(reference, now);
    commands.push_back(law_.torque_command());
    if (law_.phase() != TorquePhase::following && detected < 0.0) {
      detected = period * (k - begin);
      noticed = plant_.truth().velocity.cwiseAbs();
    }
    if (law_.stopped()) {
      plant_.stop_control();
    }
    plant_.step(home, law_.torque_command());
    if (k >= begin) {
      peak = peak.cwiseMax(plant_.truth().velocity.cwiseAbs());
      if (detected < 0.0) {
        expected = expected.cwiseMax(reference.velocity.cwiseAbs());
      }
    }
  }

  ControlModel model_;
  TorqueLaw law_;
  DrivePlant plant_;
  double fault_;
  Feedback at_;
};

class FaultOfFeedback : public testing::TestWithParam<std::tuple<FeedbackFault, int, bool>>
{
};

/// A velocity that is wrong by half of the fastest motion accelerates by damping over inertia times
/// 0.95 rad/s, 36 rad/s^2, until it is noticed after 20 ms: by 0.7 rad/s, 24 % of the limit.
constexpr double noticed_late = 0.25;

TEST_P(FaultOfFeedback, DoesNotAccelerateTheRobotByMoreThanItsDetectionTakes)
{
  const auto & [fault, joints, moving] = GetParam();
  FaultyArm arm(moving ? fault_time : rest_time);
  arm.run(fault, joints, 2.5);
  // wrong in the same way, they contradict each other in nothing: only the stop is supervised
  const bool consistent = std::string(fault.name) == "position and velocity inverted";
  const VectorXd before = consistent ? arm.noticed : arm.expected;
  EXPECT_LT((arm.peak - before).cwiseQuotient(speed_limit).maxCoeff(), noticed_late)
    << arm.message();
  const bool harmless = std::string(fault.name).find("torque") == 0;
  EXPECT_EQ(arm.law().stopped(), !harmless);
  if (!harmless) {
    EXPECT_LT(arm.speed(), 1e-3) << "its own stop holds it";
  }
}

INSTANTIATE_TEST_SUITE_P(
  TorqueFaults, FaultOfFeedback,
  testing::Combine(
    testing::ValuesIn(feedback_faults()), testing::Values(0, 1, 2), testing::Bool()));

/// Faults that only the model can tell from a contact, at joints with three times the friction.
class FaultLikeContact : public testing::TestWithParam<std::tuple<std::string, int>>
{
};

TEST_P(FaultLikeContact, IsFoundAsSoonAsOthersWithThresholdsOfTorqueErrors)
{
  const auto & [name, joints] = GetParam();
  auto settings = torque_settings();
  auto & collision = settings.law.collision;
  collision.torque_error_enable.setOnes();
  collision.torque_error_time_constant.setConstant(0.01);
  collision.torque_error_max = 0.1 * torque_limit;
  FaultyArm arm(rest_time, 3.0, settings);
  for (const auto & fault : feedback_faults()) {
    if (fault.name == name) {
      arm.run(fault, joints, 2.5);
    }
  }
  EXPECT_LT((arm.peak - arm.expected).cwiseQuotient(speed_limit).maxCoeff(), noticed_late)
    << arm.message();
  EXPECT_GT(arm.detected, 0.0);
  EXPECT_EQ(arm.message().find("Collision at joint"), 0U) << arm.message();
}

INSTANTIATE_TEST_SUITE_P(
  TorqueFaults, FaultLikeContact,
  testing::Combine(
    testing::Values("encoder frozen", "position and velocity inverted"), testing::Values(0, 1, 2)));

/// The commands where the velocity of joint 0 is inverted, and something else once that is noticed.
std::vector<VectorXd> commands_with(double noticed)
{
  FaultyArm arm(fault_time);
  arm.run(
    {"",
     [noticed](Eigen::Index i, Feedback & now, const Past & past) {
       now.velocity[i] = past.noticed ? noticed : -now.velocity[i];
     }},
    0, 1.0);
  EXPECT_FALSE(arm.law().stop_failed()) << "differences of positions damp it";
  EXPECT_TRUE(arm.law().settled());
  return arm.commands;
}

TEST(TorqueFaults, CommandNoTorqueByASignalThatIsNotBelieved)
{
  const auto commands = commands_with(5.0);
  EXPECT_EQ(commands, commands_with(-3.0));
  EXPECT_EQ(commands, commands_with(nan));
}

TEST(TorqueFaults, AreDampedByWhatIsBelieved)
{
  const auto q = &Feedback::position;
  FaultyArm slipped(fault_time);
  slipped.run({"", of(q, [](double now, double) { return now + 0.1; })}, 2, 1.0);
  EXPECT_FALSE(slipped.law().stop_failed()) << "the velocities are believed";
  EXPECT_TRUE(slipped.law().settled());
  EXPECT_EQ(slipped.detected, 0.0);
  EXPECT_EQ(
    slipped.message().find(
      "The measured velocity of joint 'shoulder' contradicts its measured "
      "position by 0.1"),
    0U)
    << slipped.message();
}

/// The arm at rest under a law whose model has bodies of other masses, after a requested stop.
TEST(TorqueFaults, AStopThatMakesTheRobotFasterIsGivenUp)
{
  ControlModel model(
    description(), parameters(description(), 0.5), VectorXd::Constant(2, 0.02), false);
  TorqueLaw law(2, torque_settings());
  DrivePlant plant(description(), parameters(description()), drives());
  law.use(&model);
  plant.reset(home);
  ASSERT_TRUE(law.start(home).done());
  law.stop();
  int cycles = 0;
  for (; !law.stopped() && cycles < 500; ++cycles) {
    law.update(
      {home, Vector2d::Zero(), Vector2d::Zero()},
      {plant.position(), plant.velocity(), plant.torque()});
    plant.step(home, law.torque_command());
  }
  EXPECT_TRUE(law.stop_failed()) << "the robot falls";
  EXPECT_LT(cycles, 30);
  const auto & collision = law.law().detector().collision();
  EXPECT_EQ(collision.cause, CollisionCause::speed_grew);
  EXPECT_EQ(
    dynid::describe(collision, {{"shoulder", "elbow"}, {false, false}})
      .find("The robot became faster in a damped stop: joint '"),
    0U);
}

TEST(TorqueFaults, LostFramesAreNone)
{
  FaultyArm arm(fault_time);
  Feedback held;
  int cycle = 0;
  arm.run(
    {"",
     [&](Eigen::Index, Feedback & now, const Past &) {
       held = cycle / 2 % 30 < 10 && cycle >= 20 ? held : now;  // called for both joints
       now = held;
       ++cycle;
     }},
    2, 2.0);
  EXPECT_EQ(arm.law().phase(), TorquePhase::following) << arm.message();
}

TEST(TorqueFaults, DoNotAllocate)
{
  FaultyArm arm(fault_time);
  arm.run({"", [](Eigen::Index, Feedback &, const Past &) {}}, 2, 0.1);
  auto & law = arm.law();
  const auto reference = arm.wanted(1.35);
  Feedback wrong{home, 100.0 * Vector2d::Ones(), Vector2d::Zero()};
  expect_no_allocation("a contradiction and the stop", [&] {
    for (int k = 0; k < 100; ++k) {
      wrong.position[0] += 0.01;
      law.update(reference, wrong);
    }
  });
  EXPECT_TRUE(law.stop_failed());
  const VectorXd position = home;
  expect_no_allocation("a start", [&] { std::ignore = law.start(position); });
}

}  // namespace
