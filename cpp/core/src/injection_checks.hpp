#pragma once

#include <Eigen/Core>

#include "dynid/injection.hpp"
#include "link_force.hpp"

namespace dynid
{

/// Throws std::invalid_argument with a sentence where an Injection is impossible.
struct InjectionChecks
{
  const Eigen::VectorXd & torque_max;
  const LinkForce & links;

  void operator()(const DriveFault &) const {}
  void operator()(const FaultCleared &) const {}
  void operator()(const LostFrames & lost) const;
  void operator()(const FrameLoss & loss) const;
  void operator()(const Saturation & saturation) const;
  void operator()(const ExternalForce & force) const { links.check(force); }
};

}  // namespace dynid
