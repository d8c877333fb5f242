#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dynid/drive_plant_settings.hpp"
#include "dynid/injection.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// Why the drives ignore their targets.
enum class FaultReason
{
  none,
  following_error,  ///< a drive exceeded its permitted following error
  injected,         ///< by trip(), or a DriveFault, of one drive or all
  no_command,       ///< torque commands were lost for more than ten cycles
  not_finite  ///< the motion became non-finite, so the robot rests at its last finite position
};

struct Fault
{
  FaultReason reason = FaultReason::none;
  int drive = -1;     ///< the first that failed, from 0; -1: all
  double time = 0.0;  ///< of the cycle in which it happened, since construction [s]
};

/// Why the drives ignore their targets, as a sentence that names the joint; empty without a fault.
[[nodiscard]] std::string describe(const Fault & fault, const std::vector<std::string> & joints);

/// The true state of the bodies and motors, at the joints (n,) each [rad or m, per s, per s^2; N*m
/// or N].
struct PlantTruth
{
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd acceleration;     ///< mean over the last integration step
  Eigen::VectorXd torque;           ///< of the drives, held during that step
  Eigen::VectorXd external_torque;  ///< of an ExternalForce in that step, J^T f
  Eigen::VectorXd motor_position;   ///< of the motors: `position`, except at elastic joints
  Eigen::VectorXd motor_velocity;
};

/// A simulated robot: bodies with true parameters, dry friction, and at each motor a drive in
/// CiA402's cyclic synchronous position mode.
///
/// A target acts `command_delay` after it is given. The drive interpolates linearly towards
/// it over one cycle, so that the reference velocity is the difference of targets. With r the
/// reference, q the motor's position behind the gear, J its mean inertia, w = 2 pi bandwidth and D
/// the damping ratio:
///
///     e = dr/dt + kp (r - q) - dq/dt,   torque = J kv (e + integral of e dt / integral_time) +
///     offset
///
/// with kv = 2 D w and kp = w / (2 D), saturated at torque_max, where the integrator is held. The
/// loops use the motor's true motion. Feedback (position in whole encoder steps, velocity and
/// torque as mean over the cycle, torque with noise in whole thousandths of the rated one) is that
/// of the cycle's end and arrives `feedback_delay` later.
///
/// In a fault the drives ignore targets and offsets, bring each motor to rest along a ramp, and
/// hold it there with the same loops, until clear_fault() or reset(). Every fault concerns all
/// drives, except a DriveFault of one: then the others continue, as separate drives on a bus do.
/// After a FaultCleared of one drive, it follows its targets at once, wherever they are.
///
/// In a cycle whose frame is lost, targets and offsets do not arrive, and feedback keeps its last
/// value. The drives then extrapolate by the step between their last two targets, as drives that
/// bridge gaps by CiA402's linear interpolation do, for ten cycles at most; then they hold. The
/// torque offset stays.
///
/// In torque mode, targets are ignored and the torque offset is the motor's whole torque, to which
/// a robot that compensates gravity adds its own. It acts as above, saturated at torque_max. The
/// loops act in a fault only: they are the robot's own stop, which also follows where no frame has
/// arrived for more than ten cycles, and between stop_control() and start_control(). Feedback of
/// torque includes all that the motor exerts.
///
/// At an elastic joint, drives and friction act on the motor, and a spring between it and the link
/// bends: J d²θ/dt² = torque - friction - s, M(q) d²q/dt² + h(q, dq/dt) = s + external torque, with
/// s = K e + H e³ + D d(θ - q)/dt where the teeth touch and 0 in the backlash, and e the deflection
/// θ - q beyond half the backlash. Springs and constant torques are the link's. Targets and
/// feedback are the motors'; the torque against gravity, which a robot adds, is that at its links.
class DrivePlant
{
public:
  /// `parameters` are the true ones of all bodies and terms. Throws std::invalid_argument with a
  /// sentence for the user. The robot rests at position 0.
  DrivePlant(
    const MechanismDescription & description, const VectorIn & parameters,
    const DrivePlantSettings & settings);
  DrivePlant(DrivePlant && other) noexcept;
  DrivePlant & operator=(DrivePlant && other) noexcept;
  DrivePlant(const DrivePlant &) = delete;
  DrivePlant & operator=(const DrivePlant &) = delete;
  ~DrivePlant();

  [[nodiscard]] Eigen::Index joint_count() const noexcept;

  /// To rest with the motors at a position (n,) on the commanded side, and the links held against
  /// gravity, without a fault or anything else injected. Throws std::invalid_argument where it is
  /// of the wrong size or not finite.
  void reset(const VectorIn & position);

  /// One control cycle: target position and torque offset (n,), on the commanded side. For control
  /// cycles: no allocation, lock or exception. A target that is not finite is replaced by the
  /// previous one, such an offset by 0.
  void step(const VectorIn & target, const VectorIn & torque_offset) noexcept;

  /// Feedback on the commanded side (n,), as of the last step().
  [[nodiscard]] const Eigen::VectorXd & position() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & velocity() const noexcept;
  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept;

  /// Positions of the links at the joints (n,), of encoders as fine and as late as the motors'.
  [[nodiscard]] const Eigen::VectorXd & link_position() const noexcept;

  /// Cycles whose target or offset had a value that was not finite.
  [[nodiscard]] std::uint64_t rejected_inputs() const noexcept;

  /// Cycles whose frame was lost.
  [[nodiscard]] std::uint64_t lost_frames() const noexcept;

  [[nodiscard]] const Fault & fault() const noexcept;
  [[nodiscard]] bool failed(Eigen::Index drive) const noexcept;  ///< whether it is in fault
  void trip() noexcept;         ///< injects a fault of all drives, unless they are in fault
  void clear_fault() noexcept;  ///< targets act again, from where the drives hold the robot

  /// In torque mode: the robot's own stop brings it to rest and holds it, without a fault.
  void stop_control() noexcept;
  /// Ends that: torques act again, from the one that holds the robot now.
  void start_control() noexcept;

  /// The number of a link, for an ExternalForce. Throws std::invalid_argument, with a sentence for
  /// the user, where there is no such link or it cannot move.
  [[nodiscard]] int link(const std::string & name) const;

  /// Throws std::invalid_argument, with a sentence for the user, where it cannot be injected. Reads
  /// constant data only, so any thread may call it.
  void check(const Injection & injection) const;

  /// Injects what check() passes. For control cycles: no allocation, lock or exception.
  void inject(const Injection & injection) noexcept;

  /// The true state, for tests and plots; no drive measures it.
  [[nodiscard]] const PlantTruth & truth() const noexcept;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dynid
