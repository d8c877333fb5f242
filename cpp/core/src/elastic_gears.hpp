#pragma once

#include <Eigen/Core>
#include <vector>

#include "dynid/drive_plant.hpp"
#include "gear_spring.hpp"

namespace dynid
{

/// The elastic gears between motors and links of a DrivePlant, without their friction. All at the
/// joints (n,), behind the gears; a rigid joint's motor is its link.
///
/// A gear with stiffness K, hardening H, damping D and backlash b transmits K e + H e^3 + D dδ/dt
/// where its teeth touch, with e the deflection δ = motor - link beyond b / 2. In a step, its
/// elastic part is the change of the spring's energy for the change of δ (a discrete gradient;
/// Gonzalez, J. Nonlinear Sci. 6, 1996): it conserves energy exactly, whatever the stiffness, and
/// is the mean torque where the teeth touch throughout.
class ElasticGears
{
public:
  /// Settings that check() has passed.
  ElasticGears(const DrivePlantSettings & settings, Eigen::Index joints);

  /// Whether any joint is elastic, or one.
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool linear() const noexcept { return linear_; }  ///< all, without backlash
  [[nodiscard]] bool elastic(Eigen::Index joint) const noexcept { return elastic_[joint] != 0; }

  /// Inertia of the motors of elastic joints; 0 where rigid [kg*m^2 or kg].
  [[nodiscard]] const Eigen::VectorXd & inertia() const noexcept { return inertia_; }

  /// Derivative of a joint's torque by its deflection, where it transmits a torque.
  [[nodiscard]] double stiffness(Eigen::Index joint, double torque) const noexcept;

  /// Deflection of an elastic joint that transmits a torque at rest [rad or m].
  [[nodiscard]] double deflection(Eigen::Index joint, double torque) const noexcept;

  /// Begins a step [s] from the state in `truth`.
  void begin(const PlantTruth & truth, double step) noexcept;

  /// Linearises the torques about the present guess of the deflections after the step.
  void linearise() noexcept;

  /// The impulses of one step on the links (n,), from those on motors and links without the gears.
  void transmit(const VectorIn & motors, Eigen::VectorXd & links) noexcept;

  /// Adds to a mass matrix of the links how gears and motors resist a change of velocity.
  void add_resistance(RowMajorMatrix & mass) const noexcept;

  /// The motors' change of velocity (n,) for impulses on the motors and a change of the links'.
  void turn(
    const VectorIn & motors, const VectorIn & links, Eigen::VectorXd & change) const noexcept;

  /// Share of an impulse on each motor that arrives at its link in the step (n,) [1].
  [[nodiscard]] const Eigen::VectorXd & carried() const noexcept { return carried_; }
  /// Change of each motor's velocity per impulse while its link keeps its own (n,).
  [[nodiscard]] const Eigen::VectorXd & direct() const noexcept { return direct_; }

  /// Takes velocities after the step (n,) as the next guess; true where the linear torques are
  /// right there.
  [[nodiscard]] bool settle(const VectorIn & motors, const VectorIn & links) noexcept;

private:
  struct Torque
  {
    double value;
    double slope;  // by the deflection after the step
  };
  [[nodiscard]] const GearSpring & spring(Eigen::Index joint) const noexcept
  {
    return springs_[static_cast<std::size_t>(joint)];
  }
  [[nodiscard]] Torque mean(Eigen::Index joint, double after) const noexcept;

  bool any_ = false;
  bool linear_ = true;
  double step_ = 0.0;
  Eigen::VectorXi elastic_;
  std::vector<GearSpring> springs_;
  Eigen::VectorXd damping_;
  Eigen::VectorXd inertia_;
  Eigen::VectorXd before_;   // deflection before the step
  Eigen::VectorXd rate_;     // of it
  Eigen::VectorXd after_;    // the guess of the deflection after the step
  Eigen::VectorXd dashpot_;  // damping in this step
  Eigen::VectorXd torque_;   // for unchanged velocities
  Eigen::VectorXd gain_;     // torque per change of the rate
  Eigen::VectorXd direct_;
  Eigen::VectorXd carried_;
};

}  // namespace dynid
