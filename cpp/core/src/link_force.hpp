#pragma once

#include <string>
#include <vector>

#include "dynid/injection.hpp"
#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"

namespace dynid
{

/// The force from outside on the bodies of a DrivePlant, as torque of the joints.
class LinkForce
{
public:
  explicit LinkForce(const MechanismDescription & description);

  /// The number of a link that moves. Throws std::invalid_argument where there is none.
  [[nodiscard]] int link(const std::string & name) const;

  /// Throws std::invalid_argument unless the force is a possible one.
  void check(const ExternalForce & force) const;

  /// From now on this force, which check() passes; its time begins.
  void push(const ExternalForce & force) noexcept;

  [[nodiscard]] bool pushing() const noexcept { return body_ >= 0; }

  /// The mean over the next step [s], at positions of all joints, passive ones included: J^T f of
  /// their torques [N*m or N], with J the Jacobian of the point.
  void next(const VectorIn & q, double step, VectorOut torque) noexcept;

private:
  KinematicTree tree_;
  std::vector<Link> links_;
  int body_ = -1;           // that is pushed; -1: none
  Eigen::Vector3d force_;   // in its frame
  Eigen::Vector3d moment_;  // about its origin
  double rise_ = 0.0;
  double duration_ = 0.0;
  double elapsed_ = 0.0;
};

}  // namespace dynid
