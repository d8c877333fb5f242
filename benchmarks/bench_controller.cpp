// Cost of a control cycle of dynid/FeedforwardController with six joints, against pinocchio's bare
// recursive Newton-Euler algorithm for the same robot in the same run: of all cycles, and of cycles
// that publish the state.
//
// Instructions of a cycle, which no load of the machine changes, are those of
//   valgrind --tool=callgrind --collect-atstart=no
//     --toggle-collect='dynid::LawController::update_and_write_commands*'
// divided by 2.1 times the cycles, because a twentieth of them publish, and all run by two clocks.

#include <chrono>
#include <cstdlib>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../test/cpp/ros2_control/controller_under_test.hpp"
#include "control_cycles.hpp"
#include "dynid/control_model.hpp"

namespace
{

using control_cycles::joint_count;

constexpr auto publication = std::chrono::microseconds(200);  // of a state by its thread
constexpr int publishing_share = 20;         // of the cycles, because each waits that long
constexpr double friction_smoothing = 0.02;  // [rad/s], of torques that are measured

/// The robot's model and the controller's limits, as parameters.
Parameters model_of(const std::string & urdf)
{
  const auto description = control_cycles::description(urdf);
  const auto values = control_cycles::parameters(description);
  Parameters parameters{
    {"model.format", 1},
    {"model.status", "success"},
    {"model.joints", description.joints},
    {"model.gravity", std::vector<double>{0.0, 0.0, -9.81}},
    {"model.urdf", urdf}};
  std::vector<std::string> kinds;
  std::vector<std::string> at;
  for (const auto & term : description.terms) {
    kinds.emplace_back(term.kind->name);
    at.push_back(description.joints[static_cast<std::size_t>(term.joint)]);
  }
  const std::vector<double> none(kinds.size(), 0.0);
  std::vector<double> coupling(joint_count * joint_count, 0.0);
  for (std::size_t i = 0; i < joint_count; ++i) {
    coupling[i * joint_count + i] = 1.0;
  }
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

/// Measures by one clock. `publishing`: each cycle publishes, after a pause for its thread; without
/// one the queue of states would be full, which costs less.
bool measure(clockid_t clock, int cycles, const std::string & urdf, bool publishing)
{
  auto parameters = model_of(urdf);
  if (publishing) {
    parameters.emplace_back("state_publish_rate", 1000.0);
  }
  ControllerUnderTest controller(control_cycles::joint_names(), parameters);
  if (!controller.configure() || !controller.activate()) {
    return false;
  }
  // torques that no supervision stops: those of the model that the controller has
  dynid::ControlModel robot(
    control_cycles::description(urdf),
    control_cycles::parameters(control_cycles::description(urdf)),
    Eigen::VectorXd::Constant(joint_count, friction_smoothing), false);
  control_cycles::Motion motion;
  Eigen::VectorXd torque = Eigen::VectorXd::Zero(joint_count);
  const auto prepare = [&](int k) {
    motion.move(k);
    robot.torque(dynid::FeedforwardMode::full, motion.q, motion.dq, motion.ddq, torque);
    for (std::size_t i = 0; i < joint_count; ++i) {
      controller.set_reference(i, motion.q[0], motion.dq[0], motion.ddq[0]);
      controller.measure(i, motion.q[0], motion.dq[0], torque[static_cast<Eigen::Index>(i)]);
    }
  };
  const auto pause = [publishing] {
    if (publishing) {
      std::this_thread::sleep_for(publication);
    }
  };
  const double checksum = control_cycles::compare(
    clock, publishing ? cycles / publishing_share : cycles, urdf,
    publishing ? "FeedforwardController::update, publishing" : "FeedforwardController::update",
    prepare, [&] { controller.update(); }, pause);
  if (!std::isfinite(checksum) || controller.torque_offset() == 0.0) {
    std::cerr << "The controller gave no torque.\n";
    return false;
  }
  return true;
}

}  // namespace

int main(int count, char ** arguments)
{
  const auto given = control_cycles::read_arguments(count, arguments, 1'000'000, publishing_share);
  if (!given) {
    return 2;
  }
  rclcpp::init(1, arguments);
  bool passed = true;
  for (const auto clock : {CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID}) {
    for (const bool publishing : {false, true}) {
      passed = passed && measure(clock, given->cycles, given->urdf, publishing);
    }
  }
  rclcpp::shutdown();
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
