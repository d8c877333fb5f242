#pragma once

#include <Eigen/Core>

#include "dynid/drive_plant.hpp"

namespace dynid
{

/// The control loops of a DrivePlant's drives, see there; (n,) vectors at the motors.
class CspDrives
{
public:
  /// `inertia` [kg*m^2 or kg]: mean inertia at each motor, behind its gear.
  CspDrives(const DrivePlantSettings & settings, const Eigen::VectorXd & inertia);

  /// Holds a position at rest, with the required torque in the integrators (where there are any).
  void hold(const VectorIn & position, const VectorIn & torque) noexcept;

  /// Those that have not failed follow a reference from now on (n).
  void follow(
    const VectorIn & reference, const VectorIn & velocity, const Eigen::VectorXi & failed) noexcept;

  /// One drive follows a reference from now on.
  void follow(Eigen::Index drive, double reference, double velocity) noexcept;

  /// One step [s] along the ramp to rest that begins at the reference followed last, of those that
  /// have failed (n).
  void ramp_down(double step, const Eigen::VectorXi & failed) noexcept;

  /// Limits a drive to this share of its torque.
  void saturate(Eigen::Index drive, double factor) noexcept;

  /// Restores the full torque of all drives.
  void unsaturate() noexcept { torque_max_ = full_torque_max_; }

  /// The drive that exceeds its permitted following error, or -1.
  [[nodiscard]] int lost(const VectorIn & position) const noexcept;

  /// The torques of one step [s] (n,), and the integrators' growth in it.
  const Eigen::VectorXd & torque(
    const VectorIn & position, const VectorIn & velocity, const VectorIn & offset,
    double step) noexcept;

  /// Replaces the torques of those that have not failed (n) by these, within torque_max. The loops
  /// of one that fails next begin with it.
  const Eigen::VectorXd & exert(const VectorIn & torque, const Eigen::VectorXi & failed) noexcept;

  /// Of the velocity loops [N*m*s/rad or N*s/m].
  [[nodiscard]] const Eigen::VectorXd & velocity_gain() const noexcept { return velocity_gain_; }

  /// The torques of the last step.
  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }
  [[nodiscard]] const Eigen::VectorXd & reference() const noexcept { return reference_; }

private:
  Eigen::VectorXd position_gain_;  // kp [1/s]
  Eigen::VectorXd velocity_gain_;  // J kv [N*m*s/rad or N*s/m]
  Eigen::VectorXd integral_rate_;  // 1 / integral_time [1/s]
  Eigen::VectorXd full_torque_max_;
  Eigen::VectorXd torque_max_;
  Eigen::VectorXd stop_deceleration_;
  Eigen::VectorXd following_error_;
  Eigen::VectorXd reference_;
  Eigen::VectorXd reference_velocity_;
  Eigen::VectorXd integral_;  // [N*m or N]
  Eigen::VectorXd torque_;
};

}  // namespace dynid
