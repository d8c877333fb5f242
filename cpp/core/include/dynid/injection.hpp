#pragma once

#include <Eigen/Core>
#include <variant>

#include "dynid/setting.hpp"

namespace dynid
{

/// An external force on a link, such as a collision; it replaces the previous one.
///
/// All vectors are in the link's frame and move with it, as in a geometry_msgs/WrenchStamped of
/// that frame. The force starts in the next cycle, grows linearly to its full size within `rise`,
/// and ends abruptly.
struct ExternalForce
{
  int link = -1;                                     ///< DrivePlant::link(); -1: no force
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< about the point [N*m]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< where the force acts [m]
  double rise = 0.0;                                 ///< [s]
  double duration = infinity;                        ///< rise included [s]
};

/// The frames of the next `cycles` cycles are lost.
struct LostFrames
{
  int cycles = 0;
};

/// Each frame is lost with this probability, from 0 to 1.
struct FrameLoss
{
  double probability = 0.0;
};

/// Limits a drive to this share of its torque_max, above 0 and up to 1, until the next Saturation.
struct Saturation
{
  int drive = 0;
  double factor = 1.0;
};

/// One drive is in fault while the others go on, or all are.
struct DriveFault
{
  int drive = -1;  ///< from 0; -1: all
};

struct FaultCleared
{
  int drive = -1;  ///< from 0; -1: all
};

/// What can happen to a simulated robot while it runs.
using Injection =
  std::variant<DriveFault, FaultCleared, LostFrames, FrameLoss, Saturation, ExternalForce>;

}  // namespace dynid
