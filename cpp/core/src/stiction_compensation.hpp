#pragma once

#include <Eigen/Core>
#include <optional>

#include "drive_inertia.hpp"
#include "dynid/control_law.hpp"

namespace dynid
{

/// Torque that helps a joint out of rest where a slow motion is intended.
///
/// The model's torque has the friction of the commanded velocity, smoothed around 0: in a slow
/// motion, a joint stays behind until the position error overcomes dry friction at rest, and then
/// slips. With z the direction of the intended motion, from -1 to 1, F the model's dry friction at
/// rest under the present load, s the part of it that the model's torque has already, and u the
/// measured speed in that direction beyond the intended one, the push is
///
///     sign(z) (max(gain F |z|, s) max(0, 1 - u / fading) - s)
///
/// - z is a stop operator of the intended motion (Prandtl): it builds up over stiction_band,
///   reverses with hysteresis, and decays within ramp_time. It does not depend on feedback, so at
///   an intended rest there is no push, and nothing that could sustain a limit cycle.
/// - Friction that falls with speed makes a slow motion unstable under any feedforward. The push,
///   and the model's friction with it, fades with the speed of a slip, so that it damps it. The
///   fading speed is so large that this damping is stable with the delay of the loop: gain F /
///   fading <= M / (3 delay), with M the drive's inertia.
///
/// A dither is added, a torque that would move the joint by a given amplitude if it had no
/// friction, within the dry friction, where the push is and slow motion is intended.
///
/// Vectors (n,); for control cycles: no allocation, lock or exception.
class StictionCompensation
{
public:
  /// `checked` settings; `delay` from a torque to the feedback of its motion [s]; `inertia` of the
  /// drives, which its owner keeps up to date, or none (nullptr), and then it has its own.
  StictionCompensation(
    Eigen::Index drives, const ControlLawSettings & checked, double delay,
    const DriveInertia * inertia);

  /// No push, as at rest.
  void restart() noexcept;

  /// One cycle, after the model's torque of this commanded motion was computed, with the measured
  /// velocity: the push of the next.
  void update(
    ControlModel * model, const Reference & commanded, const VectorIn & torque,
    const VectorIn & velocity) noexcept;

  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }

private:
  [[nodiscard]] const DriveInertia & inertia() const noexcept
  {
    return own_inertia_ ? *own_inertia_ : *given_inertia_;
  }
  [[nodiscard]] double push(Eigen::Index i, double measured) const noexcept;
  [[nodiscard]] double dither(Eigen::Index i, double intended) const noexcept;

  StictionSettings settings_;
  bool enabled_;
  double rate_;         // [Hz]
  double decay_;        // of the direction in a cycle
  double delay_;        // [s]
  double lag_;          // share of a cycle in that
  double dither_rate_;  // [rad/s]
  double phase_ = 0.0;
  std::optional<DriveInertia> own_inertia_;
  const DriveInertia * given_inertia_;
  Eigen::VectorXd last_;  // commanded position
  Eigen::VectorXd direction_;
  Eigen::VectorXd expected_;  // measured speed, which follows the intended one with the delay
  Eigen::VectorXd friction_;  // dry, of the model
  Eigen::VectorXd present_;   // friction in the torque of the model
  Eigen::VectorXd unsmoothed_;
  Eigen::VectorXd torque_;
  bool moved_ = false;  // whether there is a command before
};

}  // namespace dynid
