// dynid/TorqueController: torque commands of a robot without position loops, its safe state, and
// cycles without allocation. The law itself is tested by test_torque_law.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/bool.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <thread>
#include <vector>

#include "allocation_checks.hpp"
#include "controller_under_test.hpp"
#include "pendulum_model.hpp"

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rate_max = 400.0;  // = torque_max in 50 ms [N m/s]
constexpr double in_a_cycle = rate_max * 1e-3;
constexpr double torque_max = 20.0;                               // [N m]
constexpr double rounding = 1e-9;                                 // of torques of some 10 N m
constexpr double enabled = 0x0237, fault = 0x0218, absent = 0.0;  // status words

Parameters settings(const Parameters & more = {})
{
  Parameters all{
    {"torque_max", std::vector<double>{torque_max}},
    {"ramp_time", 0.01},
    {"additive_torque_delay", 0.0},
    {"max_age", 0.01},
    {"collision.torque_error_max", std::vector<double>{5.0}},
    {"collision.torque_error_time_constant", std::vector<double>{0.0}},
    {"torque_control.feedback_delay", 0.0},
    {"torque_control.stiffness", std::vector<double>{50.0}},
    {"torque_control.damping", std::vector<double>{10.0}},
    {"torque_control.stop_time", 0.1},
    {"torque_control.after_stop", "hold"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Parameters with_model(const Parameters & more = {})
{
  auto all = model();
  all.insert(all.end(), more.begin(), more.end());
  return settings(all);
}

Parameters with_drives()
{
  return with_model(
    {{"drives.status_interface", "status_word"},
     {"drives.error_interface", "error_code"},
     {"drives.reset_interface", "reset_fault"}});
}

class TorqueController : public ControllerUnderTest
{
public:
  explicit TorqueController(const Parameters & parameters)
  : ControllerUnderTest({"axis"}, parameters, 1000, "dynid/TorqueController")
  {
  }
};

/// Runs cycles at a position, with the torque that holds the pendulum there as feedback.
bool rest(TorqueController & controller, int cycles, double position = 0.0)
{
  controller.set_reference(0, position, 0.0, 0.0);
  controller.measure(0, position, 0.0, -weight * std::cos(position));
  bool well = true;
  for (int k = 0; k < cycles; ++k) {
    well = controller.update() && well;
  }
  return well;
}

/// Runs as many cycles as the torque rate may need, with the same states.
void settle(TorqueController & controller)
{
  for (int k = 0; k < 8; ++k) {
    std::ignore = controller.update();
  }
}

/// Pushes the pendulum until the collision is detected, and lets the damped stop end.
bool collide(TorqueController & controller)
{
  controller.measure(0, 0.0, 0.0, -weight + 9.0);
  bool well = true;
  for (int k = 0; k < 50; ++k) {
    well = controller.update() && well;
  }
  return well;
}

/// The answer of ~/reset, which waits for the control cycle in another thread; empty: done.
std::string reset(TorqueController & controller)
{
  auto user = std::make_shared<rclcpp::Node>("user");
  controller.executor().add_node(user);
  const auto resets = user->create_client<std_srvs::srv::Trigger>("/feedforward_controller/reset");
  EXPECT_TRUE(resets->wait_for_service(std::chrono::minutes(2)));
  auto answer = resets->async_send_request(std::make_shared<std_srvs::srv::Trigger::Request>());
  std::atomic<bool> running{true};
  std::thread cycle([&] {
    while (running) {
      std::ignore = controller.update();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  controller.executor().spin_until_future_complete(answer, std::chrono::minutes(2));
  running = false;
  cycle.join();
  controller.executor().remove_node(user);
  const auto response = answer.get();
  return response->success ? "" : response->message;
}

TEST(TorqueController, HoldsFromTheFirstCommand)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate(0.3));
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.3), rounding) << "at the measured position";
  EXPECT_TRUE(rest(controller, 50, 0.3));
  controller.deactivate();
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.3), rounding)
    << "and until the robot's own stop";
}

TEST(TorqueController, IsNotActivatedWithoutWhatHoldsTheRobot)
{
  TorqueController without(settings());
  ASSERT_TRUE(without.configure());
  EXPECT_FALSE(without.activate()) << "no model, and the robot does not compensate gravity";
  TorqueController compensated(settings({{"torque_control.gravity", "by_robot"}}));
  ASSERT_TRUE(compensated.configure());
  ASSERT_TRUE(compensated.activate(0.3));
  EXPECT_EQ(compensated.torque(), 0.0) << "the robot's own torque holds it";
  EXPECT_TRUE(rest(compensated, 50, 0.3));
  EXPECT_NEAR(compensated.torque(), 0.0, rounding);
  compensated.deactivate();
  EXPECT_EQ(compensated.torque(), 0.0);
}

TEST(TorqueController, IsNotActivatedWhereItsTorqueCannotHoldTheRobot)
{
  const auto weak = with_model({{"torque_max", std::vector<double>{1.05 * weight}}});
  TorqueController level(weak);
  ASSERT_TRUE(level.configure());
  EXPECT_FALSE(level.activate(0.0)) << "the loops need a tenth of the torque";
  TorqueController hanging(weak);
  ASSERT_TRUE(hanging.configure());
  EXPECT_TRUE(hanging.activate(1.0));
}

TEST(TorqueController, EndsWithAnErrorWithoutFeedbackThatCanBeBelieved)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  EXPECT_TRUE(rest(controller, 50));
  bool well = true;
  for (int k = 0; k < 50; ++k) {
    controller.measure(0, 0.0, 1.0, -weight + 1e-3 * (k % 2));
    well = controller.update() && well;
  }
  EXPECT_FALSE(well) << "even with after_stop: hold, because it cannot be damped";
}

TEST(TorqueController, FollowsReferencesWithModelAndLoops)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  rest(controller, 50);
  EXPECT_NEAR(controller.torque(), -weight, rounding);
  controller.measure(0, 0.001, 0.0, -weight);
  settle(controller);
  const double holding = -weight * std::cos(0.0);
  EXPECT_NEAR(controller.torque(), holding - 50.0 * 0.001, rounding) << "stiffness";
  controller.measure(0, 0.0, 0.02, -weight);
  settle(controller);
  EXPECT_NEAR(controller.torque(), holding - 10.0 * 0.02, rounding) << "damping";
}

/// The enabling switch of hand guiding, as another node publishes it.
class Switch
{
public:
  explicit Switch(TorqueController & controller)
  : controller_(controller),
    user_(std::make_shared<rclcpp::Node>("switch")),
    out_(user_->create_publisher<std_msgs::msg::Bool>("/feedforward_controller/guide", 10))
  {
    controller_.executor().add_node(user_);
  }
  Switch(const Switch &) = delete;
  Switch & operator=(const Switch &) = delete;
  ~Switch() { controller_.executor().remove_node(user_); }

  /// Runs cycles with feedback, whose torque is noisy, and the switch pressed, let go or silent,
  /// until the command is this one.
  bool leads_to(double torque, double position, double velocity, std::optional<bool> pressed)
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    do {
      cycle(position, velocity, pressed);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (std::abs(controller_.torque() - torque) > rounding &&
             std::chrono::steady_clock::now() < end);
    return std::abs(controller_.torque() - torque) <= rounding;
  }

  bool cycle(double position, double velocity, std::optional<bool> pressed)
  {
    noise_ = 1e-3 - noise_;
    controller_.measure(0, position, velocity, -weight + noise_);
    if (pressed) {
      std_msgs::msg::Bool message;
      // let go now and then: a machine that stalls has lost the switch, which must be pressed anew
      message.data = *pressed && ++cycles_ % 300 != 0;
      out_->publish(message);
    }
    controller_.executor().spin_some();
    return controller_.update();
  }

private:
  TorqueController & controller_;
  rclcpp::Node::SharedPtr user_;
  rclcpp::Publisher<std_msgs::msg::Bool>::SharedPtr out_;
  double noise_ = 0.0;
  int cycles_ = 0;
};

TEST(TorqueController, IsGuidedByHandWhileItsSwitchIsPressed)
{
  TorqueController controller(with_model({{"torque_control.after_stop", "deactivate"}}));
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  const double aside = 1e-3;
  const double slow = 0.01;  // [rad/s], which counts as rest
  const double held = -weight * std::cos(aside);
  for (const auto & let_go : {std::optional<bool>(false), std::optional<bool>()}) {
    rest(controller, 300);
    controller.set_reference(0, nan, nan, nan);  // which it would follow after the release
    Switch enabling(controller);
    EXPECT_TRUE(enabling.leads_to(-weight - 10.0 * slow, 0.0, slow, std::nullopt))
      << "its loops act";
    EXPECT_TRUE(enabling.leads_to(-weight + 0.6 * std::tanh(slow / 0.02), 0.0, slow, true))
      << "and then friction is compensated, of which the model has 1 N m";
    EXPECT_TRUE(enabling.leads_to(held, aside, 0.0, true));
    EXPECT_TRUE(enabling.leads_to(held - 10.0 * slow, aside, slow, let_go)) << "the stop is damped";
    for (int k = 0; k < 100; ++k) {
      EXPECT_TRUE(enabling.cycle(aside, 0.0, std::nullopt)) << "and no reason to deactivate it";
    }
    EXPECT_TRUE(enabling.leads_to(held + 50.0 * aside, 0.0, 0.0, std::nullopt))
      << "it is held aside";
  }
}

TEST(TorqueController, EndsACollisionInTheDampedStop)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  rest(controller, 50);
  EXPECT_TRUE(collide(controller)) << "with after_stop: hold it continues";
  EXPECT_NEAR(controller.torque(), -weight, rounding) << "with the torque that holds the robot";
  controller.set_reference(0, 0.05, 0.0, 0.0);
  controller.measure(0, 0.0, 0.1, -weight);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight - 10.0 * 0.1, rounding)
    << "it damps motion, and has no stiffness";
  rest(controller, 100);
  EXPECT_EQ(reset(controller), "") << "reset starts it again";
  controller.measure(0, 0.001, 0.0, -weight);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight - 50.0 * 0.001, rounding) << "with loops";
}

TEST(TorqueController, IsNotResetFarFromItsReference)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  rest(controller, 50);
  collide(controller);
  controller.set_reference(0, 0.5, 0.0, 0.0);
  EXPECT_NE(reset(controller), "");
}

TEST(TorqueController, EndsForTheRobotsOwnStop)
{
  TorqueController controller(with_model({{"torque_control.after_stop", "deactivate"}}));
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  EXPECT_TRUE(rest(controller, 50));
  EXPECT_FALSE(collide(controller)) << "the manager deactivates a controller with an error";
  controller.deactivate();
  EXPECT_NEAR(controller.torque(), -weight, rounding);
}

TEST(TorqueController, DampsUntilEveryDriveIsEnabled)
{
  TorqueController controller(with_drives());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate(0.0));
  EXPECT_EQ(controller.torque(), 0.0) << "the bus has no position yet";
  controller.set_status(0, 0x0231);
  controller.measure(0, 0.3, 0.0, 0.0);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.3), rounding) << "held where it is";
  controller.measure(0, 0.3, 0.1, 0.0);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.3) - 1.0, rounding) << "and damped";
  controller.set_status(0, enabled);
  rest(controller, 100, 0.3);
  controller.measure(0, 0.301, 0.0, -weight);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.3) - 0.05, rounding)
    << "loops act when it is enabled";
  controller.set_status(0, fault);
  EXPECT_TRUE(rest(controller, 100, 0.3))
    << "a lost drive is no reason to end: reset_fault follows";
  controller.measure(0, 0.301, 0.0, -weight);
  settle(controller);
  EXPECT_NEAR(controller.torque(), -weight * std::cos(0.301), rounding) << "without stiffness";
  controller.set_status(0, absent);
  controller.measure(0, 0.0, 0.0, 0.0);
  settle(controller);
  EXPECT_GT(controller.torque(), -weight * std::cos(0.301) - rounding)
    << "zeros of a drive that left the bus are no position";
}

/// Values that a bus, a broken sensor or a wrong program can deliver.
double any(std::mt19937 & random)
{
  static const std::array<double, 9> odd{nan,  infinity, -infinity, 0.0, 1e300,
                                         -1e9, 1e-300,   3.0,       -3.0};
  std::uniform_int_distribution<std::size_t> one(0, 3 * odd.size());
  std::normal_distribution<double> usual(0.0, 0.1);
  const auto k = one(random);
  return k < odd.size() ? odd[k] : usual(random);
}

TEST(TorqueController, KeepsItsLimitsWithoutAllocation)
{
  TorqueController controller(with_model());
  ASSERT_TRUE(controller.configure());
  ASSERT_TRUE(controller.activate());
  rest(controller, 10);
  std::mt19937 random(3);
  double before = controller.torque();
  expect_no_allocation("a cycle with any input", [&] {
    for (int k = 0; k < 20'000; ++k) {
      controller.set_reference(0, any(random), any(random), any(random));
      controller.measure(0, any(random), any(random), any(random));
      std::ignore = controller.update();
      const double now = controller.torque();
      if (!(std::abs(now) <= torque_max) || !(std::abs(now - before) <= in_a_cycle + rounding)) {
        ADD_FAILURE() << "cycle " << k << ": from " << before << " to " << now;
        return;
      }
      before = now;
    }
  });
}

}  // namespace
