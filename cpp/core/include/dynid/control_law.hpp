#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>

#include "dynid/collision_detector.hpp"
#include "dynid/command_limits.hpp"
#include "dynid/elastic.hpp"
#include "dynid/feedforward.hpp"
#include "dynid/model_monitor.hpp"
#include "dynid/stiction.hpp"
#include "dynid/supervision.hpp"

namespace dynid
{

/// States of a ControlLaw; docs/control.md has the transitions.
enum class LawState
{
  following,  ///< the command follows the reference, perhaps along a transition to it
  waiting,    ///< it comes to rest, and waits for a reference near it: inactive_reason() says why
  stopping,   ///< it comes to rest after a collision or a fault
  stopped     ///< it rests until reset()
};

/// Whether a collision or a fault holds the robot.
[[nodiscard]] constexpr bool is_stop(LawState state) noexcept
{
  return state == LawState::stopping || state == LawState::stopped;
}

struct ControlLawSettings : declared::ControlLawSettings
{
  FeedforwardSettings feedforward;
  CollisionSettings collision;
  CommandLimits limits;  ///< of the position command
  SupervisionSettings supervision;
  StictionSettings stiction;
  ElasticSettings elastic;
  ModelMonitorSettings model_monitor;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

/// A motion at one instant, (n,) each [rad or m, per s, per s^2].
struct Reference
{
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd acceleration;
};

/// Feedback of the drives, (n,) each [rad or m, per s, N*m or N].
struct Feedback
{
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd torque;
  // of the links of elastic joints; empty where nothing measures it
  Eigen::VectorXd link_position = {};  ///< of encoders, in their unit
  Eigen::VectorXd link_torque = {};    ///< of sensors in the gears
};

class DriveInertia;

/// Whether a collision was cleared, and otherwise why not.
enum class ResetAnswer
{
  done,
  nothing_latched,
  moving,         ///< the robot is not at rest yet
  reference_away  ///< the reference is not where the robot is held
};

struct ResetReport
{
  ResetAnswer answer = ResetAnswer::nothing_latched;
  int drive = -1;         ///< whose reference is furthest from the command, from 0
  double distance = 0.0;  ///< of that [rad or m]
};

/// The whole control cycle of a position-controlled robot with a model: additive torque, collision
/// detection and the reaction to collisions. All quantities are at the commanded side, in SI.
///
/// The command follows the reference. After a jump of the reference, the command reaches it within
/// ramp_time if the jump is within reference_tolerance; otherwise the command waits, without
/// additive torque, until it is. Where cycles are uneven, the command advances by the distance of
/// one nominal cycle in each and catches up later; drives that move on by themselves without a
/// command find it there, within extrapolation_time. Where this or the limits would take the
/// command further than reference_tolerance from the reference, or the reference beyond a position
/// limit, the command comes to rest on its path and waits there, while the additive torque ramps
/// out. The last stage is always CommandGuard: in a cycle of the drives the command changes by no
/// more than velocity_max allows, and this change by no more than acceleration_max, except in a
/// stop.
///
/// Feedback that is missing for max_age stops the robot as a collision does, and so does torque
/// that is not evaluated for longest_blind_stop (Supervision). The additive torque of a model whose
/// torque errors are too large in motion is ramped out (ModelMonitor). Torque errors are ignored
/// for ramp_time after additive torque was removed at once or the command left its reference: the
/// drives' own loops then replace the removed torque, in a motion that the model does not have.
/// After a cycle more than a tenth too short or too long, thresholds are raised as near standstill.
class ControlLaw
{
public:
  /// Throws std::invalid_argument with a sentence for the user. `inertia`: of the drives, which its
  /// owner keeps up to date and alive (TorqueLaw), or none, where the law computes what it needs.
  ControlLaw(
    Eigen::Index drives, const ControlLawSettings & settings,
    const DriveInertia * inertia = nullptr);
  ControlLaw(ControlLaw && other) noexcept;
  ControlLaw & operator=(ControlLaw && other) noexcept;
  ControlLaw(const ControlLaw &) = delete;
  ControlLaw & operator=(const ControlLaw &) = delete;
  ~ControlLaw();

  [[nodiscard]] Eigen::Index joint_count() const noexcept;

  // For control cycles: no allocation, lock or exception.

  /// Starts at rest at a position (n,), without a collision; at the previous command where the
  /// position is not finite.
  void start(const VectorIn & position) noexcept;

  /// Uses another model, or none (nullptr). The caller owns it and keeps it alive while it is used.
  void use(ControlModel * model) noexcept;

  /// Sets the payload of the model in use, which must pass Payload::check().
  void set_payload(const Payload & payload) noexcept;

  void set_gain(double gain) noexcept;           ///< of the additive torque, 0 to 1
  void set_mode(FeedforwardMode mode) noexcept;  ///< of the additive torque
  void set_collision(const CollisionSettings & settings) noexcept;  ///< that pass check()
  void set_reaction(CollisionReaction reaction) noexcept;

  /// One cycle. At a reference position that is not finite, or beyond 1e9, the command comes to
  /// rest. `cycles` is the time since the last one: more than 1 where this one comes late; a time
  /// that is not above 0 counts as 1. `drive_cycles` are those of drives that move on by themselves
  /// since the last call, where they count them; else they are derived from the time.
  void update(
    const Reference & reference, const Feedback & feedback, double cycles = 1.0,
    std::optional<int> drive_cycles = {}) noexcept;

  /// Stops as for a collision, for a cause that was found outside.
  void stop(const Collision & found) noexcept;

  /// One cycle in which a hand guides the robot: the command is its position, at rest, and nothing
  /// is supervised. start() ends that.
  void guide(const VectorIn & position) noexcept;

  /// Follows references again after a collision.
  ResetReport reset() noexcept;

  // of the last cycle, (n,) each
  [[nodiscard]] const Eigen::VectorXd & position_command() const noexcept;  ///< finite, always
  /// The motion of position_command(): the reference's own velocity and acceleration where it is
  /// followed exactly and they are finite, else differences of the commands.
  [[nodiscard]] const Reference & commanded_motion() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & torque_offset() const noexcept;  ///< finite, <= torque_max
  /// What the next cycle adds to the model's torque against dry friction at rest.
  [[nodiscard]] const Eigen::VectorXd & stiction_torque() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & torque_error() const noexcept;  ///< unfiltered
  [[nodiscard]] const CollisionDetector & detector() const noexcept;
  [[nodiscard]] InactiveReason inactive_reason() const noexcept;
  [[nodiscard]] double gain() const noexcept;
  [[nodiscard]] LawState state() const noexcept;
  [[nodiscard]] bool latched() const noexcept { return is_stop(state()); }
  [[nodiscard]] const Supervision & supervision() const noexcept;

  /// The drive that could not follow, where inactive_reason() is position_limit or too_fast, or the
  /// one whose torque errors show that the model is wrong; else -1.
  [[nodiscard]] int limited_drive() const noexcept;

  /// 1 for drives (n,) whose torque is supervised by the settings in use, else 0.
  [[nodiscard]] const Eigen::VectorXd & supervised() const noexcept
  {
    return detector().supervised();
  }

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dynid
