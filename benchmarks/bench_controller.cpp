// Cost of a control cycle of dynid/FeedforwardController with six joints, against pinocchio's bare
// recursive Newton-Euler algorithm for the same robot in the same run.

#include <cstdlib>
#include <rclcpp/rclcpp.hpp>

#include "../test/cpp/ros2_control/controller_under_test.hpp"
#include "control_cycles.hpp"

namespace
{

using control_cycles::joint_count;

constexpr int cycles = 1'000'000;

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

}  // namespace

int main(int count, char ** arguments)
{
  if (count < 2) {
    std::cerr << "Give the path of a URDF with joint_1 to joint_6, such as urdf/puma560.urdf.\n";
    return 2;
  }
  rclcpp::init(1, arguments);
  const auto urdf = control_cycles::read(arguments[1]);

  ControllerUnderTest controller(control_cycles::joint_names(), model_of(urdf));
  if (!controller.configure() || !controller.activate()) {
    return EXIT_FAILURE;
  }
  control_cycles::Motion motion;
  const auto refer = [&](int k) {
    motion.move(k);
    for (std::size_t i = 0; i < joint_count; ++i) {
      controller.refer(i, motion.q[0], motion.dq[0], motion.ddq[0]);
      controller.measure(i, motion.q[0], motion.dq[0], 1.0);
    }
  };
  const double checksum = control_cycles::compare(
    CLOCK_MONOTONIC, cycles, urdf, "FeedforwardController::update", refer,
    [&] { controller.update(); });
  rclcpp::shutdown();
  return std::isfinite(checksum) && controller.torque_offset() != 0.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
