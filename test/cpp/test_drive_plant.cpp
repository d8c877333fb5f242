// The simulated robot obeys mechanics, and its drives behave as those on a real one do.

#include <Eigen/LU>
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "dynid/dry_friction.hpp"
#include "simulated_robots.hpp"

namespace
{

// --- friction and bodies ----------------------------------------------------------------------

void friction_fits_the_velocity_it_leads_to(double smoothing)
{
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
    for (const double size : {0.1, 10.0, 1.0}) {  // later steps begin with the torques before
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
  expect(
    worst < (smoothing > 0.0 ? 1e-4 : 1e-6),
    "friction fits the velocity it leads to, smoothed over " + std::to_string(smoothing));
}

/// The contact is stretched by as much as the surface moves in the step, at its velocity after it.
void contacts_fit_the_velocity_they_lead_to(const char * kind, double static_ratio)
{
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
    for (int i = 0; i < n; ++i) {
      expected[i].move(terms[i], 0.0, 0.0);
    }
    for (int k = 0; k < 10; ++k) {
      const VectorXd free = VectorXd::NullaryExpr(n, [&] { return 2.0 * normal(random); });
      friction.solve(free, mobility, torque, step, torque);
      const VectorXd after = free - mobility * torque;
      position += step * after;
      for (int i = 0; i < n; ++i) {
        const double share = expected[i].move(terms[i], position[i], before[i]);
        worst = std::max(worst, std::abs(torque[i] - level[i] * share));
        slid = std::max(slid, std::abs(share));
      }
      before = after;
    }
  }
  expect(worst < 1e-6, std::string(kind) + " friction fits the velocity it leads to");
  expect(slid > 0.9, std::string(kind) + " contacts slide in this test");
}

void work_becomes_energy()
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
  expect(worst < 1e-3 * largest, "the drives' work becomes the bodies' energy");
}

void a_load_below_friction_does_not_creep()
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
    expect((fastest == 0.0) == (coulomb > weight), "friction above the load holds it, truly still");
  }
}

void joints_and_motors_are_the_same_robot()
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
  expect(worst < 1e-6, "commanded at joints or at motors, it is the same robot");
  expect(at_joints.truth().position.norm() > 0.5, "and it moves");
}

// --- drives -----------------------------------------------------------------------------------

void delays_are_the_cycles_asked_for()
{
  for (const auto & [command, feedback] : {std::pair{0, 0}, {1, 2}, {3, 0}, {0, 5}}) {
    auto settings = plain(1);
    settings.command_delay = command;
    settings.feedback_delay = feedback;
    auto plant = pendulum(settings, 0.0, 0.0);
    plant.reset(zero);
    int cycle = 0;
    for (; cycle < 20 && plant.position()[0] == 0.0; ++cycle) {
      plant.step(one(1e-3), zero);
    }
    expect(
      cycle == command + feedback + 1, "a target shows after " + std::to_string(command) + " + " +
                                         std::to_string(feedback) + " cycles");
  }
}

void constant_velocity_is_followed_without_error()
{
  auto settings = plain(1);
  settings.command_delay = 0;
  settings.feedback_delay = 0;
  auto plant = pendulum(settings, 0.0, 0.0);
  for (int k = 1; k <= 3000; ++k) {
    plant.step(one(1e-3 * k), zero);
  }
  expect(
    std::abs(plant.position()[0] - 3.0) < 1e-9, "a target at constant speed is reached in time");
  expect(std::abs(plant.velocity()[0] - 1.0) < 1e-9, "velocity is that of the targets");
}

void the_integrator_carries_the_load()
{
  auto plant = pendulum(plain(1));
  plant.reset(zero);
  double furthest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    plant.step(zero, one(k > 200 ? 3.0 : 0.0));
    furthest = std::max(furthest, k < 200 ? std::abs(plant.position()[0]) : 0.0);
  }
  expect(furthest < 1e-12, "it rests from the first cycle on");
  expect(std::abs(plant.torque()[0] + weight) < 1e-6, "it is held with the torque of its weight");
  expect(std::abs(plant.position()[0]) < 1e-6, "and a torque offset is made up for");
}

void torque_is_limited_and_does_not_wind_up()
{
  auto settings = plain(1);
  settings.torque_max = one(5.0);
  auto plant = pendulum(settings, 10.0, 0.0);  // friction that the drive cannot overcome
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    plant.step(one(0.1), one(100.0));
    largest = std::max(largest, std::abs(plant.torque()[0]));
  }
  expect(largest == 5.0, "torque and its offset together stay within the limit");
  for (int k = 0; k < 10; ++k) {
    plant.step(zero, zero);
  }
  expect(std::abs(plant.torque()[0]) < 1.0, "the integrator has waited meanwhile");
}

void feedback_comes_in_whole_steps()
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
  expect(uneven < 1e-9, "torque is told in whole thousandths of the rated one, position in steps");
  expect(off < 0.5e-3 + 1e-12, "position is off by half a step at most");
  expect(repeats, "the same seed gives the same noise");
  expect(differs > 500, "another seed gives other noise");
}

}  // namespace

int main()
{
  friction_fits_the_velocity_it_leads_to(0.0);
  friction_fits_the_velocity_it_leads_to(0.3);
  contacts_fit_the_velocity_they_lead_to("presliding", 0.0);
  contacts_fit_the_velocity_they_lead_to("lugre", 0.4);
  work_becomes_energy();
  a_load_below_friction_does_not_creep();
  joints_and_motors_are_the_same_robot();
  delays_are_the_cycles_asked_for();
  constant_velocity_is_followed_without_error();
  the_integrator_carries_the_load();
  torque_is_limited_and_does_not_wind_up();
  feedback_comes_in_whole_steps();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
