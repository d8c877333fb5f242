#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "dynid/drive_plant.hpp"
#include "dynid/dry_friction.hpp"
#include "dynid/mechanism.hpp"
#include "link_force.hpp"

namespace dynid
{

/// The bodies of a DrivePlant with all their friction, integrated in time.
///
/// Each step moves half-way at constant velocity, changes the velocity there by the constant torque
/// of the step, and moves on (Verlet's scheme, second order); for dry friction see DryFriction.
class PlantBodies
{
public:
  /// `parameters` are the true ones. Throws std::invalid_argument where a term cannot be simulated,
  /// or the bodies are not rigid bodies.
  PlantBodies(
    const MechanismDescription & description, const VectorIn & parameters,
    const DryFriction::Stribeck & stribeck);

  [[nodiscard]] const Mechanism & mechanism() const noexcept { return mechanism_; }
  [[nodiscard]] const PlantTruth & truth() const noexcept { return truth_; }

  /// The inertia at each motor behind its gear, the diagonal of T^T M T [kg*m^2 or kg], averaged
  /// over positions in a range (n,). Throws std::invalid_argument where M is not positive definite.
  [[nodiscard]] Eigen::VectorXd mean_motor_inertia(const VectorIn & lower, const VectorIn & upper);

  /// To rest at a position (n,).
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
  void apply_dry_friction(double step) noexcept;

  Mechanism mechanism_;  // without dry friction
  Workspace workspace_;
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
};

}  // namespace dynid
