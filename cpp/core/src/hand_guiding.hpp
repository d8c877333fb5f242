#pragma once

#include <Eigen/Core>

#include "dynid/torque_law.hpp"

namespace dynid
{

/// The torque, besides that against gravity, of a robot that a hand guides: the formula is in
/// TorqueLaw. As less than the whole friction is compensated, the robot does not begin to move by
/// itself, also where the friction that the model has is too large by less than the share that is
/// left. Vectors (n,); for control cycles: no allocation, lock or exception.
class HandGuiding
{
public:
  /// With settings that pass check(), and their position limits filled.
  explicit HandGuiding(const TorqueLawSettings & settings);

  /// Begins, without compensation of friction, which fades in over ramp_time.
  void start() noexcept { share_ = 0.0; }

  /// One cycle at a finite position and velocity; without a model (nullptr) no friction.
  void update(ControlModel * model, const VectorIn & position, const VectorIn & velocity) noexcept;

  [[nodiscard]] const Eigen::VectorXd & torque() const noexcept { return torque_; }

  /// A drive that is beyond its position limit; -1: none.
  [[nodiscard]] int beyond(const VectorIn & position) const noexcept;
  /// The nearer position limit of a drive.
  [[nodiscard]] double limit(Eigen::Index drive, double position) const noexcept;

private:
  void find_friction(ControlModel * model, const VectorIn & q, const VectorIn & dq) noexcept;
  [[nodiscard]] double wall(Eigen::Index i, double q) const noexcept;
  [[nodiscard]] double damping(Eigen::Index i, double q, double dq) const noexcept;

  double whole_share_;
  double step_;  // of the share in a cycle
  double share_ = 0.0;
  Eigen::VectorXd speed_;
  Eigen::VectorXd torque_max_;
  Eigen::VectorXd wall_distance_;
  Eigen::VectorXd damping_;
  Eigen::VectorXd lower_;
  Eigen::VectorXd upper_;
  Eigen::VectorXd friction_;
  Eigen::VectorXd still_;
  Eigen::VectorXd zero_;
  Eigen::VectorXd torque_;
};

}  // namespace dynid
