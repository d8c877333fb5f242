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
/// A step drifts half-way, changes the velocity there by the torque that is held during the step,
/// and drifts on (Verlet's scheme, of second order); dry friction is solved for, see DryFriction.
class PlantBodies
{
public:
  /// `parameters` are the true ones. Throws std::invalid_argument where a term cannot be simulated,
  /// or a body is none.
  PlantBodies(
    const MechanismDescription & description, const VectorIn & parameters,
    const DryFriction::Stribeck & besides);

  [[nodiscard]] const Mechanism & mechanism() const noexcept { return mechanism_; }
  [[nodiscard]] const PlantTruth & truth() const noexcept { return truth_; }

  /// The diagonal of T^T M T [kg*m^2 or kg], mean over positions between two (n,); what a motor
  /// turns behind its gear. Throws std::invalid_argument where M is not positive definite.
  [[nodiscard]] Eigen::VectorXd mean_motor_inertia(const VectorIn & lower, const VectorIn & upper);

  /// To rest at a position (n,).
  void rest_at(const VectorIn & position) noexcept;

  /// Torque that holds the bodies at rest where they are, without friction (n,) [N*m or N].
  void holding_torque(VectorOut torque) noexcept;

  [[nodiscard]] const LinkForce & links() const noexcept { return links_; }

  /// From now on this force from outside, which links() has checked; none takes it away.
  void push(const ExternalForce & force) noexcept { links_.push(force); }

  /// One step [s] under joint torques (n,), and the force from outside. False where the outcome is
  /// not finite: then the bodies are at rest where they were.
  [[nodiscard]] bool advance(const VectorIn & torque, double step) noexcept;

private:
  void rub(double step) noexcept;

  Mechanism mechanism_;  // dry friction apart
  Workspace workspace_;
  DryFriction friction_;
  LinkForce links_;
  PlantTruth truth_;
  Eigen::VectorXd zero_;
  Eigen::VectorXd all_;     // positions of all moving joints
  Eigen::VectorXd pushed_;  // torques of the force from outside at these
  Eigen::VectorXd middle_;  // position half-way
  Eigen::VectorXd now_;     // velocity there, extrapolated
  Eigen::VectorXd bias_;
  Eigen::VectorXd after_;  // velocity at the end of the step
  Eigen::VectorXd load_;   // gravity torque of the joints
  RowMajorMatrix mass_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::MatrixXd slowed_;  // joint velocity per unit of a surface's friction torque
  Eigen::MatrixXd mobility_;
  Eigen::VectorXd free_;
  Eigen::VectorXd rubbing_;
};

}  // namespace dynid
