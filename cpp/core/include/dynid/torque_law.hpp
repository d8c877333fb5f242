#pragma once

#include <Eigen/Core>
#include <memory>

#include "dynid/control_law.hpp"

namespace dynid
{

/// Settings of a torque-controlled robot. Vectors (n,), in SI behind the gear.
struct TorqueLawSettings : declared::TorqueLawSettings
{
  /// Of the commanded motion and of collision detection. `feedforward.torque_max` limits the whole
  /// torque command; the robot's own torque against gravity comes on top where it compensates that.
  ControlLawSettings law;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

enum class TorquePhase
{
  inactive,  ///< not started yet: the command is 0
  following,
  guided,    ///< by hand
  stopping,  ///< damped stop
  stopped    ///< the robot is to be stopped by its own means now
};

enum class TorqueStartAnswer
{
  done,
  no_position,  ///< a position is not finite
  no_model,     ///< nothing compensates gravity
  torque        ///< a drive cannot hold the robot there, with the reserve that its loops need
};

/// Whether control was started, and otherwise why not.
struct TorqueStart
{
  TorqueStartAnswer answer = TorqueStartAnswer::done;
  int drive = -1;               ///< from 0, where it cannot hold the robot
  double holding_torque = 0.0;  ///< of that drive [N*m or N]
  double torque_max = 0.0;      ///< [N*m or N]

  [[nodiscard]] bool done() const noexcept { return answer == TorqueStartAnswer::done; }
};

enum class GuideAnswer
{
  done,
  not_following,  ///< control was not started, or a stop holds the robot
  moving,         ///< the robot is not at rest
  disturbed       ///< the loops hold a drive against more than friction: it would begin to move
};

/// Whether the robot can be guided by hand, and otherwise why not.
struct GuideStart
{
  GuideAnswer answer = GuideAnswer::done;
  int drive = -1;       ///< from 0, where it is disturbed
  double torque = 0.0;  ///< of its loop, besides that of the model [N*m or N]
  double limit = 0.0;   ///< of that [N*m or N]

  [[nodiscard]] bool done() const noexcept { return answer == GuideAnswer::done; }
};

/// Share of torque_max that the holding torque must leave to the loops at a start.
constexpr double torque_reserve = 0.1;

/// The whole control cycle of a torque-controlled robot with a model. ControlLaw makes the
/// commanded motion (q_c, dq_c, ddq_c) from the reference and detects collisions; the command is
///
///     tau = model(q_c, dq_c, ddq_c) + kp (q_d - q) + kd (dq_d - dq) + ki integral of (q_d - q) dt
///
/// where q_d is the command of feedback_delay ago, with the part of the model's torque that
/// Compensation selects, without the holding torque where the robot compensates gravity. For any
/// input, the command is finite, within torque_max, and changes in a cycle by no more than
/// torque_rate_max permits. The integrator is held where these limits act against it. A new model
/// or payload fades in over ramp_time.
///
/// Without a usable reference the commanded motion comes to rest on its path, as in position mode,
/// and these loops hold the robot there. Where they must not act any more, there is a damped stop:
///
///     tau = holding torque at the measured position - stop_damping dq,
///
/// which has no stiffness, so that the robot does not press against what it collided with. It
/// begins with a collision, missing feedback, feedback that contradicts itself or the torque, a
/// position error above position_error_max, a speed above speed_max, or without a model for
/// gravity. A stop uses no feedback that is not believed: where a drive's velocity is not, it is
/// damped by differences of positions, and where its position is not, its velocity leads the
/// position on. After at most stop_time, or at rest, it is the robot's own stop that holds it:
/// stopped(). This comes at once where nothing of a drive's motion is believed, or where the robot
/// becomes faster than the change of the torque and noise up to stop_speed explain: stop_failed().
/// Only start() ends a stop.
///
/// In a drive without feedback in a cycle there is no control error.
///
/// While the robot is guided by hand, there is no commanded motion and no loop:
///
///     tau = holding torque + limited(guiding_friction friction(q, dq) + walls - damping),
///
/// where walls are springs within wall_distance of the position limits, and the damping acts above
/// guiding_speed, and above less in a wall. It ends in a damped stop: for the reasons above,
/// except collisions, which cannot be told from the hand, beyond a position limit, or by stop().
/// After stop() the robot is held where it came to rest, and follows references again.
///
/// `Feedback::torque` is the whole torque at the joint, against gravity included.
class TorqueLaw
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  TorqueLaw(Eigen::Index drives, const TorqueLawSettings & settings);
  TorqueLaw(TorqueLaw && other) noexcept;
  TorqueLaw & operator=(TorqueLaw && other) noexcept;
  TorqueLaw(const TorqueLaw &) = delete;
  TorqueLaw & operator=(const TorqueLaw &) = delete;
  ~TorqueLaw();

  [[nodiscard]] Eigen::Index joint_count() const noexcept;

  // For control cycles: no allocation, lock or exception.

  /// Starts at rest at a position (n,), with the holding torque. A refused start changes nothing:
  /// where the position is not finite, nothing compensates gravity, or a drive's holding torque
  /// leaves less than torque_reserve of torque_max.
  [[nodiscard]] TorqueStart start(const VectorIn & position) noexcept;

  /// Uses another model, or none (nullptr). The caller owns it and keeps it alive while it is used.
  void use(ControlModel * model) noexcept;

  /// Sets the payload of the model in use, which must pass Payload::check().
  void set_payload(const Payload & payload) noexcept;

  void set_collision(const CollisionSettings & settings) noexcept;  ///< that pass check()

  /// One cycle. `cycles` is the time since the last one.
  void update(const Reference & reference, const Feedback & feedback, double cycles = 1.0) noexcept;

  /// Begins the damped stop.
  void stop() noexcept;

  /// Lets a hand guide the robot until stop(), which must follow where the hand lets go of its
  /// enabling switch. Refused where the robot is not held at rest, or where what its loops add to
  /// the model's torque is more than one and a half times the model's dry friction and twice its
  /// error, so that it could move by itself.
  [[nodiscard]] GuideStart guide() noexcept;

  /// The torque (n,) that remains when no cycles follow: the last holding torque, or 0 where the
  /// robot compensates gravity.
  [[nodiscard]] const Eigen::VectorXd & holding_torque() const noexcept;

  [[nodiscard]] const Eigen::VectorXd & torque_command() const noexcept;  ///< (n,) [N*m or N]
  [[nodiscard]] TorquePhase phase() const noexcept;
  [[nodiscard]] bool stopped() const noexcept { return phase() == TorquePhase::stopped; }

  /// Whether only the robot's own stop can stop it: it is stopped(), but its motion is not known,
  /// or became faster, also after it was at rest.
  [[nodiscard]] bool stop_failed() const noexcept;

  /// Whether it is stopped() and drives whose motion is known are at rest, or stop_time has passed.
  [[nodiscard]] bool settled() const noexcept;

  /// The commanded motion, and collisions with their cause.
  [[nodiscard]] const ControlLaw & law() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dynid
