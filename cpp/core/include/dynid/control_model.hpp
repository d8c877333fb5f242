#pragma once

#include <Eigen/Core>

#include "dynid/mechanism.hpp"

namespace dynid
{

/// A rigid body fixed to the mechanism's payload body, in the frame of that body's joint.
struct Payload
{
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< of mass [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass [kg m^2]

  /// Throws std::invalid_argument with a whole sentence unless a body can have these.
  void check() const;
};

/// What of the model makes the additive torque.
enum class FeedforwardMode
{
  full,
  semi_static  ///< gravity and friction only: nothing that comes from accelerations
};

/// An identified model as a control cycle uses it: for commands and feedback of the drives, with
/// its friction smoothed, and with a payload. Belongs to one thread at a time.
class ControlModel
{
public:
  /// `smoothing` (n,): over which velocity [rad/s or m/s] the sign of every dry friction is rounded
  /// off at least, so that no torque jumps where a command comes to rest. `motor_side`: whether
  /// commands and feedback are before the coupling. Throws std::invalid_argument with a sentence.
  ControlModel(
    MechanismDescription description, const VectorIn & parameters, const VectorIn & smoothing,
    bool motor_side);

  [[nodiscard]] Eigen::Index joint_count() const noexcept { return mechanism_.joint_count(); }

  // For control cycles: no allocation, lock or exception. All vectors (n,), at the commanded side.

  /// Takes a payload that passes check(), in place of the one before.
  void set_payload(const Payload & payload) noexcept;

  /// Friction that remembers begins anew, as before anything moved.
  void forget() noexcept;

  /// Torque that a motion takes [N*m or N].
  void torque(
    FeedforwardMode mode, const VectorIn & q, const VectorIn & dq, const VectorIn & ddq,
    VectorOut tau) noexcept;

  /// Most that dry friction can be where torque() was asked about last (n,) [N*m or N].
  void dry_friction(VectorOut tau) noexcept;

  /// Whether the loops of a closed chain were closed where torque() was asked about; of a tree,
  /// they always are. Where not, that torque is NaN.
  [[nodiscard]] bool reached() const noexcept { return mechanism_.closed(commanded_); }

  /// M dq, and the torque that would keep it constant: gravity and friction - C^T dq.
  void momentum(
    const VectorIn & q, const VectorIn & dq, VectorOut momentum, VectorOut bias_torque) noexcept;

private:
  void to_joints(const VectorIn & side, Eigen::VectorXd & joints) const noexcept;
  void to_side(const Eigen::VectorXd & joints, VectorOut side) const noexcept;
  void still(Workspace & workspace) noexcept;

  Mechanism mechanism_;
  Workspace commanded_;  // terms with memory follow the motion they are asked about
  Workspace measured_;
  Eigen::VectorXd own_;         // parameters without payload
  Eigen::VectorXd parameters_;  // with it
  Eigen::VectorXd bodies_;      // those of bodies only, terms are 0
  bool converts_;               // between motors and joints
  Eigen::Index bearer_;         // first of the ten parameters of the body that bears the payload
  Eigen::VectorXd q_;           // at the joints, as all below
  Eigen::VectorXd dq_;
  Eigen::VectorXd ddq_;
  Eigen::VectorXd tau_;
  Eigen::VectorXd momentum_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd zero_;
};

}  // namespace dynid
