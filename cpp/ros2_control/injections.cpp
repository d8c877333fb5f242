#include "injections.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <rclcpp/create_timer.hpp>
#include <rclcpp/logging.hpp>
#include <std_msgs/msg/float64.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_msgs/msg/int32.hpp>
#include <std_msgs/msg/string.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "diagnostics.hpp"
#include "dynid/control_report.hpp"

namespace dynid
{
namespace
{

constexpr int waiting = 10;  // messages

using std_srvs::srv::Trigger;

Eigen::Vector3d vector(const geometry_msgs::msg::Vector3 & from)
{
  return {from.x, from.y, from.z};
}

}  // namespace

Injections::Injections(
  rclcpp::Node::SharedPtr node, const DrivePlant & plant, std::vector<std::string> joints)
: node_(std::move(node)),
  plant_(plant),
  joints_(std::move(joints)),
  diagnostics_(
    node_->create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", waiting))
{
  using namespace std_msgs::msg;
  listen<Int32>("~/lose_frames", [this](const auto & message) { send(LostFrames{message.data}); });
  listen<Float64>("~/frame_loss", [this](const auto & message) { send(FrameLoss{message.data}); });
  listen<Float64MultiArray>("~/saturate", [this](const auto & message) { saturate(message.data); });
  listen<geometry_msgs::msg::WrenchStamped>(
    "~/external_force", [this](const auto & message) { push(message); });
  listen<String>("~/fail_drive", [this](const auto & message) { fail_drive(message.data); });
  answer("~/inject_fault", [this] {
    send(DriveFault{});
    return "the drives are in fault: they brake, and hold until ~/clear_fault";
  });
  answer("~/clear_fault", [this] { return clear_fault(); });
  timer_ = node_->create_wall_timer(std::chrono::seconds(1), [this] { publish_status(); });
}

template <typename Message>
void Injections::listen(const std::string & topic, std::function<void(const Message &)> act)
{
  subscriptions_.push_back(node_->create_subscription<Message>(
    topic, waiting, [this, act = std::move(act)](const Message & message) {
      try {
        act(message);
      } catch (const std::exception & error) {
        RCLCPP_ERROR(node_->get_logger(), "%s", error.what());
      }
    }));
}

void Injections::answer(const std::string & service, std::function<std::string()> act)
{
  services_.push_back(node_->create_service<Trigger>(
    service, [act = std::move(act)](
               const Trigger::Request::SharedPtr, const Trigger::Response::SharedPtr response) {
      try {
        response->message = act();
        response->success = true;
      } catch (const std::exception & error) {
        response->message = error.what();
        response->success = false;
      }
    }));
}

void Injections::send(const Injection & injection)
{
  plant_.check(injection);
  if (!queue_.push(injection)) {
    throw std::runtime_error(
      "Too many injections wait for the next cycle; configure the hardware, or send them less "
      "often.");
  }
}

void Injections::push(const geometry_msgs::msg::WrenchStamped & message)
{
  ExternalForce requested;
  requested.force = vector(message.wrench.force);
  requested.moment = vector(message.wrench.torque);
  if (!(requested.force.isZero(0.0) && requested.moment.isZero(0.0))) {
    requested.link = plant_.link(message.header.frame_id);
  }
  send(requested);
}

void Injections::saturate(const std::vector<double> & factors)
{
  if (factors.size() != joints_.size()) {
    throw std::invalid_argument(
      "There are " + std::to_string(factors.size()) + " saturation factors, but must be " +
      std::to_string(joints_.size()) + ", one for each joint.");
  }
  std::vector<Saturation> requested;
  for (const double factor : factors) {
    requested.push_back({static_cast<int>(requested.size()), factor});
    plant_.check(requested.back());  // all of them before the first is sent
  }
  for (const auto & saturation : requested) {
    send(saturation);
  }
}

void Injections::fail_drive(const std::string & joint)
{
  const auto found = std::find(joints_.begin(), joints_.end(), joint);
  if (found == joints_.end()) {
    throw std::invalid_argument(
      "There is no drive of a joint '" + joint + "'; expected one of " + joined(joints_) + ".");
  }
  send(DriveFault{static_cast<int>(found - joints_.begin())});
}

std::string Injections::clear_fault()
{
  const Status status = status_.get();
  if (status.fault.reason == FaultReason::none) {
    return "the drives have no fault";
  }
  if (status.moving) {
    throw std::runtime_error(
      "the drives are still braking; clear their fault when the robot is at rest.");
  }
  send(FaultCleared{});
  return "the drives hold the robot where it is, and follow the next targets";
}

void Injections::publish_status()
{
  using diagnostic_msgs::msg::DiagnosticStatus;
  const Status status = status_.get();
  const std::string fault = describe(status.fault, joints_);
  if (fault != logged_fault_ && !fault.empty()) {
    RCLCPP_ERROR(node_->get_logger(), "%s", fault.c_str());
  }
  logged_fault_ = fault;
  DiagnosticStatus entry;
  entry.name = node_->get_name();
  entry.hardware_id = "dynid";
  entry.level = fault.empty() ? DiagnosticStatus::OK : DiagnosticStatus::ERROR;
  entry.message = fault.empty() ? "the simulated drives follow their targets" : fault;
  entry.values = {pair("lost frames", std::to_string(status.lost_frames))};
  diagnostic_msgs::msg::DiagnosticArray array;
  array.header.stamp = node_->now();
  array.status = {entry};
  diagnostics_->publish(array);
}

void Injections::apply(DrivePlant & plant) noexcept
{
  Injection injection;
  while (queue_.pop(injection)) {
    plant.inject(injection);
  }
}

void Injections::watch(const DrivePlant & plant) noexcept
{
  // while a reader holds the lock, the next cycle writes it
  std::ignore = status_.try_set(
    Status{
      plant.fault(), plant.velocity().cwiseAbs().maxCoeff() > speed_at_rest, plant.lost_frames()});
}

}  // namespace dynid
