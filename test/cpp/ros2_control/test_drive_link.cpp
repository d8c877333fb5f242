// dynid/FeedforwardController between references and drives that come late, are lost, and come back
// after ~/reset_fault; and dynid/DriveMonitor, which says the same of them.

#include <unistd.h>
#include <chrono>
#include <cmath>
#include <controller_interface/controller_interface.hpp>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <thread>

#include "../checks.hpp"
#include "controller_under_test.hpp"

namespace
{

using namespace std::chrono_literals;
using diagnostic_msgs::msg::DiagnosticStatus;
using std_srvs::srv::Trigger;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double enabled = 0x0237;
constexpr double in_fault = 0x0218;
constexpr int settled = 40;  // cycles, more than drives must be enabled for

Parameters settings()
{
  return {
    {"torque_max", std::vector<double>{20.0}},
    {"ramp_time", 0.01},
    {"drives.status_interface", "status_word"},
    {"drives.error_interface", "error_code"},
    {"drives.reset_interface", "reset_fault"}};
}

/// Two joints, their drives, and somebody who hears of them.
class Cell
{
public:
  Cell() : controller({"shoulder", "elbow"}, settings())
  {
    expect(controller.initialised() && controller.configure(), "a controller is configured");
    controller.executor().add_node(user_);
    heard_ = user_->create_subscription<DiagnosticStatus>(
      "/dynid/drives", rclcpp::QoS(1).transient_local(),
      [this](const DiagnosticStatus & status) { drives = status; });
    reset_ = user_->create_client<Trigger>("/feedforward_controller/reset_fault");
  }

  ~Cell() { controller.executor().remove_node(user_); }
  Cell(const Cell &) = delete;
  Cell & operator=(const Cell &) = delete;

  void refer(double position, double velocity = 0.0)
  {
    controller.refer(0, position, velocity, 0.0);
    controller.refer(1, position, velocity, 0.0);
  }

  void measure(double shoulder, double elbow)
  {
    controller.measure(0, shoulder, 0.0, 0.0);
    controller.measure(1, elbow, 0.0, 0.0);
  }

  void run(int cycles)
  {
    for (int k = 0; k < cycles; ++k) {
      controller.update();
    }
  }

  /// Both enabled at a position, and references there.
  void follow(double position)
  {
    controller.activate(position);
    controller.say(0, enabled);
    controller.say(1, enabled);
    refer(position);
    run(settled);
  }

  bool happens(const std::function<bool()> & event)
  {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (!event() && std::chrono::steady_clock::now() < deadline) {
      controller.executor().spin_some(10ms);
      controller.update();
    }
    return event();
  }

  /// The service waits for control cycles, which are another thread; the drive leaves its fault
  /// when it is reset, or not.
  Trigger::Response reset(bool obeys = true)
  {
    auto answer = reset_->async_send_request(std::make_shared<Trigger::Request>());
    std::atomic<bool> running{true};
    std::thread cycle([&] {
      while (running) {
        controller.update();
        if (obeys && controller.reset_command(1) == 1.0) {
          resets_seen = true;
          controller.say(1, enabled);
        }
        std::this_thread::sleep_for(1ms);
      }
    });
    controller.executor().spin_until_future_complete(answer, 20s);
    running = false;
    cycle.join();
    return *answer.get();
  }

  ControllerUnderTest controller;
  DiagnosticStatus drives;
  bool resets_seen = false;

private:
  rclcpp::Node::SharedPtr user_ = std::make_shared<rclcpp::Node>("user");
  rclcpp::SubscriptionBase::SharedPtr heard_;
  rclcpp::Client<Trigger>::SharedPtr reset_;
};

void late_drives_are_never_commanded_anywhere_else()
{
  Cell cell;
  auto & controller = cell.controller;
  expect(controller.activate(0.0), "it is activated while no drive says anything");
  cell.refer(0.0);  // as a trajectory controller that started too early has it
  cell.run(100);
  expect(
    std::isnan(controller.position(0)) && std::isnan(controller.position(1)),
    "and commands nothing");
  expect(
    cell.happens([&] { return cell.drives.level == DiagnosticStatus::WARN; }) &&
      cell.drives.message ==
        "waiting for the drive of joint 'shoulder', which is not ready to switch on (status word "
        "0x0000)",
    "who is waited for is published");
  cell.measure(0.3, 0.3);
  controller.say(0, 0x0250);
  controller.say(1, 0x0250);
  cell.run(1);
  expect(
    controller.position(0) == 0.3 && controller.position(1) == 0.3,
    "drives on the bus are commanded to where they are");
  controller.say(0, enabled);
  controller.say(1, enabled);
  cell.run(1000);
  expect(
    controller.position(0) == 0.3 && controller.torque_offset(0) == 0.0,
    "and stay there when they are enabled, though the reference is elsewhere");
  cell.refer(0.3);
  cell.run(settled);
  for (int k = 1; k <= 100; ++k) {
    cell.refer(0.3 + 1e-4 * k, 0.1);
    cell.run(1);
  }
  expect(std::abs(controller.position(0) - 0.31) < 1e-9, "until a reference begins where they are");
  expect(
    cell.happens([&] { return cell.drives.level == DiagnosticStatus::OK; }) &&
      cell.drives.message == "every drive is enabled",
    "that all are enabled is published");
}

void one_drive_in_fault_stops_all_until_reset()
{
  Cell cell;
  auto & controller = cell.controller;
  cell.follow(0.0);
  double position = 0.0;
  for (int k = 0; k < 100; ++k) {
    position += 1e-3;
    cell.refer(position, 1.0);
    cell.measure(position, position);
    cell.run(1);
  }
  controller.say(1, in_fault, 0x7305);
  double worst = 0.0;
  double before = controller.position(0);
  for (int k = 0; k < 1000; ++k) {
    position += 1e-3;
    cell.refer(position, 1.0);
    cell.run(1);
    worst = std::max(worst, std::abs(controller.position(0) - before));
    before = controller.position(0);
  }
  expect(worst <= 1e-3 + 1e-9, "the drive without a fault is led to rest without a jump");
  cell.run(10);
  expect(controller.position(0) == before, "and holds");
  expect(
    controller.position(1) == 0.1 && controller.torque_offset(1) == 0.0,
    "the one in fault is commanded to where it is");
  expect(
    cell.happens([&] { return cell.drives.level == DiagnosticStatus::ERROR; }) &&
      cell.drives.message ==
        "The drive of joint 'elbow' is in fault (status word 0x0218, error code 0x7305); the robot "
        "is stopped until ~/reset_fault.",
    "the reason is published");
  expect(
    cell.drives.values[0].value == "elbow" && cell.drives.values[2].value == "29445",
    "with joint and error code");
  auto answer = cell.reset(false);
  expect(
    !answer.success &&
      answer.message.rfind("the drive of joint 'elbow' is still in fault (status word 0x0218", 0) ==
        0,
    "a fault that stays is said");
  cell.measure(before, 0.05);
  answer = cell.reset();
  expect(answer.success && cell.resets_seen, "~/reset_fault resets the drive in fault");
  cell.refer(position);
  cell.run(settled);
  expect(
    controller.position(0) == before && controller.position(1) == 0.05,
    "then both hold where they are, since the reference is far away");
  expect(controller.reset_command(1) == 0.0, "and the reset is taken back");
  expect(cell.happens([&] { return cell.drives.level == DiagnosticStatus::OK; }), "all is well");
}

void a_drive_that_comes_back_by_itself_moves_nothing()
{
  Cell cell;
  auto & controller = cell.controller;
  cell.follow(0.0);
  controller.say(0, 0x0233);
  cell.run(10);
  controller.say(0, enabled);
  cell.run(settled);
  cell.refer(0.01);
  cell.run(1000);
  expect(controller.position(0) == 0.0, "a drive that comes back by itself moves nothing");
  const auto answer = cell.reset();
  expect(
    answer.success && answer.message.rfind("no drive is in fault", 0) == 0, "before it is reset");
  cell.run(1000);
  expect(std::abs(controller.position(0) - 0.01) < 1e-9, "then references count again");
}

void deactivation_in_another_thread_lasts_some_cycles()
{
  Cell cell;
  cell.follow(0.0);
  std::thread cycle([&] { cell.controller.update(); });
  cycle.join();
  const auto begin = std::chrono::steady_clock::now();
  cell.controller.deactivate();
  expect(
    std::chrono::steady_clock::now() - begin >= 5ms,
    "deactivation in another thread than the control cycle's lasts five cycles");
}

void a_cycle_allocates_nothing()
{
  Cell cell;
  cell.follow(0.0);
  cell.run(1000);  // until everything has been published once
  expect_no_allocation("a cycle with drives", [&] {
    cell.run(100);
    cell.controller.say(1, in_fault, 0x7305);
    cell.run(200);
  });
}

void the_monitor_is_found()
{
  pluginlib::ClassLoader<controller_interface::ControllerInterface> loader(
    "controller_interface", "controller_interface::ControllerInterface");
  const auto monitor = loader.createUniqueInstance("dynid/DriveMonitor");
  controller_interface::ControllerInterfaceParams params;
  params.controller_name = "drive_monitor";
  params.update_rate = 1000;
  params.controller_manager_update_rate = 1000;
  params.node_options = monitor->define_custom_node_options();
  params.node_options.parameter_overrides({{"joints", std::vector<std::string>{"axis"}}});
  expect(
    monitor->init(params) == controller_interface::return_type::OK &&
      monitor->configure().id() == lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE,
    "the monitor is found and configured");
  expect(
    monitor->state_interface_configuration().names ==
        std::vector<std::string>{"axis/position", "axis/status_word", "axis/error_code"} &&
      monitor->command_interface_configuration().names ==
        std::vector<std::string>{"axis/reset_fault"},
    "and commands nothing but resets");
}

}  // namespace

int main(int count, char ** arguments)
{
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  setenv("ROS_DOMAIN_ID", std::to_string(1 + getpid() % 200).c_str(), 1);
  rclcpp::init(count, arguments);
  expect_that_allocations_are_counted();
  late_drives_are_never_commanded_anywhere_else();
  one_drive_in_fault_stops_all_until_reset();
  a_drive_that_comes_back_by_itself_moves_nothing();
  deactivation_in_another_thread_lasts_some_cycles();
  a_cycle_allocates_nothing();
  the_monitor_is_found();
  rclcpp::shutdown();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
