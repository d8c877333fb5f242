#pragma once

#include <atomic>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <hardware_interface/loaned_command_interface.hpp>
#include <hardware_interface/loaned_state_interface.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <realtime_tools/realtime_thread_safe_box.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <vector>

#include "dynid/drive_gate.hpp"

namespace dynid
{

/// Names of the interfaces that a joint has for its drive's state machine; empty: none.
struct DriveInterfaces
{
  std::string status;  ///< state: status word, 0x6041
  std::string error;   ///< state: error code, 0x603F
  std::string reset;   ///< command: a step away from 0 resets a fault
};

/// Appends the interface of this kind of each joint; none where it has no name.
void append_interfaces(
  const std::string & kind, const std::vector<std::string> & joints,
  std::vector<std::string> & found);

/// A DriveGate between the state interfaces of drives and the topics of a controller:
///
///     /dynid/drives   diagnostic_msgs/DiagnosticStatus, latched: OK where every drive is enabled,
///                     WARN while waiting for a drive, ERROR where one is in fault or was lost
///     /diagnostics    the same each second
///     ~/reset_fault   std_srvs/Trigger: resets the drives in fault, once the robot is at rest
class DriveLink
{
public:
  using States = std::vector<hardware_interface::LoanedStateInterface>;
  using Commands = std::vector<hardware_interface::LoanedCommandInterface>;

  /// For control cycles per second [Hz].
  DriveLink(std::vector<std::string> joints, DriveInterfaces names, double rate);

  /// The interfaces of joints that the controller has to claim, one kind after the other.
  static void append_states(
    const DriveInterfaces & names, const std::vector<std::string> & joints,
    std::vector<std::string> & found);
  static void append_commands(
    const DriveInterfaces & names, const std::vector<std::string> & joints,
    std::vector<std::string> & found);

  /// Creates the topics and the service on a controller's node.
  void offer(const std::shared_ptr<rclcpp_lifecycle::LifecycleNode> & node);

  /// Begins to wait for the drives; their interfaces are the last ones of the controller.
  void start(const States & states, Commands & commands);

  /// Requests are refused from now on.
  void stop() noexcept { active_ = false; }

  // For control cycles: no allocation, lock or exception.

  /// One cycle: measured positions, and the reference, not finite where there is none (n,).
  DrivePhase update(
    const States & states, Commands & commands, const VectorIn & position,
    const VectorIn & reference) noexcept;

  /// Reports the position command (n,) while running or stopping.
  void commanded(const VectorIn & position, bool at_rest) noexcept
  {
    gate_.commanded(position, at_rest);
  }

  [[nodiscard]] const DriveGate & gate() const noexcept { return gate_; }

private:
  using Trigger = std_srvs::srv::Trigger;
  using DiagnosticStatus = diagnostic_msgs::msg::DiagnosticStatus;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  enum class Request
  {
    none,
    requested,
    refused,  ///< the robot is still braking
    done
  };
  struct News
  {
    DriveReport report;
    int fault = -1;  // first drive in fault, from 0
    DriveWords words;
  };

  // in the control cycle
  void take_request() noexcept;
  void write_resets(Commands & commands) noexcept;
  void update_status() noexcept;

  // outside of it
  void reset(Trigger::Response & response);
  [[nodiscard]] bool waited_for(const std::function<bool()> & event, double timeout) const;
  [[nodiscard]] DiagnosticStatus status(const DriveReport & report) const;
  void publish();

  std::vector<std::string> joints_;
  DriveInterfaces names_;
  DriveGate gate_;
  std::vector<DriveWords> words_;
  std::size_t first_state_ = 0;
  std::size_t first_command_ = 0;
  int pulse_;   // cycles that a reset lasts
  int pulsed_;  // cycles of it so far
  std::vector<double> raised_;

  std::atomic<bool> active_{false};
  std::atomic<Request> request_{Request::none};
  realtime_tools::RealtimeThreadSafeBox<News> news_;

  rclcpp_lifecycle::LifecycleNode::WeakPtr node_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::Publisher<DiagnosticStatus>::SharedPtr drives_out_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_out_;
  rclcpp::Service<Trigger>::SharedPtr service_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::string published_message_;
  int ticks_ = 0;  // of the timer since /diagnostics
};

}  // namespace dynid
