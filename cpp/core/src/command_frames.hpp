#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

#include "dynid/delay_line.hpp"
#include "dynid/drive_plant_settings.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// The frames that bring a DrivePlant's drives their targets and torque offsets, and may get lost.
///
/// Without a frame a drive goes on by the step between its last two targets, as CiA402's linear
/// interpolation does in drives that bridge gaps, but for extrapolated_cycles at most; then it
/// holds. Its torque offset stays. The drives' side of the coupling is motors, the commanded one
/// motors or joints.
class CommandFrames
{
public:
  static constexpr int extrapolated_cycles = 10;

  CommandFrames(const DrivePlantSettings & settings, const Eigen::MatrixXd & side_to_motor);

  /// As if this target had come all along, without an offset, and no frame were to be lost.
  void rest_at(const VectorIn & side_position) noexcept;

  /// As if this reference of the motors had been the target all along, without an offset.
  void hold(const VectorIn & motor_position) noexcept;

  /// One cycle: target and offset at the commanded side, of which neither reaches the drives where
  /// the frame is lost; then this is false.
  [[nodiscard]] bool take(const VectorIn & target, const VectorIn & offset) noexcept;

  void lose(int cycles) noexcept { to_lose_ = cycles; }
  void lose_randomly(double probability) noexcept { probability_ = probability; }

  /// What acts now: targets and offsets of the motors (2 n).
  [[nodiscard]] const Eigen::VectorXd & due() const noexcept { return due_; }

  /// The last target that was usable, at the commanded side.
  [[nodiscard]] const Eigen::VectorXd & target() const noexcept { return target_; }
  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

private:
  [[nodiscard]] bool arrives() noexcept;
  void accept(const VectorIn & target, const VectorIn & offset) noexcept;

  Eigen::MatrixXd side_to_motor_;
  Eigen::MatrixXd motor_to_side_;
  DelayLine line_;
  std::mt19937_64 random_;  // apart from noise, which is the same with and without losses
  int to_lose_ = 0;
  double probability_ = 0.0;
  int gap_ = 0;  // cycles since the last frame
  std::uint64_t rejected_ = 0;
  std::uint64_t lost_ = 0;
  // at the commanded side
  Eigen::VectorXd target_;
  Eigen::VectorXd offset_;
  // at the motors
  Eigen::VectorXd command_;  // target and offset (2 n)
  Eigen::VectorXd before_;   // target of the frame before
  Eigen::VectorXd step_;     // between the last two
  Eigen::VectorXd due_;
};

/// What is larger counts as infinite, or sums of it would be.
[[nodiscard]] bool usable(double value) noexcept;

}  // namespace dynid
