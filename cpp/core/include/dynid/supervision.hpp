#pragma once

#include <Eigen/Core>
#include <vector>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// Why a drive's torque is not evaluated.
enum class BlindReason
{
  none,            ///< it is
  off,             ///< it has no threshold, or is not enabled
  guided,          ///< a hand guides the robot
  no_model,        ///< there is no model, and measured torque has no threshold
  model_torque,    ///< the model has no finite torque for the commanded motion
  bad_sample,      ///< a measured value is not finite
  suspended,       ///< after additive torque was lost, or while the command joins its reference
  settling,        ///< the filter of torque errors has not settled
  constant_torque  ///< the measured torque never changed, although the drive has moved
};

/// A drive whose torque was not evaluated for longer than permitted.
struct Blindness
{
  int drive = -1;      ///< from 0; -1: there is none
  double time = 0.0;   ///< since the last evaluation [s]
  double limit = 0.0;  ///< [s]
  BlindReason reason = BlindReason::none;
};

struct SupervisionSettings : declared::SupervisionSettings
{
  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check() const;
};

/// For each drive the time since its torque was last evaluated by a detector that could have
/// tripped. What is off by the settings is published and never counts. For a suspension that the
/// control law itself causes, the longest times are longer by its duration.
///
/// For control cycles: no allocation, lock or exception.
class Supervision
{
public:
  /// `suspension` (n,): the longest expected one of each drive [s].
  Supervision(const SupervisionSettings & settings, Eigen::VectorXd suspension);

  void restart() noexcept;
  void set_suspension(Eigen::Index i, double time) noexcept { suspension_[i] = time; }

  /// One cycle of a drive, which took this time [s].
  void count(Eigen::Index i, BlindReason reason, double time) noexcept;

  /// Time since the last evaluation (n,) [s]; infinity where torque is not supervised.
  [[nodiscard]] const Eigen::VectorXd & blind_time() const noexcept { return blind_time_; }

  [[nodiscard]] BlindReason reason(Eigen::Index i) const noexcept
  {
    return reasons_[static_cast<std::size_t>(i)];
  }

  /// The drive that is furthest beyond the longest time, that for a warning or that for a stop.
  [[nodiscard]] Blindness warned() const noexcept { return furthest(settings_.longest_blind); }
  [[nodiscard]] Blindness stopped() const noexcept
  {
    return furthest(settings_.longest_blind_stop);
  }

private:
  [[nodiscard]] Blindness furthest(double longest) const noexcept;

  SupervisionSettings settings_;
  Eigen::VectorXd suspension_;
  Eigen::VectorXd blind_time_;
  std::vector<BlindReason> reasons_;
};

}  // namespace dynid
