#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "dynid/drive_plant.hpp"
#include "dynid/dry_friction.hpp"
#include "dynid/mechanism.hpp"
#include "elastic_gears.hpp"
#include "link_force.hpp"

namespace dynid
{

/// The bodies of a DrivePlant with all their friction, integrated in time.
///
/// Each step moves half-way at constant velocity, changes the velocity there by the constant torque
/// of the step, and moves on (Verlet's scheme, second order); for dry friction see DryFriction, for
/// elastic joints ElasticGears.
class PlantBodies
{
public:
  /// `parameters` are the true ones. Throws std::invalid_argument where a term cannot be simulated,
  /// the bodies are not rigid bodies, or an elastic joint has no motor of its own.
  PlantBodies(
    const MechanismDescription & description, const VectorIn & parameters,
    const DrivePlantSettings & settings);

  [[nodiscard]] const Mechanism & mechanism() const noexcept { return mechanism_; }
  [[nodiscard]] const PlantTruth & truth() const noexcept { return truth_; }

  /// The inertia at each motor behind its gear, the diagonal of T^T M T [kg*m^2 or kg], averaged
  /// over positions in a range (n,). Throws std::invalid_argument where M is not positive definite.
  [[nodiscard]] Eigen::VectorXd mean_motor_inertia(const VectorIn & lower, const VectorIn & upper);

  /// The inertia of each elastic joint's motor alone, behind its gear; infinite where rigid (n,).
  [[nodiscard]] Eigen::VectorXd own_motor_inertia() const;

  /// To rest with the motors at a position (n,), at the joints; elastic joints bend by the torque
  /// that holds the bodies.
  void rest_at(const VectorIn & position) noexcept;

  /// Torque that holds the bodies at rest where they are, without friction (n,) [N*m or N].
  void holding_torque(VectorOut torque) noexcept;

  [[nodiscard]] const LinkForce & links() const noexcept { return links_; }

  /// Applies this external force, checked by links(), from now on; a force on no link removes it.
  void apply(const ExternalForce & force) noexcept { links_.apply(force); }

  /// One step [s] under joint torques (n,) and the external force. False where the result is not
  /// finite or too far away: then the bodies rest at the position before.
  [[nodiscard]] bool advance(const VectorIn & torque, double step) noexcept;

private:
  [[nodiscard]] bool give_up() noexcept;
  void rest() noexcept;
  void bend() noexcept;
  void bend_once(bool & stiff) noexcept;
  void find_external_torque(double step) noexcept;
  [[nodiscard]] bool advance_elastic(const VectorIn & torque, double step) noexcept;
  void find_impulses(const VectorIn & torque, double step) noexcept;
  void change_velocities(double step, bool last) noexcept;
  void brake_motors(double step, bool last) noexcept;
  void brake(
    Eigen::VectorXd & velocity, const Eigen::MatrixXd & slowed, double step, bool last) noexcept;

  ElasticGears gears_;
  Mechanism mechanism_;  // without dry friction; if elastic, without any friction of motors
  Workspace workspace_;
  Mechanism motors_;  // if elastic: smooth friction of the motors, no other term
  Workspace motors_workspace_;
  DryFriction friction_;
  LinkForce links_;
  PlantTruth truth_;
  Eigen::VectorXd zero_;
  Eigen::VectorXd all_;       // positions of all moving joints
  Eigen::VectorXd external_;  // torques of the external force at these
  Eigen::VectorXd middle_;    // position half-way
  Eigen::VectorXd now_;       // velocity there, extrapolated
  Eigen::VectorXd bias_;
  Eigen::VectorXd after_;  // velocity at the end of the step
  Eigen::VectorXd load_;   // gravity torque of the joints
  RowMajorMatrix mass_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::MatrixXd slowed_;  // joint velocity per unit of a surface's friction torque
  Eigen::MatrixXd mobility_;
  Eigen::VectorXd free_;
  Eigen::VectorXd friction_torque_;
  // of elastic joints
  Eigen::VectorXd motor_acceleration_;
  Eigen::VectorXd motor_middle_;
  Eigen::VectorXd motor_now_;
  Eigen::VectorXd motor_after_;
  Eigen::VectorXd motor_impulse_;
  Eigen::VectorXd link_impulse_;  // without gears
  Eigen::VectorXd impulse_;
  Eigen::VectorXd change_;
  RowMajorMatrix system_;
  Eigen::MatrixXd turned_;  // motor velocity per unit of a surface's friction torque
};

}  // namespace dynid
