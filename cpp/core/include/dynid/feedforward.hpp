#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "dynid/control_model.hpp"
#include "dynid/declared_settings.hpp"
#include "dynid/delay_line.hpp"

namespace dynid
{

/// Vectors have one value for each drive (n,), in SI behind the gear.
struct FeedforwardSettings : declared::FeedforwardSettings
{
  double control_rate = 1000.0;  ///< [Hz]

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;

  /// Share of ramp_time that a cycle is, at most 1.
  [[nodiscard]] double ramp_step() const noexcept
  {
    return 1.0 / std::max(1.0, ramp_time * control_rate);
  }
};

/// Why there is no additive torque.
enum class InactiveReason
{
  none,  ///< there is
  no_model,
  not_finite,      ///< a command, or the torque it requires
  unreachable,     ///< a command at which the loops of a closed chain cannot be closed
  command_jump,    ///< a command further than position_jump from the one before
  acceleration,    ///< a commanded acceleration above acceleration_jump
  reference_away,  ///< the reference is too far from the command, which waits for it
  position_limit,  ///< the reference was beyond a position limit; the command came to rest
  too_fast,        ///< the command came to rest: the other limits did not permit to follow
  uneven,          ///< the command came to rest: the reference's cycles were too uneven
  latched,         ///< since a collision
  guided,          ///< a hand guides the robot, and no collision is detected
  model_wrong      ///< torque errors are larger than the model's own error explains
};

/// A torque that does not jump where another model gives it: the difference fades over ramp_time.
/// Vectors (n,) [N*m or N]; for control cycles: no allocation, lock or exception.
class SmoothTorque
{
public:
  SmoothTorque(Eigen::Index drives, double ramp_step) : step_(ramp_step)
  {
    torque_.setZero(drives);
    difference_.setZero(drives);
  }

  /// Begins at a torque, without a difference.
  void start(const VectorIn & torque) noexcept
  {
    torque_ = torque;
    changed_ = false;
    fading_ = 0.0;
  }

  /// Drops the difference.
  void drop() noexcept { fading_ = 0.0; }

  /// From the next cycle on, the torque is another model's.
  void model_changed() noexcept { changed_ = true; }

  /// One cycle with the model's torque; `acts`: whether the torque before did, and must not jump.
  void update(const Eigen::VectorXd & torque, bool acts = true) noexcept
  {
    if (changed_) {
      changed_ = false;
      difference_ = torque_ - torque;
      fading_ = acts ? 1.0 : 0.0;
    }
    fading_ = std::max(0.0, fading_ - step_);
    torque_ = torque;
    if (fading_ > 0.0) {
      torque_ += fading_ * difference_;
    }
  }

  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }

private:
  double step_;           // of fading in a cycle
  double fading_ = 0.0;   // of the difference to the model before, from 1 to 0
  bool changed_ = false;  // whether the model has changed since the last cycle
  Eigen::VectorXd difference_;
  Eigen::VectorXd torque_;
};

/// The additive torque: the inverse dynamics of the commanded motion, some cycles later.
///
/// It is ramped in and out. When the model or its payload changes, the difference fades over the
/// same time. For an InactiveReason it is zero at once, and afterwards ramped in again; only where
/// the model was removed, or the command comes to rest on its path (fade()), it is ramped out.
class Feedforward
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  Feedforward(Eigen::Index drives, const FeedforwardSettings & settings);

  // For control cycles: no allocation, lock or exception.

  /// Uses another model from now on, or none (nullptr). The caller owns it.
  void use(ControlModel * model) noexcept;

  /// 0 to 1, to be reached along the ramp.
  void set_gain(double gain) noexcept;
  void set_mode(FeedforwardMode mode) noexcept;

  /// Whether the model describes the robot; the torque of one that does not is ramped out.
  void trust(bool model_describes_robot) noexcept { trusted_ = model_describes_robot; }

  /// Clears all past commands; the additive torque is ramped in again.
  void restart() noexcept;

  /// One cycle: the torque offset to be sent now (n,) [N*m or N], from commands (n,).
  /// `cycles` is the time since the last commands, more than 1 where a cycle came late; at most 100
  /// of them count for the detection of jumps.
  const Eigen::VectorXd & update(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles = 1.0) noexcept;

  /// The first half of update(): why there is no additive torque for these references, or none.
  [[nodiscard]] InactiveReason check(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, double cycles) noexcept;

  /// The second half: one cycle, with what check() found; for the motion that is commanded, which
  /// need not be the reference.
  const Eigen::VectorXd & send(
    InactiveReason found, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept;

  /// One cycle in which the torque of the commanded motion is ramped out.
  const Eigen::VectorXd & fade(
    InactiveReason why, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept;

  /// Adds this torque (n,) to that of the model from now on.
  void push(const Eigen::VectorXd & torque) noexcept { push_ = torque; }

  /// The model's torque of the next motion includes this (n,), by which motors of elastic joints
  /// accelerate beyond their links; nullptr: none. The caller owns it.
  void lead(const Eigen::VectorXd * torque) noexcept { lead_ = torque; }

  /// Cycles without a command, before this one: the last torque is sent again.
  void repeat(int cycles) noexcept { delay_.repeat(cycles); }

  /// One cycle without valid commands.
  const Eigen::VectorXd & suspend(InactiveReason why) noexcept;

  /// The whole torque (n,) for the commands of the last cycle, in either mode, neither delayed nor
  /// limited; valid while known().
  [[nodiscard]] const Eigen::VectorXd & model_torque() const noexcept { return model_torque_; }
  [[nodiscard]] bool known() const noexcept { return known_; }
  [[nodiscard]] const Eigen::VectorXd & torque_offset() const noexcept { return offset_; }
  [[nodiscard]] InactiveReason inactive_reason() const noexcept { return inactive_reason_; }
  [[nodiscard]] double gain() const noexcept { return gain_; }

private:
  [[nodiscard]] InactiveReason evaluate(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept;
  void blend(double wanted_gain) noexcept;
  const Eigen::VectorXd & delayed_offset() noexcept;

  FeedforwardSettings settings_;
  ControlModel * model_ = nullptr;
  const Eigen::VectorXd * lead_ = nullptr;
  FeedforwardMode mode_ = FeedforwardMode::full;
  InactiveReason inactive_reason_ = InactiveReason::no_model;
  double step_;  // of the ramp in one cycle
  double wanted_gain_ = 1.0;
  double gain_ = 0.0;
  bool trusted_ = true;
  bool known_ = false;    // whether model_torque_ is of this cycle
  bool moved_ = false;    // whether there is a command before this one
  Eigen::VectorXd last_;  // command
  Eigen::VectorXd model_torque_;
  Eigen::VectorXd mode_torque_;  // what of it the mode adds
  SmoothTorque smooth_;          // the same
  Eigen::VectorXd push_;
  Eigen::VectorXd due_;
  Eigen::VectorXd offset_;
  DelayLine delay_;
};

}  // namespace dynid
