// dynid/FeedforwardController and dynid/TorqueController with updates of their model by topic.

#include <gtest/gtest.h>

#include <chrono>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <string>
#include <thread>

#include "allocation_checks.hpp"
#include "controller_under_test.hpp"
#include "dynid/control_report.hpp"
#include "dynid/mechanism.hpp"
#include "pendulum_model.hpp"

namespace
{

using diagnostic_msgs::msg::DiagnosticStatus;
using std_msgs::msg::Float64MultiArray;
using namespace std::chrono_literals;

constexpr double tolerance = 1e-8;  // of torques of some 10 N m
constexpr int settled = 50;         // cycles, above ramp_time

Parameters settings(bool enabled)
{
  auto all = model();
  all.insert(
    all.end(), {{"torque_max", std::vector<double>{20.0}},
                {"ramp_time", 0.01},
                {"additive_torque_delay", 0.0},
                {"collision.torque_error_max", std::vector<double>{5.0}},
                {"collision.torque_error_time_constant", std::vector<double>{0.0}},
                {"model_updates.enabled", enabled},
                {"model_updates.timeout", 0.5},
                {"torque_control.stiffness", std::vector<double>{0.0}}});
  return all;
}

/// The pendulum's body with its mass and inertia times a factor, known to 0.1 %.
Float64MultiArray update(double factor)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum;
  description.joints = {"axis"};
  description.terms = {{&dynid::term_kind("coulomb"), 0, dynid::TermSide::joint}};
  const dynid::Mechanism mechanism(description);
  std::vector<double> values{2.0, 1.0, 0.0, 0.0, 0.01, 0.0, 0.51, 0.0, 0.0, 0.51, 1.0};
  const auto p = values.size();
  Float64MultiArray message;
  message.layout.dim.resize(2);
  message.layout.dim[1].label = dynid::joined(mechanism.parameter_names(), ",");
  for (std::size_t i = 0; i + 1 < p; ++i) {
    values[i] *= factor;
  }
  message.data = values;
  message.data.resize(p * (p + 1), 0.0);
  for (std::size_t i = 0; i < p; ++i) {
    message.data[p * (i + 1) + i] = 1e-6 * values[i] * values[i];
  }
  return message;
}

/// A controller at rest with the topics of its updates.
struct UpdatedController
{
  explicit UpdatedController(
    bool enabled, const std::string & plugin = "dynid/FeedforwardController")
  : controller({"axis"}, settings(enabled), 1000, plugin)
  {
    EXPECT_TRUE(controller.configure());
    EXPECT_TRUE(controller.activate());
    controller.executor().add_node(user);
    updates = user->create_publisher<Float64MultiArray>("/feedforward_controller/model_update", 1);
    states = user->create_subscription<DiagnosticStatus>(
      "/feedforward_controller/model_updates", rclcpp::QoS(1).transient_local(),
      [this](const DiagnosticStatus & message) { state = message; });
    rest(settled);
    EXPECT_TRUE(!enabled || happens([&] { return updates->get_subscription_count() > 0; }));
  }

  /// Sends an update by this factor; false where it does not come into use.
  bool use_update(double factor)
  {
    updates->publish(update(factor));
    return happens([&] { return value("updated") == "true"; });
  }

  void rest(int cycles)
  {
    controller.set_reference(0, 0.0, 0.0, 0.0);
    controller.measure(0, 0.0, 0.0, -weight);
    for (int k = 0; k < cycles; ++k) {
      EXPECT_TRUE(controller.update());
    }
  }

  /// Lets callbacks and cycles run until something has happened.
  bool happens(const std::function<bool()> & event)
  {
    const auto deadline = std::chrono::steady_clock::now() + 10min;
    while (!event() && std::chrono::steady_clock::now() < deadline) {
      controller.executor().spin_some(10ms);
      controller.update();
      std::this_thread::sleep_for(1ms);  // so that the timeout is not below that of messages
    }
    return event();
  }

  [[nodiscard]] std::string value(const std::string & key) const
  {
    for (const auto & pair : state.values) {
      if (pair.key == key) {
        return pair.value;
      }
    }
    return {};
  }

  ControllerUnderTest controller;
  std::shared_ptr<rclcpp::Node> user = std::make_shared<rclcpp::Node>("user");
  rclcpp::Publisher<Float64MultiArray>::SharedPtr updates;
  rclcpp::Subscription<DiagnosticStatus>::SharedPtr states;
  DiagnosticStatus state;
};

TEST(ModelUpdatesByTopic, AreOffByDefault)
{
  UpdatedController robot(false);
  EXPECT_EQ(robot.controller.node()->count_subscribers("/feedforward_controller/model_update"), 0U);
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
}

TEST(ModelUpdatesByTopic, AreUsedUntilTheirInputIsLost)
{
  UpdatedController robot(true);
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
  ASSERT_TRUE(robot.use_update(1.15));
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -1.15 * weight, tolerance);
  robot.rest(500);
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
  EXPECT_TRUE(robot.happens([&] { return robot.value("updated") == "false"; }));
  EXPECT_EQ(robot.state.message, "the accepted model is used again: no update arrived for 0.5 s");
  EXPECT_EQ(robot.value("fallbacks"), "1");
}

TEST(ModelUpdatesByTopic, AreRefusedWithAReason)
{
  UpdatedController robot(true);
  robot.updates->publish(update(20.0));
  ASSERT_TRUE(robot.happens([&] { return robot.value("refused") == "1"; }));
  EXPECT_NE(robot.value("refusal").find("standard deviations"), std::string::npos);
  auto other = update(1.1);
  other.layout.dim[1].label = "of another robot";
  robot.updates->publish(other);
  ASSERT_TRUE(robot.happens([&] { return robot.value("refused") == "2"; }));
  EXPECT_NE(robot.value("refusal").find("label"), std::string::npos);
  auto incomplete = update(1.1);
  incomplete.data.resize(5);
  robot.updates->publish(incomplete);
  ASSERT_TRUE(robot.happens([&] { return robot.value("refused") == "3"; }));
  EXPECT_EQ(robot.value("updated"), "false");
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
}

TEST(ModelUpdatesByTopic, EndWithAnotherModelOrAPayload)
{
  UpdatedController robot(true);
  ASSERT_TRUE(robot.use_update(1.15));
  EXPECT_EQ(robot.controller.set(model("success", 1.8)), "");
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -0.9 * weight, tolerance);
  EXPECT_EQ(robot.controller.set(model()), "");
  robot.rest(settled);
  ASSERT_TRUE(robot.use_update(1.15));
  EXPECT_EQ(
    robot.controller.set(
      {{"payload.mass", 0.1}, {"payload.centre", std::vector<double>{0.5, 0.0, 0.0}}}),
    "");
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -1.05 * weight, tolerance);
  robot.updates->publish(update(1.15));
  robot.happens([&] { return robot.value("updated") == "false"; });
  EXPECT_EQ(robot.controller.set({{"payload.mass", 0.0}}), "");
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance)
    << "one that came meanwhile is not used later";
}

TEST(ModelUpdatesByTopic, AreNotUsedAfterAnotherStart)
{
  UpdatedController robot(true);
  ASSERT_TRUE(robot.use_update(1.15));
  robot.controller.deactivate();
  robot.controller.node()->activate();
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
}

TEST(ModelUpdatesByTopic, CyclesWithThemDoNotAllocate)
{
  UpdatedController robot(true);
  ASSERT_TRUE(robot.use_update(1.15));
  expect_no_allocation("a cycle with updates", [&] {
    for (int k = 0; k < 1000; ++k) {  // until the timeout, and after it
      robot.controller.update();
    }
  });
  EXPECT_NEAR(robot.controller.torque_offset(), -weight, tolerance);
}

TEST(ModelUpdatesByTopic, ReachTheTorqueControllerToo)
{
  UpdatedController robot(true, "dynid/TorqueController");
  EXPECT_NEAR(robot.controller.torque(), -weight, tolerance);
  ASSERT_TRUE(robot.use_update(1.15));
  robot.rest(settled);
  EXPECT_NEAR(robot.controller.torque(), -1.15 * weight, tolerance);
}

}  // namespace
