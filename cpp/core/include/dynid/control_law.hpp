#pragma once

#include <Eigen/Core>
#include <memory>

#include "dynid/collision_detector.hpp"
#include "dynid/command_limits.hpp"
#include "dynid/feedforward.hpp"

namespace dynid
{

/// What becomes of the motion after a collision.
enum class CollisionReaction
{
  hold,       ///< the command stays where it is
  decelerate  ///< the command comes to rest along its path
};

/// What the torque error is taken from.
enum class DetectionMethod
{
  torque_error,  ///< inverse dynamics of the commanded motion - measured torque
  momentum       ///< generalised-momentum observer of the measured motion: needs no acceleration
};

struct ControlLawSettings
{
  FeedforwardSettings feedforward;
  CollisionSettings collision;
  int torque_error_delay = -1;  ///< cycles until a command shows in torque; -1: as the additive one
  DetectionMethod method = DetectionMethod::torque_error;
  double observer_gain = 30.0;  ///< of the momentum observer [1/s]
  CollisionReaction reaction = CollisionReaction::decelerate;
  Eigen::VectorXd deceleration;  ///< after a collision (n,) [rad/s^2 or m/s^2]
  /// How far a reference may be from the command for the command to go there, (n,) [rad or m].
  /// Infinity: as the limits allow.
  Eigen::VectorXd reference_tolerance;
  CommandLimits limits;  ///< of the position command
  double max_age = 0.1;  ///< for which feedback may be missing [s]

  /// Throws std::invalid_argument with a whole sentence unless they are possible.
  void check(Eigen::Index drives) const;
};

/// 1 for drives (n,) whose torque is supervised: where torque errors are enabled and have a
/// threshold, or measured torque has; else 0.
[[nodiscard]] Eigen::VectorXd supervised(const CollisionSettings & settings);

/// A motion at one instant, (n,) each [rad or m, per s, per s^2].
struct Reference
{
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd acceleration;
};

/// What the drives tell, (n,) each [rad or m, per s, N*m or N].
struct Feedback
{
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd torque;
};

/// Whether a collision was forgotten, and why not.
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
/// detection and what follows from it. All at the commanded side, in SI.
///
/// The command is the reference. Where that jumps, the command goes there within ramp_time if it is
/// within reference_tolerance, and otherwise waits, without additive torque, until it is; where
/// cycles come unevenly, it advances by a cycle's way in each and makes up for lost time later.
/// Where that, or the limits, would put it further than reference_tolerance from the reference, or
/// the reference beyond a position limit, the command comes to rest on its path, while the additive
/// torque goes along its ramp, and waits there. Whatever happens before, CommandGuard has the last
/// word on every command: in a cycle it changes by no more than velocity_max allows, and that by no
/// more than acceleration_max, a stop of latched() excepted.
///
/// Feedback that is missing for max_age stops the robot as a collision does. Torque errors do not
/// count for ramp_time after additive torque was lost at once or the command left its reference:
/// the drives take over what was added, and the model does not know their motion. After a cycle
/// that came more than a tenth too early or too late thresholds are raised as near standstill.
class ControlLaw
{
public:
  /// Throws std::invalid_argument with a whole sentence.
  ControlLaw(Eigen::Index drives, const ControlLawSettings & settings);
  ControlLaw(ControlLaw && other) noexcept;
  ControlLaw & operator=(ControlLaw && other) noexcept;
  ControlLaw(const ControlLaw &) = delete;
  ControlLaw & operator=(const ControlLaw &) = delete;
  ~ControlLaw();

  [[nodiscard]] Eigen::Index joint_count() const noexcept;

  // For control cycles: no allocation, lock or exception.

  /// Begins, at rest at a position (n,), without a collision; where it is not finite, at the
  /// command before.
  void start(const VectorIn & position) noexcept;

  /// Uses another model, or none; it stays the caller's, and must outlive its use.
  void use(ControlModel * model) noexcept;

  /// Gives the model in use a payload that passes Payload::check().
  void set_payload(const Payload & payload) noexcept;

  void set_gain(double gain) noexcept;           ///< of the additive torque, 0 to 1
  void set_mode(FeedforwardMode mode) noexcept;  ///< of the additive torque
  void set_collision(const CollisionSettings & settings) noexcept;  ///< that pass check()
  void set_reaction(CollisionReaction reaction) noexcept;

  /// One cycle. At a reference position that is not finite, or beyond 1e9, the command comes to
  /// rest. `cycles` is the time since the last one: more than 1 where this one comes late.
  void update(const Reference & reference, const Feedback & feedback, double cycles = 1.0) noexcept;

  /// Follows references again after a collision.
  ResetReport reset() noexcept;

  // of the last cycle, (n,) each
  [[nodiscard]] const Eigen::VectorXd & position_command() const noexcept;  ///< finite, always
  [[nodiscard]] const Eigen::VectorXd & torque_offset() const noexcept;  ///< finite, <= torque_max
  [[nodiscard]] const Eigen::VectorXd & torque_error() const noexcept;   ///< unfiltered
  [[nodiscard]] const CollisionDetector & detector() const noexcept;
  [[nodiscard]] InactiveReason inactive_reason() const noexcept;
  [[nodiscard]] double gain() const noexcept;
  [[nodiscard]] bool latched() const noexcept;

  /// The drive that could not follow, where inactive_reason() is position_limit or too_fast; else
  /// -1.
  [[nodiscard]] int limited_drive() const noexcept;

  /// supervised() of the settings in use.
  [[nodiscard]] const Eigen::VectorXd & supervised() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dynid
