// Cost of a control cycle of dynid/FeedforwardController with six joints, against pinocchio's bare
// recursive Newton-Euler algorithm for the same robot in the same run.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sstream>

#include "../test/cpp/ros2_control/controller_under_test.hpp"
#include "dynid/control_law.hpp"

namespace
{

constexpr int cycles = 1'000'000;
constexpr Eigen::Index joint_count = 6;

using Clock = std::chrono::steady_clock;

std::vector<std::string> joint_names()
{
  std::vector<std::string> names;
  for (Eigen::Index i = 1; i <= joint_count; ++i) {
    names.push_back("joint_" + std::to_string(i));
  }
  return names;
}

/// The model of a robot with viscous and Coulomb friction, offsets and rotor inertias.
Parameters model_of(const std::string & urdf)
{
  dynid::MechanismDescription description;
  description.urdf_xml = urdf;
  description.joints = joint_names();
  Parameters parameters{
    {"model.format", 1},
    {"model.status", "success"},
    {"model.joints", description.joints},
    {"model.gravity", std::vector<double>{0.0, 0.0, -9.81}},
    {"model.urdf", urdf}};
  std::vector<std::string> kinds;
  std::vector<std::string> at;
  for (const char * kind : {"viscous", "coulomb", "offset", "rotor_inertia"}) {
    for (Eigen::Index i = 0; i < joint_count; ++i) {
      kinds.emplace_back(kind);
      at.push_back(description.joints[static_cast<std::size_t>(i)]);
      description.terms.push_back({&dynid::term_kind(kind), static_cast<int>(i)});
    }
  }
  const std::vector<double> none(kinds.size(), 0.0);
  std::vector<double> coupling(joint_count * joint_count, 0.0);
  for (std::size_t i = 0; i < joint_count; ++i) {
    coupling[i * joint_count + i] = 1.0;
  }
  Eigen::VectorXd values = dynid::Mechanism(description).urdf_parameters();
  values.tail(static_cast<Eigen::Index>(kinds.size())).setConstant(0.5);
  parameters.emplace_back("model.coupling", coupling);
  parameters.emplace_back("model.terms.kinds", kinds);
  parameters.emplace_back("model.terms.joints", at);
  parameters.emplace_back("model.terms.sides", std::vector<std::string>(kinds.size(), "joint"));
  parameters.emplace_back("model.terms.smoothing", none);
  parameters.emplace_back("model.terms.scale", none);
  parameters.emplace_back("model.terms.dead_band", none);
  parameters.emplace_back(
    "model.parameters", std::vector<double>(values.data(), values.data() + values.size()));
  parameters.emplace_back("torque_max", std::vector{500.0});
  parameters.emplace_back("collision.torque_error_max", std::vector{1e6});
  parameters.emplace_back("collision.velocity_factor", std::vector{1.0});
  return parameters;
}

/// Time of each call after its preparation [ns], sorted; the clock's own included.
template <typename Prepare, typename Function>
std::vector<double> times(Prepare && prepare, Function && function)
{
  std::vector<double> found(cycles);
  for (int k = 0; k < cycles; ++k) {
    prepare(k);
    const auto begin = Clock::now();
    function();
    found[static_cast<std::size_t>(k)] =
      std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  }
  std::sort(found.begin(), found.end());
  return found;
}

double quantile(const std::vector<double> & sorted, double share)
{
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void print(const char * what, const std::vector<double> & sorted, double clock, double reference)
{
  const double median = quantile(sorted, 0.5) - clock;
  std::cout << what << ": median " << median << " ns, 99 % " << quantile(sorted, 0.99) - clock
            << ", 99.9 % " << quantile(sorted, 0.999) - clock << ", 99.99 % "
            << quantile(sorted, 0.9999) - clock << ", max " << sorted.back() - clock;
  if (reference > 0.0) {
    std::cout << ", ratio of medians " << median / reference;
  }
  std::cout << "\n";
}

double position(int cycle) { return 0.3 * std::sin(1e-3 * cycle); }

}  // namespace

int main(int count, char ** arguments)
{
  if (count < 2) {
    std::cerr << "Give the path of a URDF with joint_1 to joint_6, such as urdf/puma560.urdf.\n";
    return 2;
  }
  rclcpp::init(1, arguments);
  std::ifstream file(arguments[1]);
  std::stringstream urdf;
  urdf << file.rdbuf();

  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(urdf.str(), model);
  pinocchio::Data data(model);
  Eigen::VectorXd q(joint_count);
  Eigen::VectorXd dq(joint_count);
  Eigen::VectorXd ddq(joint_count);
  const auto move = [&](int k) {
    q.setConstant(position(k));
    dq.setConstant(0.3 * std::cos(1e-3 * k));
    ddq.setConstant(-position(k));
  };

  ControllerUnderTest controller(joint_names(), model_of(urdf.str()));
  if (!controller.configure() || !controller.activate()) {
    return EXIT_FAILURE;
  }
  const auto refer = [&](int k) {
    move(k);
    for (std::size_t i = 0; i < joint_count; ++i) {
      controller.refer(i, q[0], dq[0], ddq[0]);
      controller.measure(i, q[0], dq[0], 1.0);
    }
  };
  double checksum = 0.0;
  const auto clock = times([](int) {}, [] {});
  const auto bare = times(move, [&] { checksum += pinocchio::rnea(model, data, q, dq, ddq)[0]; });
  const auto whole = times(refer, [&] { controller.update(); });
  checksum += controller.torque_offset();
  const double none = quantile(clock, 0.5);
  std::cout << cycles << " cycles, " << joint_count << " joints, without the clock's own " << none
            << " ns\n";
  print("pinocchio rnea", bare, none, 0.0);
  print("FeedforwardController::update", whole, none, quantile(bare, 0.5) - none);
  rclcpp::shutdown();
  return std::isfinite(checksum) && controller.torque_offset() != 0.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
