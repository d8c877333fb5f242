#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <functional>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rclcpp/node.hpp>
#include <realtime_tools/lock_free_queue.hpp>
#include <realtime_tools/realtime_thread_safe_box.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <vector>

#include "dynid/drive_plant.hpp"

namespace dynid
{

constexpr double speed_at_rest = 0.01;  // largest measured speed at rest [rad/s or m/s]

/// Topics and services that inject faults and forces into a running simulated robot, and
/// /diagnostics with the state of its drives. Names and types are those of the node
/// simulated_robot:
///
///     ~/inject_fault, ~/clear_fault  std_srvs/Trigger
///     ~/fail_drive                   std_msgs/String, the joint whose drive fails, and no other
///     ~/lose_frames                  std_msgs/Int32, cycles
///     ~/frame_loss                   std_msgs/Float64, probability
///     ~/saturate                     std_msgs/Float64MultiArray, share of torque_max of each drive
///     ~/external_force               geometry_msgs/WrenchStamped at the origin of the link that is
///                                    its frame, until one of zeros arrives
///
/// Callbacks are in the node's one group, so only one of them runs at a time. Their injections wait
/// in a lock-free queue for the next control cycle.
class Injections
{
public:
  /// The plant is used for checks only and must outlive this object; `joints` are its names.
  Injections(
    rclcpp::Node::SharedPtr node, const DrivePlant & plant, std::vector<std::string> joints);

  /// Applies the waiting injections to the plant. For control cycles: no allocation, waiting or
  /// exception.
  void apply(DrivePlant & plant) noexcept;

  /// Stores the plant's status. For control cycles: no allocation, waiting or exception.
  void watch(const DrivePlant & plant) noexcept;

private:
  struct Status
  {
    Fault fault;
    bool moving = false;
    std::uint64_t lost_frames = 0;
  };

  /// Throws std::runtime_error or std::invalid_argument with a sentence for the user.
  void send(const Injection & injection);
  void push(const geometry_msgs::msg::WrenchStamped & message);
  void saturate(const std::vector<double> & factors);
  void fail_drive(const std::string & joint);
  [[nodiscard]] std::string clear_fault();
  void publish_status();

  template <typename Message>
  void listen(const std::string & topic, std::function<void(const Message &)> act);
  void answer(const std::string & service, std::function<std::string()> act);

  rclcpp::Node::SharedPtr node_;
  const DrivePlant & plant_;
  std::vector<std::string> joints_;
  realtime_tools::LockFreeSPSCQueue<Injection, 256> queue_;
  realtime_tools::RealtimeThreadSafeBox<Status> status_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::string logged_fault_;
};

}  // namespace dynid
