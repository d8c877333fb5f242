// The simulated robot follows mechanics, and its drives behave as real ones do.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "dynid/dry_friction.hpp"
#include "planar_arm.hpp"
#include "simulated_robots.hpp"

namespace
{

// --- friction and bodies ----------------------------------------------------------------------

class SmoothedFriction : public testing::TestWithParam<double>
{
};

TEST_P(SmoothedFriction, FitsTheVelocityItLeadsTo)
{
  const double smoothing = GetParam();
  constexpr int n = 5;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<dynid::JointTerm> terms;
  for (int joint = 0; joint < n; ++joint) {
    terms.push_back({&dynid::term_kind("coulomb"), joint, dynid::TermSide::joint, smoothing});
  }
  double worst = 0.0;
  for (int trial = 0; trial < 300; ++trial) {
    const VectorXd level = VectorXd::NullaryExpr(n, [&] { return 0.1 + std::abs(normal(random)); });
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    const Eigen::MatrixXd mobility =
      root * root.transpose() / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
    dynid::DryFriction friction(
      terms, level, Eigen::MatrixXd::Identity(n, n), {VectorXd::Zero(n), VectorXd::Ones(n)});
    VectorXd torque(n);
    for (const double size : {0.1, 10.0, 1.0}) {  // later steps start from the previous torques
      const VectorXd free = VectorXd::NullaryExpr(n, [&] { return size * normal(random); });
      friction.solve(free, mobility, torque, 1e-3, torque);
      const VectorXd after = free - mobility * torque;
      for (int i = 0; i < n; ++i) {
        const double sign = after[i] > 0.0 ? 1.0 : -1.0;
        const double rule = smoothing > 0.0 ? torque[i] - level[i] * std::tanh(after[i] / smoothing)
                            : std::abs(after[i]) > 1e-6
                              ? torque[i] - level[i] * sign
                              : std::max(std::abs(torque[i]) - level[i], 0.0);
        worst = std::max(worst, std::abs(rule));
      }
    }
  }
  // the solver's tolerance of 1e-9, through a steep tanh
  EXPECT_LT(worst, smoothing > 0.0 ? 1e-4 : 1e-6);
}

INSTANTIATE_TEST_SUITE_P(DrivePlant, SmoothedFriction, testing::Values(0.0, 0.3));

TEST(DrivePlant, BodiesMoveByTheTorqueOfTheDrives)
{
  dynid::MechanismDescription description = planar_arm();
  const VectorXd parameters = dynid::Mechanism(description).urdf_parameters();
  DrivePlant plant(description, parameters, plain(2));
  Eigen::Vector2d worst = Eigen::Vector2d::Zero();
  double fastest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const Eigen::Vector2d target(swing(k), -0.5 * swing(2 * k));
    plant.step(target, VectorXd::Zero(2));
    const auto & truth = plant.truth();
    const Eigen::Vector2d needed =
      planar_torque(truth.position, truth.velocity, truth.acceleration);
    worst = worst.cwiseMax((needed - truth.torque).cwiseAbs());
    fastest = std::max(fastest, truth.velocity.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(fastest, 1.0);
  // the step is taken in the middle of an interval, the state is that of its end
  EXPECT_LT(worst.maxCoeff(), 0.05);
}

class Contacts : public testing::TestWithParam<std::pair<const char *, double>>
{
};

/// The contact's deflection changes by the motion of the surface in the step, at its final
/// velocity.
TEST_P(Contacts, FitTheVelocityTheyLeadTo)
{
  const auto [kind, static_ratio] = GetParam();
  constexpr int n = 3;
  constexpr double step = 1e-3;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::vector<dynid::JointTerm> terms;
  for (int joint = 0; joint < n; ++joint) {
    terms.push_back(
      {&dynid::term_kind(kind), joint, dynid::TermSide::joint, 0.0, 2e-3, 0.0, static_ratio,
       static_ratio > 0.0 ? 0.5 : 0.0});
  }
  double worst = 0.0;
  double slid = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    const VectorXd level = VectorXd::NullaryExpr(n, [&] { return 0.1 + std::abs(normal(random)); });
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    const Eigen::MatrixXd mobility =
      root * root.transpose() / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
    dynid::DryFriction friction(
      terms, level, Eigen::MatrixXd::Identity(n, n), {VectorXd::Zero(n), VectorXd::Ones(n)});
    std::vector<dynid::Presliding> expected(n);
    VectorXd position = VectorXd::Zero(n);
    VectorXd before = VectorXd::Zero(n);
    VectorXd torque(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i].move(terms[i], 0.0, 0.0);
    }
    for (int k = 0; k < 10; ++k) {
      const VectorXd free = VectorXd::NullaryExpr(n, [&] { return 2.0 * normal(random); });
      friction.solve(free, mobility, torque, step, torque);
      const VectorXd after = free - mobility * torque;
      position += step * after;
      for (int i = 0; i < n; ++i) {
        const auto term = static_cast<std::size_t>(i);
        const double share = expected[term].move(terms[term], position[i], before[i]);
        worst = std::max(worst, std::abs(torque[i] - level[i] * share));
        slid = std::max(slid, std::abs(share));
      }
      before = after;
    }
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_GT(slid, 0.9) << "contacts slide in this test";
}

INSTANTIATE_TEST_SUITE_P(
  DrivePlant, Contacts,
  testing::Values(std::make_pair("presliding", 0.0), std::make_pair("lugre", 0.4)),
  [](const auto & test) { return std::string(test.param.first); });

TEST(DrivePlant, WorkBecomesEnergy)
{
  auto plant = pendulum(plain(1));
  plant.reset(zero);
  const auto energy = [&] {
    const double v = plant.truth().velocity[0];
    return inertia / 2 * v * v - weight * std::sin(plant.truth().position[0]);
  };
  const double before = energy();
  double work = 0.0;
  double largest = 0.0;
  double worst = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const double from = plant.truth().position[0];
    plant.step(one(swing(k)), zero);
    work += plant.truth().torque[0] * (plant.truth().position[0] - from);
    largest = std::max(largest, std::abs(energy() - before));
    worst = std::max(worst, std::abs(energy() - before - work));
  }
  // the scheme's error, of the order of (step / time constant)^2
  EXPECT_LT(worst, 1e-3 * largest) << "the drives' work becomes the bodies' energy";
}

TEST(DrivePlant, ALoadBelowFrictionDoesNotCreep)
{
  auto settings = plain(1);
  settings.integral_time = one(infinity);
  settings.bandwidth_hz = one(1.0);
  for (const double coulomb : {12.0, 8.0}) {
    auto plant = pendulum(settings, coulomb);
    plant.reset(zero);
    double fastest = 0.0;
    for (int k = 0; k < 500; ++k) {
      plant.step(zero, zero);
      fastest = std::max(fastest, std::abs(plant.truth().velocity[0]));
    }
    EXPECT_EQ((fastest == 0.0), coulomb > weight)
      << "friction above the load holds it exactly at rest";
  }
}

TEST(DrivePlant, JointsAndMotorsAreTheSameRobot)
{
  auto settings = plain(2);
  settings.command_delay = 0;
  settings.feedback_delay = 0;
  auto at_joints = arm(settings);
  settings.motor_side = true;
  auto at_motors = arm(settings);
  const Eigen::Matrix2d coupling = (Eigen::Matrix2d() << 1.0, 0.0, -0.5, 1.0).finished();
  VectorXd target(2);
  VectorXd offset(2);
  double worst = 0.0;
  for (int k = 0; k < 500; ++k) {
    target << swing(k), -0.5 * swing(k);
    offset << std::sin(0.01 * k), 0.2;
    at_joints.step(target, offset);
    at_motors.step(coupling.inverse() * target, coupling.transpose() * offset);
    worst = std::max(
      {worst, (at_joints.position() - coupling * at_motors.position()).norm(),
       (coupling.transpose() * at_joints.torque() - at_motors.torque()).norm()});
  }
  EXPECT_LT(worst, 1e-6) << "commanded at joints or at motors, it is the same robot";
  EXPECT_GT(at_joints.truth().position.norm(), 0.5) << "and it moves";
}

// --- drives -----------------------------------------------------------------------------------

TEST(DrivePlant, DelaysAreThoseOfTheSettings)
{
  for (const auto & [command, feedback] : {std::pair{0, 0}, {1, 2}, {3, 0}, {0, 5}}) {
    auto settings = plain(1);
    settings.command_delay = 1e-3 * command;
    settings.feedback_delay = 1e-3 * feedback;
    auto plant = pendulum(settings, 0.0, 0.0);
    plant.reset(zero);
    int cycle = 0;
    for (; cycle < 20 && plant.position()[0] == 0.0; ++cycle) {
      plant.step(one(1e-3), zero);
    }
    EXPECT_EQ(cycle, command + feedback + 1)
      << "a target shows after " << command << " + " + feedback << " cycles";
  }
}

TEST(DrivePlant, ConstantVelocityIsFollowedWithoutError)
{
  auto settings = plain(1);
  settings.command_delay = 0;
  settings.feedback_delay = 0;
  auto plant = pendulum(settings, 0.0, 0.0);
  for (int k = 1; k <= 3000; ++k) {
    plant.step(one(1e-3 * k), zero);
  }
  EXPECT_NEAR(plant.position()[0], 3.0, 1e-9) << "a target at constant speed is reached in time";
  EXPECT_NEAR(plant.velocity()[0], 1.0, 1e-9) << "velocity is that of the targets";
}

TEST(DrivePlant, TheIntegratorCarriesTheLoad)
{
  auto plant = pendulum(plain(1));
  plant.reset(zero);
  double furthest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    plant.step(zero, one(k > 200 ? 3.0 : 0.0));
    furthest = std::max(furthest, k < 200 ? std::abs(plant.position()[0]) : 0.0);
  }
  EXPECT_LT(furthest, 1e-12) << "it rests from the first cycle on";
  EXPECT_LT(std::abs(plant.torque()[0] + weight), 1e-6)
    << "it is held with the torque of its weight";
  EXPECT_LT(std::abs(plant.position()[0]), 1e-6) << "and a torque offset is compensated";
}

TEST(DrivePlant, TorqueIsLimitedAndDoesNotWindUp)
{
  auto settings = plain(1);
  settings.torque_max = one(5.0);
  auto plant = pendulum(settings, 10.0, 0.0);  // friction that the drive cannot overcome
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    plant.step(one(0.1), one(100.0));
    largest = std::max(largest, std::abs(plant.torque()[0]));
  }
  EXPECT_EQ(largest, 5.0) << "torque and its offset together stay within the limit";
  for (int k = 0; k < 10; ++k) {
    plant.step(zero, zero);
  }
  EXPECT_LT(std::abs(plant.torque()[0]), 1.0) << "the integrator did not wind up";
}

TEST(DrivePlant, FeedbackComesInWholeSteps)
{
  auto settings = plain(1);
  settings.rated_torque = one(20.0);
  settings.torque_noise = one(0.1);
  settings.position_resolution = one(1e-3);
  settings.command_delay = 0;
  settings.feedback_delay = 0;
  auto plant = pendulum(settings);
  auto same = pendulum(settings);
  settings.seed = 1;
  auto other = pendulum(settings);
  double uneven = 0.0;
  double off = 0.0;
  bool repeats = true;
  int differs = 0;
  for (int k = 0; k < 1000; ++k) {
    plant.step(one(swing(k)), zero);
    same.step(one(swing(k)), zero);
    other.step(one(swing(k)), zero);
    const double permille = plant.torque()[0] / 20.0 * 1000.0;
    const double count = plant.position()[0] / 1e-3;
    uneven = std::max(
      {uneven, std::abs(permille - std::round(permille)), std::abs(count - std::round(count))});
    off = std::max(off, std::abs(plant.position()[0] - plant.truth().position[0]));
    repeats = repeats && plant.torque() == same.torque();
    differs += plant.torque() != other.torque() ? 1 : 0;
  }
  EXPECT_LT(uneven, 1e-9)
    << "torque feedback is in whole thousandths of the rated one, position in steps";
  EXPECT_LT(off, 0.5e-3 + 1e-12) << "position is off by half a step at most";
  EXPECT_TRUE(repeats) << "the same seed gives the same noise";
  EXPECT_GT(differs, 500) << "another seed gives other noise";
}

}  // namespace
