#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <vector>

#include "dynid/control_law.hpp"

namespace dynid
{

/// What ~/state says of one control cycle: quantities of all joints, one after the other.
struct StateSample
{
  static constexpr Eigen::Index quantities = 10;

  explicit StateSample(std::size_t joints = 0)
  {
    values.setZero(static_cast<Eigen::Index>(joints), quantities);
  }

  /// In control cycles: no allocation, lock or exception.
  void fill(
    std::int64_t now, const Reference & reference, const Feedback & feedback,
    const ControlLaw & law, const Eigen::VectorXd & torque_command) noexcept
  {
    time = now;
    values.col(0) = reference.position;
    values.col(1) = reference.velocity;
    values.col(2) = torque_command;
    values.col(3) = feedback.position;
    values.col(4) = feedback.velocity;
    values.col(5) = feedback.torque;
    values.col(6) = law.torque_error();
    values.col(7) = law.detector().filtered_error();
    values.col(8) = law.detector().threshold();
    values.col(9) = law.supervision().blind_time();
  }

  std::int64_t time = 0;   ///< [ns]
  Eigen::MatrixXd values;  ///< (n, quantities)
};

/// ~/state: for each quantity one row per joint, named `<joint>/<quantity>`; NaN where a quantity
/// has no such value. The effort of blind_time is a time [s].
class StateMessage
{
public:
  explicit StateMessage(const std::vector<std::string> & joints) : joints_(joints.size())
  {
    for (const char * quantity :
         {"reference", "feedback", "torque_error", "filtered_error", "threshold", "blind_time"}) {
      for (const auto & joint : joints) {
        message_.name.push_back(joint + "/" + quantity);
      }
    }
    for (auto * values : {&message_.position, &message_.velocity, &message_.effort}) {
      values->assign(message_.name.size(), nan);
    }
  }

  [[nodiscard]] const sensor_msgs::msg::JointState & message() const { return message_; }

  void fill(const StateSample & sample)
  {
    message_.header.stamp.sec = static_cast<std::int32_t>(sample.time / 1'000'000'000);
    message_.header.stamp.nanosec = static_cast<std::uint32_t>(sample.time % 1'000'000'000);
    // reference and feedback; of the others only the effort
    auto & m = message_;
    const std::array<std::vector<double> *, StateSample::quantities> fields{
      {&m.position, &m.velocity, &m.effort, &m.position, &m.velocity, &m.effort, &m.effort,
       &m.effort, &m.effort, &m.effort}};
    constexpr std::array<std::size_t, StateSample::quantities> blocks{
      {0, 0, 0, 1, 1, 1, 2, 3, 4, 5}};
    for (std::size_t k = 0; k < fields.size(); ++k) {
      for (std::size_t i = 0; i < joints_; ++i) {
        (*fields[k])[blocks[k] * joints_ + i] =
          sample.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      }
    }
  }

private:
  std::size_t joints_;
  sensor_msgs::msg::JointState message_;
};

}  // namespace dynid
