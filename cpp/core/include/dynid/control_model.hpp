#pragma once

#include <Eigen/Core>
#include <utility>

#include "dynid/declared_settings.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// A rigid body fixed to the mechanism's payload body, in the frame of that body's joint.
struct Payload
{
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< of mass [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass [kg m^2]

  /// Throws std::invalid_argument, with a sentence for the user, unless physically consistent.
  void check() const;
};

/// An identified model as a control cycle uses it: on the side of the drives' commands and
/// feedback, with smoothed friction and a payload. Only one thread may use it at a time.
class ControlModel
{
public:
  /// `smoothing` (n,): least smoothing velocity [rad/s or m/s] of every dry friction, so that
  /// torque does not jump where a command comes to rest. `motor_side`: whether commands and
  /// feedback are on the motors' side of the coupling. Throws std::invalid_argument with a sentence
  /// for the user.
  ControlModel(
    MechanismDescription description, const VectorIn & parameters, const VectorIn & smoothing,
    bool motor_side);

  [[nodiscard]] Eigen::Index joint_count() const noexcept { return mechanism_.joint_count(); }

  /// The r.m.s. torque error (n,) that the model had in its identification, or empty where that is
  /// not known [N*m or N].
  void set_error(Eigen::VectorXd rmse) { error_ = std::move(rmse); }
  [[nodiscard]] const Eigen::VectorXd & error() const noexcept { return error_; }

  /// Velocity (n,) above which smoothing changes dry friction by less than 1 % [rad/s or m/s].
  [[nodiscard]] const Eigen::VectorXd & unsmoothed() const noexcept { return unsmoothed_; }

  // For control cycles: no allocation, lock or exception. All vectors (n,), at the commanded side.

  /// Replaces the payload by another one, which must pass check().
  void set_payload(const Payload & payload) noexcept;

  /// From now on supervised_torque(), momentum() and inertia_torque() are those of the links where
  /// this is 1 (n,), else 0: friction, rotors and constant torques are the motors'. Not a number
  /// where motors are coupled, because a gear's torque is not that of one joint there.
  void supervise_gears(const VectorIn & gears) noexcept;

  /// Relaxes the contacts of terms with memory, as before the first motion.
  void reset_memory() noexcept;

  /// Torque that a motion requires [N*m or N].
  void torque(
    FeedforwardMode mode, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    VectorOut tau) noexcept;

  /// The same as collision detection compares it: of the links where their gears are supervised.
  void supervised_torque(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, VectorOut tau) noexcept;

  /// The same as torque() without friction: rigid bodies, rotors, springs and constant torques.
  void frictionless_torque(
    const VectorIn & q, const VectorIn & dq, const VectorIn & ddq, VectorOut tau) noexcept;

  /// Torque that holds a robot at rest at a measured position, without friction.
  void holding_torque(const VectorIn & q, VectorOut tau) noexcept;

  /// Largest dry friction in the state of the last torque() (n,) [N*m or N].
  void dry_friction(VectorOut tau) noexcept;

  /// The same in the state of the last momentum().
  void observed_friction(VectorOut tau) noexcept;

  /// Whether the loops of a closed chain were closed in the last torque(); true for a tree. Where
  /// false, that torque is NaN.
  [[nodiscard]] bool reached() const noexcept { return mechanism_.closed(commanded_); }

  /// M dq, and the torque that would keep it constant: gravity and friction - C^T dq; of the links
  /// where their gears are supervised.
  void momentum(
    const VectorIn & q, const VectorIn & dq, VectorOut momentum, VectorOut bias_torque) noexcept;

  /// M ddq: what an acceleration adds to the torque of any motion at a position.
  void inertia_torque(const VectorIn & q, const VectorIn & ddq, VectorOut tau) noexcept;

private:
  void to_joints(const VectorIn & side, Eigen::VectorXd & joints) const noexcept;
  void to_side(const Eigen::VectorXd & joints, VectorOut side) const noexcept;
  void dry_friction(Workspace & workspace, VectorOut tau) noexcept;
  void evaluate(const VectorIn & q, const VectorIn & dq, const VectorIn & ddq) noexcept;
  void leave_out_rotors() noexcept;

  Mechanism mechanism_;
  Workspace commanded_;  // its terms with memory follow the commanded motion
  Workspace measured_;
  Eigen::VectorXd error_;
  Eigen::VectorXd unsmoothed_;
  Eigen::VectorXd own_;           // parameters without payload
  Eigen::VectorXd parameters_;    // with it
  Eigen::VectorXd frictionless_;  // the same, those of dissipative terms are 0
  Eigen::VectorXd friction_;      // those of dissipative terms alone
  Eigen::VectorXd motors_;        // those that are not the links', of gears that are supervised
  Eigen::VectorXd rotors_;        // those of rotor inertia alone
  Eigen::VectorXd links_;         // terms without them
  bool gears_ = false;            // whether there are any
  bool coupled_ = false;          // and motors are coupled
  bool converts_;                 // between motors and joints
  Eigen::Index payload_offset_;  // first of the ten parameters of the body that carries the payload
  Eigen::VectorXd q_;            // at the joints, as all below
  Eigen::VectorXd dq_;
  Eigen::VectorXd ddq_;
  Eigen::VectorXd tau_;
  Eigen::VectorXd momentum_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd zero_;
  // the last motion and its torque at the commanded side: one cycle asks for it more than once
  bool evaluated_ = false;
  Eigen::VectorXd last_q_;
  Eigen::VectorXd last_dq_;
  Eigen::VectorXd last_ddq_;
  Eigen::VectorXd last_tau_;
};

}  // namespace dynid
