#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

#include "dynid/delay_line.hpp"
#include "dynid/drive_plant_settings.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// The frames that carry targets and torque offsets to a DrivePlant's drives, and may be lost.
///
/// Without a frame a drive extrapolates by the step between its last two targets, as drives that
/// bridge gaps by CiA402's linear interpolation do, for extrapolated_cycles at most; then it holds.
/// Its torque offset stays. The drives' side of the coupling is that of the motors, the commanded
/// side that of motors or joints.
class CommandFrames
{
public:
  static constexpr int extrapolated_cycles = 10;

  CommandFrames(const DrivePlantSettings & settings, const Eigen::MatrixXd & side_to_motor);

  /// Resets to this target as the past and present one, without an offset and without lost frames.
  void rest_at(const VectorIn & side_position) noexcept;

  /// Resets to this reference of the motors as past and present target, without an offset.
  void hold(const VectorIn & motor_position) noexcept;

  /// Resets to this torque of the motors as past and present offset.
  void exert(const VectorIn & motor_torque) noexcept;

  /// One cycle: target and offset at the commanded side. False where the frame is lost, so that
  /// neither reaches the drives.
  [[nodiscard]] bool take(const VectorIn & target, const VectorIn & offset) noexcept;

  void lose(int cycles) noexcept { to_lose_ = cycles; }
  void lose_randomly(double probability) noexcept { probability_ = probability; }

  /// What acts now: targets and offsets of the motors (2 n).
  [[nodiscard]] const Eigen::VectorXd & due() const noexcept { return due_; }

  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

  /// Whether no frame arrived in more than extrapolated_cycles.
  [[nodiscard]] bool missing() const noexcept { return gap_ > extrapolated_cycles; }

private:
  [[nodiscard]] bool arrives() noexcept;
  void accept(const VectorIn & target, const VectorIn & offset) noexcept;

  Eigen::MatrixXd side_to_motor_;
  Eigen::MatrixXd motor_to_side_;
  DelayLine line_;
  std::mt19937_64 random_;  // separate from noise, which is the same with and without losses
  int to_lose_ = 0;
  double probability_ = 0.0;
  int gap_ = 0;  // cycles since the last frame
  std::uint64_t rejected_ = 0;
  std::uint64_t lost_ = 0;
  // at the commanded side
  Eigen::VectorXd target_;  // the last that was usable
  Eigen::VectorXd offset_;
  // at the motors
  Eigen::VectorXd command_;  // target and offset (2 n)
  Eigen::VectorXd before_;   // target of the frame before
  Eigen::VectorXd step_;     // between the last two
  Eigen::VectorXd due_;
};

/// Larger values count as infinite, because sums of them could overflow.
[[nodiscard]] bool usable(double value) noexcept;

}  // namespace dynid
