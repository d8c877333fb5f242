#pragma once

#include <Eigen/Core>
#include <vector>

#include "dynid/joint_terms.hpp"

namespace dynid
{

/// All dry friction of a mechanism, with exact sticking and without chattering.
///
/// Instead of evaluating a sign, which no integration step resolves, each step solves for friction
/// torques f that are consistent with the velocity at its end (Moreau's time stepping): with u the
/// velocity of the contact surfaces without friction and A = J^T M^-1 J,
///
///     u' = u - dt A f,   f = F(u') sign(u'), and anything between -F and F where u' is 0.
///
/// This has exactly one solution, and the joints come to a true standstill. Terms with a smoothing
/// velocity use tanh instead of the sign. Contacts with memory are solved in the same way, however
/// stiff they are: f = F z(u') / scale with z the deflection after the step.
class DryFriction
{
public:
  using MatrixIn = Eigen::Ref<const Eigen::MatrixXd>;
  using VectorIn = Eigen::Ref<const Eigen::VectorXd>;
  using VectorOut = Eigen::Ref<Eigen::VectorXd>;

  /// Friction besides the joint terms, at the joints: torque [N*m or N] that decays with
  /// exp(-(v / velocity)^2), velocity [rad/s or m/s]; (n,) each.
  struct Stribeck
  {
    Eigen::VectorXd torque;
    Eigen::VectorXd velocity;
  };

  /// Uses the dry terms among `terms`, with their parameters (values of all terms, in order), and
  /// the additional Stribeck friction; `to_motor` is T^-1 in q_motor = T^-1 q_joint (n, n). Throws
  /// std::invalid_argument where friction would drive the robot.
  DryFriction(
    const std::vector<JointTerm> & terms, const VectorIn & values, const MatrixIn & to_motor,
    const Stribeck & stribeck);

  /// Number of surfaces k.
  [[nodiscard]] Eigen::Index count() const noexcept { return directions_.cols(); }

  /// Whether any friction grows with the gravity torque of its joint.
  [[nodiscard]] bool loaded() const noexcept { return loaded_; }

  /// J (n, k): joint torque per unit of each surface's friction torque.
  [[nodiscard]] const Eigen::MatrixXd & directions() const noexcept { return directions_; }

  /// Resets the state: every surface is at rest, every contact relaxed.
  void reset() noexcept;

  /// The friction torques (k,) of one step [N*m or N]. For control cycles: no allocation.
  ///
  /// \param free velocity (k,) of the surfaces at its end, without friction
  /// \param mobility dt A (k, k): how much one unit of torque slows each surface
  /// \param load gravity torque of the joints (n,) [N*m or N]; used if loaded()
  /// \param step [s]
  void solve(
    const VectorIn & free, const MatrixIn & mobility, const VectorIn & load, double step,
    VectorOut torque) noexcept;

  /// The same, without moving the surfaces, for a step that is solved repeatedly; solve() ends it.
  void find(
    const VectorIn & free, const MatrixIn & mobility, const VectorIn & load, double step,
    VectorOut torque) noexcept;

private:
  struct Torque
  {
    double size;  // [N*m or N], or per unit of load
    JointTerm term;
    double forwards;   // of sliding slowly, per unit of size
    double backwards;  // the same in the other direction
  };
  struct Surface
  {
    JointTerm term;  // side, joint and smoothing; of a contact with memory, all
    std::vector<Torque> torques;
    double velocity = 0.0;
    double torque = 0.0;
    double low = 0.0;   // torque of sliding backwards
    double high = 0.0;  // torque of sliding forwards
    double sliding = 0.0;
    double after = 0.0;
    double deflection = 0.0;  // of a contact with memory, before the step [rad or m]

    [[nodiscard]] bool has_memory() const noexcept { return term.kind->has_memory(); }
    [[nodiscard]] double deflection_after(double step, double velocity) const noexcept;
    void update_bounds(const VectorIn & load) noexcept;
    [[nodiscard]] double alone(double free, double mobility, double step) const noexcept;
    [[nodiscard]] double smooth_alone(double free, double mobility) const noexcept;
    [[nodiscard]] double contact_alone(double free, double mobility, double step) const noexcept;
  };

  Surface & surface(const JointTerm & term);
  void find_directions(const MatrixIn & to_motor);
  [[nodiscard]] bool keep_sliding(const VectorIn & free, const MatrixIn & mobility) noexcept;
  void sweep(const VectorIn & free, const MatrixIn & mobility, double step) noexcept;

  std::vector<Surface> surfaces_;
  Eigen::MatrixXd directions_;
  bool loaded_ = false;
};

}  // namespace dynid
