// dynid/FeedforwardController with drives that are enabled late, are lost, and return after
// ~/reset_fault; and dynid/DriveMonitor, which reports the same.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <controller_interface/controller_interface.hpp>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <thread>

#include "allocation_checks.hpp"
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
constexpr int pulse = 100;   // and more than a reset lasts

Parameters settings()
{
  return {
    {"torque_max", std::vector<double>{20.0}},
    {"ramp_time", 0.01},
    {"drives.status_interface", "status_word"},
    {"drives.error_interface", "error_code"},
    {"drives.reset_interface", "reset_fault"}};
}

/// Two joints, their drives, and a subscriber to their status.
class Cell
{
public:
  explicit Cell(const Parameters & parameters = settings())
  : controller({"shoulder", "elbow"}, parameters)
  {
    EXPECT_TRUE(controller.initialised()) << "a controller is configured";
    EXPECT_TRUE(controller.configure());
    controller.executor().add_node(user_);
    subscription_ = user_->create_subscription<DiagnosticStatus>(
      "/dynid/drives", rclcpp::QoS(1).transient_local(),
      [this](const DiagnosticStatus & status) { drives = status; });
    reset_ = user_->create_client<Trigger>("/feedforward_controller/reset_fault");
  }

  ~Cell() { controller.executor().remove_node(user_); }
  Cell(const Cell &) = delete;
  Cell & operator=(const Cell &) = delete;

  void set_reference(double position, double velocity = 0.0)
  {
    controller.set_reference(0, position, velocity, 0.0);
    controller.set_reference(1, position, velocity, 0.0);
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
    controller.set_status(0, enabled);
    controller.set_status(1, enabled);
    set_reference(position);
    run(settled);
  }

  bool happens(const std::function<bool()> & event)
  {
    const auto deadline = std::chrono::steady_clock::now() + 10min;
    while (!event() && std::chrono::steady_clock::now() < deadline) {
      controller.executor().spin_some(10ms);
      controller.update();
    }
    return event();
  }

  /// Calls ~/reset_fault while control cycles run in another thread; the drive clears its fault on
  /// the reset or not.
  Trigger::Response reset(bool clears_fault = true)
  {
    auto answer = reset_->async_send_request(std::make_shared<Trigger::Request>());
    std::atomic<bool> running{true};
    std::thread cycle([&] {
      while (running) {
        controller.update();
        if (clears_fault && controller.reset_command(1) == 1.0) {
          resets_seen = true;
          controller.set_status(1, enabled);
        }
        std::this_thread::sleep_for(1ms);
      }
    });
    controller.executor().spin_until_future_complete(answer, 10min);
    running = false;
    cycle.join();
    return *answer.get();
  }

  ControllerUnderTest controller;
  DiagnosticStatus drives;
  bool resets_seen = false;

private:
  rclcpp::Node::SharedPtr user_ = std::make_shared<rclcpp::Node>("user");
  rclcpp::SubscriptionBase::SharedPtr subscription_;
  rclcpp::Client<Trigger>::SharedPtr reset_;
};

TEST(DriveLink, LateDrivesAreCommandedToTheirMeasuredPosition)
{
  Cell cell;
  auto & controller = cell.controller;
  EXPECT_TRUE(controller.activate(0.0)) << "it is activated before any drive sends a status";
  cell.set_reference(0.0);  // as by a trajectory controller that started too early
  cell.run(100);
  EXPECT_TRUE(std::isnan(controller.position(0))) << "and commands nothing";
  EXPECT_TRUE(std::isnan(controller.position(1)));
  EXPECT_TRUE(cell.happens([&] { return cell.drives.level == DiagnosticStatus::WARN; }))
    << "the drive it waits for is published";
  EXPECT_EQ(
    cell.drives.message,
    "waiting for the drive of joint 'shoulder', which is not ready to switch on (status word "
    "0x0000)");
  cell.measure(0.3, 0.3);
  controller.set_status(0, 0x0250);
  controller.set_status(1, 0x0250);
  cell.run(1);
  EXPECT_EQ(controller.position(0), 0.3) << "drives on the bus are commanded to where they are";
  EXPECT_EQ(controller.position(1), 0.3);
  controller.set_status(0, enabled);
  controller.set_status(1, enabled);
  cell.run(1000);
  EXPECT_EQ(controller.position(0), 0.3)
    << "and stay there when they are enabled, while the reference is elsewhere";
  EXPECT_EQ(controller.torque_offset(0), 0.0);
  cell.set_reference(0.3);
  cell.run(settled);
  for (int k = 1; k <= 100; ++k) {
    cell.set_reference(0.3 + 1e-4 * k, 0.1);
    cell.run(1);
  }
  EXPECT_NEAR(controller.position(0), 0.31, 1e-9) << "until a reference starts at their position";
  EXPECT_TRUE(cell.happens([&] { return cell.drives.level == DiagnosticStatus::OK; }))
    << "the enabled drives are published";
  EXPECT_EQ(cell.drives.message, "every drive is enabled");
}

TEST(DriveLink, OneDriveInFaultStopsAllUntilReset)
{
  Cell cell;
  auto & controller = cell.controller;
  cell.follow(0.0);
  double position = 0.0;
  for (int k = 0; k < 100; ++k) {
    position += 1e-3;
    cell.set_reference(position, 1.0);
    cell.measure(position, position);
    cell.run(1);
  }
  controller.set_status(1, in_fault, 0x7305);
  double worst = 0.0;
  double before = controller.position(0);
  for (int k = 0; k < 1000; ++k) {
    position += 1e-3;
    cell.set_reference(position, 1.0);
    cell.run(1);
    worst = std::max(worst, std::abs(controller.position(0) - before));
    before = controller.position(0);
  }
  EXPECT_LE(worst, 1e-3 + 1e-9) << "the drive without a fault comes to rest without a jump";
  cell.run(10);
  EXPECT_EQ(controller.position(0), before) << "and holds";
  EXPECT_NEAR(controller.position(1), 0.1, 1e-9) << "the one in fault is commanded to where it is";
  EXPECT_EQ(controller.torque_offset(1), 0.0);
  EXPECT_TRUE(cell.happens([&] { return cell.drives.level == DiagnosticStatus::ERROR; }))
    << "the reason is published";
  EXPECT_EQ(
    cell.drives.message,
    "The drive of joint 'elbow' is in fault (status word 0x0218, error code 0x7305); the robot "
    "is stopped until ~/reset_fault.");
  EXPECT_EQ(cell.drives.values[0].value, "elbow") << "with joint and error code";
  EXPECT_EQ(cell.drives.values[2].value, "29445");
  controller.set_status(1, 0x021F, 0x7305);
  auto answer = cell.reset();
  EXPECT_FALSE(answer.success) << "~/reset_fault is refused while a drive brakes";
  EXPECT_EQ(answer.message.rfind("the robot is still braking", 0), 0U);
  EXPECT_FALSE(cell.resets_seen);
  controller.set_status(1, in_fault, 0x7305);
  answer = cell.reset(false);
  EXPECT_FALSE(answer.success) << "a fault that remains is reported";
  EXPECT_EQ(
    answer.message.rfind("the drive of joint 'elbow' is still in fault (status word 0x0218", 0),
    0U);
  cell.measure(before, 0.05);
  answer = cell.reset();
  EXPECT_TRUE(answer.success) << "~/reset_fault resets the drive in fault";
  EXPECT_TRUE(cell.resets_seen);
  cell.set_reference(position);
  cell.run(settled);
  EXPECT_EQ(controller.position(0), before)
    << "then both hold where they are, since the reference is far away";
  EXPECT_EQ(controller.position(1), 0.05);
  cell.run(pulse);
  EXPECT_EQ(controller.reset_command(1), 0.0) << "and the reset command is lowered again";
  EXPECT_TRUE(cell.happens([&] { return cell.drives.level == DiagnosticStatus::OK; }))
    << "the drives are enabled again";
}

TEST(DriveLink, ADriveThatIsEnabledAgainWithoutResetStaysAtRest)
{
  Cell cell;
  auto & controller = cell.controller;
  cell.follow(0.0);
  controller.set_status(0, 0x0233);
  cell.run(10);
  controller.set_status(0, enabled);
  cell.run(settled);
  cell.set_reference(0.01);
  cell.run(1000);
  EXPECT_EQ(controller.position(0), 0.0)
    << "a drive that is enabled again without a reset does not move";
  const auto answer = cell.reset();
  EXPECT_TRUE(answer.success) << "before it is reset";
  EXPECT_EQ(answer.message.rfind("no drive is in fault", 0), 0U);
  cell.run(1000);
  EXPECT_NEAR(controller.position(0), 0.01, 1e-9) << "then references are followed again";
}

TEST(DriveLink, DrivesMayCountTheirCyclesToo)
{
  auto parameters = settings();
  parameters.emplace_back("cycle_interface", "robot/drive_cycles");
  parameters.emplace_back("extrapolation_time", 0.02);
  Cell cell(parameters);
  auto & controller = cell.controller;
  EXPECT_EQ(
    controller.state_names(),
    (std::vector<std::string>{
      "shoulder/position", "elbow/position", "shoulder/velocity", "elbow/velocity",
      "shoulder/effort", "elbow/effort", "robot/drive_cycles", "shoulder/status_word",
      "elbow/status_word", "shoulder/error_code", "elbow/error_code"}))
    << "the counter is before the drives' states, which are the last";
  double counted = 1e6;
  double position = 0.0;
  const auto move = [&](int drive_cycles) {
    position += 1e-3;
    counted += drive_cycles;
    controller.set_drive_cycles(counted);
    cell.set_reference(position, 1.0);
    cell.measure(position, position);
    cell.run(1);
  };
  controller.activate(0.0);
  controller.set_status(0, enabled);
  controller.set_status(1, enabled);
  cell.set_reference(0.0);
  for (int k = 0; k < settled; ++k) {
    controller.set_drive_cycles(++counted);
    cell.run(1);
  }
  for (int k = 0; k < 100; ++k) {
    move(1);
  }
  EXPECT_NEAR(controller.position(0), position, 1e-9) << "references are followed";
  move(0);
  EXPECT_NEAR(controller.position(0), position - 1e-3, 1e-9)
    << "where no cycle of the drives has passed, their command stays";
  move(2);
  EXPECT_NEAR(controller.position(0), position, 1e-9) << "after two it is further by both";
  EXPECT_NEAR(controller.position(1), position, 1e-9);
  controller.set_status(1, in_fault, 0x7305);
  move(1);
  EXPECT_TRUE(cell.happens([&] { return cell.drives.level == DiagnosticStatus::ERROR; }));
  EXPECT_EQ(
    cell.drives.message,
    "The drive of joint 'elbow' is in fault (status word 0x0218, error code 0x7305); the robot "
    "is stopped until ~/reset_fault.")
    << "and the status is that of the drives";
}

TEST(DriveLink, DeactivationInAnotherThreadLastsSomeCycles)
{
  Cell cell;
  cell.follow(0.0);
  std::thread cycle([&] { cell.controller.update(); });
  cycle.join();
  const auto begin = std::chrono::steady_clock::now();
  cell.controller.deactivate();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 5ms)
    << "deactivation in another thread than the control cycle's lasts five cycles";
}

TEST(DriveLink, ACycleAllocatesNothing)
{
  Cell cell;
  cell.follow(0.0);
  cell.run(1000);  // until everything has been published once
  expect_no_allocation("a cycle with drives", [&] {
    cell.run(100);
    cell.controller.set_status(1, in_fault, 0x7305);
    cell.run(200);
  });
}

TEST(DriveLink, TheMonitorIsFound)
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
  EXPECT_EQ(monitor->init(params), controller_interface::return_type::OK)
    << "the monitor is found and configured";
  EXPECT_EQ(monitor->configure().id(), lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(
    monitor->state_interface_configuration().names,
    (std::vector<std::string>{"axis/position", "axis/status_word", "axis/error_code"}))
    << "and commands nothing but resets";
  EXPECT_EQ(
    monitor->command_interface_configuration().names, std::vector<std::string>{"axis/reset_fault"});
}

}  // namespace
