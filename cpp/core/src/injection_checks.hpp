#pragma once

#include <Eigen/Core>

#include "dynid/injection.hpp"
#include "link_force.hpp"

namespace dynid
{

/// Throws std::invalid_argument, with a sentence for the user, where an Injection is invalid.
struct InjectionChecks
{
  const Eigen::VectorXd & torque_max;
  const LinkForce & links;

  void operator()(const DriveFault & fault) const { check_fault(fault.drive); }
  void operator()(const FaultCleared & cleared) const { check_fault(cleared.drive); }
  void operator()(const LostFrames & lost) const;
  void operator()(const FrameLoss & loss) const;
  void operator()(const Saturation & saturation) const;
  void operator()(const ExternalForce & force) const { links.check(force); }

  void check_fault(int drive) const;
};

}  // namespace dynid
