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

/// Topics and services by which faults and forces come to a simulated robot while it runs, and
/// /diagnostics, which tells what its drives say to that. Names and types are those of the node
/// simulated_robot:
///
///     ~/inject_fault, ~/clear_fault  std_srvs/Trigger
///     ~/fail_drive                   std_msgs/String, the joint whose drive alone is in fault
///     ~/lose_frames                  std_msgs/Int32, cycles
///     ~/frame_loss                   std_msgs/Float64, probability
///     ~/saturate                     std_msgs/Float64MultiArray, share of torque_max of each drive
///     ~/external_force               geometry_msgs/WrenchStamped at the origin of the link that is
///                                    its frame, until one of zeros comes
///
/// Callbacks are of the node's one group, so that one of them runs at a time. What they ask for
/// waits in a queue without locks for the next control cycle.
class Injections
{
public:
  /// The plant, which is only asked what is possible, must live as long; joints are its names.
  Injections(
    rclcpp::Node::SharedPtr node, const DrivePlant & plant, std::vector<std::string> joints);

  /// Injects what was asked for. For control cycles: no allocation, waiting or exception.
  void pass_on(DrivePlant & plant) noexcept;

  /// Takes note of how the plant is. For control cycles: no allocation, waiting or exception.
  void watch(const DrivePlant & plant) noexcept;

private:
  struct Status
  {
    Fault fault;
    bool moving = false;
    std::uint64_t lost_frames = 0;
  };

  /// Throws std::runtime_error or std::invalid_argument with a sentence.
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
  std::string told_;  // the fault that was logged
};

}  // namespace dynid
