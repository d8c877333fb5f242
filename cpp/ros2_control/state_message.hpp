#pragma once

#include <cstddef>
#include <limits>
#include <rclcpp/time.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <vector>

#include "dynid/control_law.hpp"

namespace dynid
{

/// ~/state: for each quantity one row per joint, named `<joint>/<quantity>`; NaN where a quantity
/// has no such value.
class StateMessage
{
public:
  explicit StateMessage(const std::vector<std::string> & joints) : joints_(joints.size())
  {
    for (const char * quantity :
         {"reference", "feedback", "torque_error", "filtered_error", "threshold"}) {
      for (const auto & joint : joints) {
        message_.name.push_back(joint + "/" + quantity);
      }
    }
    for (auto * values : {&message_.position, &message_.velocity, &message_.effort}) {
      values->assign(message_.name.size(), std::numeric_limits<double>::quiet_NaN());
    }
  }

  [[nodiscard]] const sensor_msgs::msg::JointState & message() const { return message_; }

  /// In control cycles: no allocation.
  void fill(
    const rclcpp::Time & time, const Reference & reference, const Feedback & feedback,
    const ControlLaw & law, const Eigen::VectorXd & torque_command) noexcept
  {
    const auto now = time.nanoseconds();
    message_.header.stamp.sec = static_cast<std::int32_t>(now / 1'000'000'000);
    message_.header.stamp.nanosec = static_cast<std::uint32_t>(now % 1'000'000'000);
    for (std::size_t i = 0; i < joints_; ++i) {
      const auto j = static_cast<Eigen::Index>(i);
      message_.position[i] = reference.position[j];
      message_.velocity[i] = reference.velocity[j];
      message_.effort[i] = torque_command[j];
      message_.position[joints_ + i] = feedback.position[j];
      message_.velocity[joints_ + i] = feedback.velocity[j];
      message_.effort[joints_ + i] = feedback.torque[j];
      message_.effort[2 * joints_ + i] = law.torque_error()[j];
      message_.effort[3 * joints_ + i] = law.detector().filtered_error()[j];
      message_.effort[4 * joints_ + i] = law.detector().threshold()[j];
    }
  }

private:
  std::size_t joints_;
  sensor_msgs::msg::JointState message_;
};

}  // namespace dynid
