// Injection of faults and forces into dynid/SimulatedDrives by the topics and services of its node.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rcl_interfaces/msg/log.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/float64.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_msgs/msg/int32.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <stdexcept>

#include "allocation_checks.hpp"
#include "drives_under_test.hpp"

namespace
{

using diagnostic_msgs::msg::DiagnosticArray;
using diagnostic_msgs::msg::DiagnosticStatus;
using geometry_msgs::msg::WrenchStamped;
using rcl_interfaces::msg::Log;
using std_msgs::msg::Float64;
using std_msgs::msg::Float64MultiArray;
using std_msgs::msg::Int32;
using std_msgs::msg::String;
using std_srvs::srv::Trigger;

constexpr double home = 0.3;  // [rad]

/// Active drives, and a client of their topics and services.
class Cell
{
public:
  Cell()
  {
    executor_->add_node(peer_);
    Parameters parameters = pendulum_parameters();
    parameters["torque_max"] = "100.0";
    parameters["torque_noise"] = "0.1";
    drives_ = std::make_unique<DrivesUnderTest>(description(parameters), 1000, executor_);
    if (!(drives_->initialised() && drives_->configure() && drives_->activate())) {
      throw std::runtime_error("the drives were not activated");
    }
    health_ = peer_->create_subscription<DiagnosticArray>(
      "/diagnostics", 10, [this](const DiagnosticArray & array) { status = array.status.front(); });
    log_ = peer_->create_subscription<Log>(
      "/rosout", rclcpp::RosoutQoS(),
      [this](const Log & line) { errors += line.level >= Log::ERROR ? line.msg + "\n" : ""; });
  }

  /// Waits until the condition is true, or a timeout; cycles run meanwhile, or not.
  bool until(const std::function<bool()> & holds, bool cycling = true)
  {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) {
        return false;
      }
      executor_->spin_once(std::chrono::milliseconds(1));
      if (cycling) {
        drives_->cycle(home);
      }
    }
    return true;
  }

  template <typename Message>
  void send(const std::string & topic, const Message & message)
  {
    const auto publisher = peer_->create_publisher<Message>("/pendulum/" + topic, 10);
    until([&] { return publisher->get_subscription_count() > 0; });
    publisher->publish(message);
    publisher->wait_for_all_acked();
    publishers_.push_back(publisher);
  }

  /// No cycle runs until the answer has arrived.
  Trigger::Response call(const std::string & service)
  {
    const auto client = peer_->create_client<Trigger>("/pendulum/" + service);
    until([&] { return client->service_is_ready(); }, false);
    auto answer = client->async_send_request(std::make_shared<Trigger::Request>());
    until(
      [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }, false);
    return *answer.get();
  }

  DrivesUnderTest & drives() { return *drives_; }

  DiagnosticStatus status;  ///< last received
  std::string errors;       ///< logged so far

private:
  rclcpp::Executor::SharedPtr executor_ =
    std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  rclcpp::Node::SharedPtr peer_ = std::make_shared<rclcpp::Node>("peer");
  std::unique_ptr<DrivesUnderTest> drives_;
  rclcpp::SubscriptionBase::SharedPtr health_;
  rclcpp::SubscriptionBase::SharedPtr log_;
  std::vector<rclcpp::PublisherBase::SharedPtr> publishers_;
};

WrenchStamped wrench(const std::string & link, double upwards)
{
  WrenchStamped made;
  made.header.frame_id = link;
  made.wrench.torque.y = -upwards;
  return made;
}

TEST(Injections, AFaultIsInjectedReportedAndCleared)
{
  Cell cell;
  EXPECT_EQ(cell.call("clear_fault").message, "the drives have no fault")
    << "there is no fault yet";
  EXPECT_TRUE(cell.call("inject_fault").success) << "a fault is injected";
  EXPECT_TRUE(cell.until([&] {
    return cell.status.level == DiagnosticStatus::ERROR &&
           cell.status.message.find("A drive fault was injected at ") == 0;
  }))
    << "/diagnostics reports it";
  for (int k = 1; k <= 200; ++k) {
    cell.drives().cycle(home + 1e-3 * k);
  }
  EXPECT_NEAR(cell.drives().state("position"), home, 1e-3) << "in it, commands are ignored";
  EXPECT_TRUE(cell.call("clear_fault").success) << "it is cleared";
  for (int k = 1; k <= 200; ++k) {
    cell.drives().cycle(home + 1e-3 * k);
  }
  EXPECT_GT(cell.drives().state("position"), home + 0.1) << "and targets are followed again";
}

TEST(Injections, AFaultIsNotClearedWhileTheDrivesBrake)
{
  Cell cell;
  for (int k = 1; k <= 100; ++k) {
    cell.drives().cycle(home + 2e-3 * k);
  }
  cell.call("inject_fault");
  for (int k = 0; k < 50; ++k) {
    cell.drives().cycle(home);  // from 2 rad/s to rest takes 200 cycles at 10 rad/s^2
  }
  const auto answer = cell.call("clear_fault");
  EXPECT_FALSE(answer.success) << "a fault is not cleared while the drives brake";
  EXPECT_EQ(answer.message.find("the drives are still braking"), 0U);
}

TEST(Injections, TheDriveOfAJointCanFailAlone)
{
  Cell cell;
  cell.send("fail_drive", String().set__data("axis"));
  EXPECT_TRUE(cell.until([&] { return cell.drives().state("status_word") == 0x0218; }))
    << "the drive of a joint can be in fault";
  cell.send("fail_drive", String().set__data("elbow"));
  EXPECT_TRUE(cell.until([&] {
    return cell.errors.find(
             "There is no drive of a joint 'elbow'; "
             "expected one of axis.") != std::string::npos;
  }))
    << "but not that of an unknown joint";
}

TEST(Injections, AWrenchActsUntilOneOfZeros)
{
  Cell cell;
  const auto effort = [&] { return cell.drives().state("effort"); };
  const double before = effort();
  cell.send("external_force", wrench("bob", 20.0));
  EXPECT_TRUE(cell.until([&] { return std::abs(effort() - before) > 9.0; }))
    << "the drive compensates it";
  cell.send("external_force", wrench("", 0.0));
  EXPECT_TRUE(cell.until([&] { return std::abs(effort() - before) < 1.0; }))
    << "until it is removed";
}

TEST(Injections, LostFramesFreezeTheStates)
{
  Cell cell;
  cell.send("frame_loss", Float64().set__data(1.0));
  const auto frozen = [&, same = 0, last = 0.0]() mutable {
    same = cell.drives().state("effort") == last ? same + 1 : 0;
    last = cell.drives().state("effort");
    return same > 50;
  };
  EXPECT_TRUE(cell.until(frozen)) << "with every frame lost, states keep their last value";
  cell.send("frame_loss", Float64().set__data(0.0));
  const double frozen_effort = cell.drives().state("effort");
  EXPECT_TRUE(cell.until([&] { return cell.drives().state("effort") != frozen_effort; }))
    << "until frames arrive again";
  cell.send("lose_frames", Int32().set__data(100));
  EXPECT_TRUE(cell.until(frozen)) << "and a number of frames can be lost";
}

TEST(Injections, ASaturatedDriveLosesItsTarget)
{
  Cell cell;
  cell.send("saturate", Float64MultiArray().set__data({0.01}));
  EXPECT_TRUE(cell.until([&] { return cell.status.level == DiagnosticStatus::ERROR; }))
    << "a saturated drive loses its target";
  EXPECT_EQ(cell.status.message.find("The drive of joint 'axis' lost its target at "), 0U);
}

TEST(Injections, ImpossibleInjectionsAreRefusedWithASentenceInTheLog)
{
  Cell cell;
  const auto refused = [&](const std::string & sentence) {
    EXPECT_TRUE(cell.until([&] { return cell.errors.find(sentence) != std::string::npos; }))
      << sentence;
  };
  cell.send("external_force", wrench("hand", 1.0));
  refused("The URDF has no link 'hand'; the links that move are bob.");
  cell.send("lose_frames", Int32().set__data(-1));
  refused("-1 lost frames are impossible; give a number of 0 or more.");
  cell.send("frame_loss", Float64().set__data(2.0));
  refused("but must be from 0 to 1.");
  cell.send("saturate", Float64MultiArray().set__data({0.5, 0.5}));
  refused("There are 2 saturation factors, but must be 1, one for each joint.");
}

TEST(Injections, ACycleWithInjectionsAllocatesNothing)
{
  Cell cell;
  const double before = cell.drives().state("effort");
  cell.send("external_force", wrench("bob", 20.0));
  cell.send("saturate", Float64MultiArray().set__data({0.9}));
  int allocated = 0;
  const auto pushed = [&] {
    allocated += allocations_in([&] { cell.drives().cycle(home); });
    return std::abs(cell.drives().state("effort") - before) > 9.0;
  };
  EXPECT_TRUE(cell.until(pushed, false)) << "a cycle with injections allocates nothing";
  EXPECT_EQ(allocated, 0);
}

}  // namespace
