#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "dynid/control_law.hpp"
#include "dynid/delay_line.hpp"

namespace dynid
{

/// Vectors have one value for each drive (n,), in SI behind the gear.
struct ModelUpdatesSettings
{
  double control_rate = 1000.0;       ///< [Hz]
  double ramp_time = 0.5;             ///< in which the law fades from model to model [s]
  double timeout = 5.0;               ///< without an update, after which the input is lost [s]
  double hold_time = 10.0;            ///< without updates after an alarm or a rising residual [s]
  double residual_time = 1.0;         ///< of motion over which residuals are averaged [s]
  double residual_ratio = 1.5;        ///< r.m.s. of residuals, updated over accepted model
  double torque_error_delay = 0.003;  ///< of a measured torque after its command [s]
  Eigen::VectorXd torque_difference;  ///< of the two models [N*m or N]
  Eigen::VectorXd low_speed;          ///< up to which dry friction is unknown [rad/s or m/s]

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

/// Whether a law stopped the robot, or a torque error is at least at the warning level.
[[nodiscard]] bool has_alarm(const ControlLaw & law) noexcept;

/// Why the accepted model is used again.
enum class FallbackCause
{
  none,
  alarm,              ///< the robot stopped, or a torque error is at the warning level
  residual,           ///< the update predicts the measured torque worse than the accepted model
  torque_difference,  ///< the models' torques differ by more than allowed in the present motion
  lost_input,         ///< no update for `timeout`
  payload             ///< a payload was set, which updates do not know of
};

struct ModelUpdatesReport
{
  bool updated = false;                       ///< whether an update is in use
  FallbackCause cause = FallbackCause::none;  ///< of the last fallback
  int drive = -1;                             ///< with that cause, from 0; -1: none in particular
  double value = 0.0;                         ///< that was too large
  double limit = 0.0;                         ///< of that
  std::uint64_t taken = 0;                    ///< updates used so far
  std::uint64_t fallbacks = 0;
};

/// Chooses in each cycle which model a control law uses: the accepted one, or an update that passed
/// ModelUpdateCheck. The law's own fade connects them: a law that gets another model fades the
/// difference of the torques linearly over its ramp_time.
///
/// An update begins only when the last fade is complete, so with B = torque_difference and N =
/// ramp_time control_rate, a change of model changes the torque by at most 3 B / N in a cycle: B /
/// N where an update is faded in or out, 2 B / N from one to the next, 3 B / N where that fade is
/// interrupted by a fallback.
///
/// Time is that of the cycles. Residuals count above low_speed and are those of commanded motion.
class ModelUpdates
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  ModelUpdates(Eigen::Index drives, const ModelUpdatesSettings & settings);

  [[nodiscard]] Eigen::Index joint_count() const noexcept { return torque_.size(); }

  // For control cycles: no allocation, lock or exception.

  /// Another accepted model, or none (nullptr): no update is in use. The caller owns it.
  void accept(ControlModel * model) noexcept;

  /// An update arrived, whether it is taken or not.
  void heard() noexcept { silence_ = 0.0; }

  /// Whether an update can be taken now: no fade is under way and none is held off.
  [[nodiscard]] bool ready() const noexcept;

  /// Uses an update from now on if its torque is within the bound at the last cycle's motion. The
  /// caller owns it and keeps it alive while chosen() is it. Nothing happens unless ready().
  void take(ControlModel * update) noexcept;

  /// Uses the accepted model again.
  void fall_back(
    FallbackCause cause, int drive = -1, double value = 0.0, double limit = 0.0) noexcept;

  /// After a cycle of a law: its commanded motion, the measured torque (n,) and whether it has an
  /// alarm. `cycles` is the time since the last one.
  void update(
    const Reference & motion, const VectorIn & torque, bool alarm, double cycles = 1.0) noexcept;

  /// The model for the next cycle of the law; nullptr where none is accepted.
  [[nodiscard]] ControlModel * chosen() const noexcept
  {
    return update_ != nullptr ? update_ : accepted_;
  }
  [[nodiscard]] const ModelUpdatesReport & report() const noexcept { return report_; }

private:
  [[nodiscard]] bool within_bound() noexcept;
  void compare_residuals(const VectorIn & torque) noexcept;
  void restart_residuals() noexcept;

  ModelUpdatesSettings settings_;
  int delay_;  // of measured torque [cycles]
  ControlModel * accepted_ = nullptr;
  ControlModel * update_ = nullptr;
  ModelUpdatesReport report_;
  double silence_ = 0.0;  // since the last update arrived [cycles], as all below
  double settled_ = 0.0;  // since the last change of model
  double held_ = 0.0;     // remaining
  int known_ = 0;         // since when the delay line has torques of the update
  Reference motion_;
  Eigen::VectorXd torque_;    // of the accepted model
  Eigen::VectorXd other_;     // of the update
  Eigen::VectorXd expected_;  // both, and the velocity (3 n)
  Eigen::VectorXd squares_;   // mean, of the accepted model's residuals
  Eigen::VectorXd updated_squares_;
  Eigen::VectorXd counted_;  // cycles in those means
  DelayLine line_;
};

}  // namespace dynid
