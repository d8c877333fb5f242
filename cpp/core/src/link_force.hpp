#pragma once

#include <string>
#include <vector>

#include "dynid/injection.hpp"
#include "dynid/kinematic_tree.hpp"
#include "dynid/mechanism.hpp"
#include "link.hpp"

namespace dynid
{

/// The external force on the bodies of a DrivePlant, as torque of the joints.
class LinkForce
{
public:
  explicit LinkForce(const MechanismDescription & description);

  /// The number of a link that moves. Throws std::invalid_argument where there is none.
  [[nodiscard]] int link(const std::string & name) const;

  /// Throws std::invalid_argument where the force is invalid.
  void check(const ExternalForce & force) const;

  /// Applies this force, which must pass check(), from now on.
  void apply(const ExternalForce & force) noexcept;

  [[nodiscard]] bool acting() const noexcept { return body_ >= 0; }

  /// The mean over the next step [s], at positions of all joints, passive ones included: J^T f of
  /// their torques [N*m or N], with J the Jacobian of the point.
  void next(const VectorIn & q, double step, VectorOut torque) noexcept;

private:
  KinematicTree tree_;
  std::vector<Link> links_;
  int body_ = -1;           // on which the force acts; -1: none
  Eigen::Vector3d force_;   // in its frame
  Eigen::Vector3d moment_;  // about its origin
  double rise_ = 0.0;
  double duration_ = 0.0;
  double elapsed_ = 0.0;
};

}  // namespace dynid
