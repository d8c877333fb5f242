#pragma once

#include <string>
#include <vector>

#include "dynid/control_law.hpp"
#include "dynid/model_updates.hpp"
#include "dynid/torque_law.hpp"

namespace dynid
{

/// The joints' names, and which of them are prismatic.
struct JointNames
{
  std::vector<std::string> names;
  std::vector<bool> sliding;
};

/// Names with a text between them.
[[nodiscard]] std::string joined(
  const std::vector<std::string> & names, const std::string & between = ", ");

/// A collision as a sentence, with what ends the stop; "no collision" where there was none.
[[nodiscard]] std::string describe(
  const Collision & collision, const JointNames & joints, const std::string & until = "~/reset");

/// The value nearest to its threshold, as one sentence.
[[nodiscard]] std::string describe_warning(const Collision & warning, const JointNames & joints);

/// Whether there is additive torque, and otherwise why not, with the drive that could not follow:
/// from ControlLaw::limited_drive().
[[nodiscard]] std::string describe(
  InactiveReason reason, int limited_drive = -1, const JointNames & joints = {});

/// Whether torque is supervised at each joint: from ControlLaw::supervised().
[[nodiscard]] std::string describe_supervision(
  const Eigen::VectorXd & supervised, const JointNames & joints);

/// Why a drive's torque is not evaluated.
[[nodiscard]] std::string describe(BlindReason reason);

/// The drive whose torque was not evaluated for too long, as a sentence; empty where there is none.
[[nodiscard]] std::string describe(const Blindness & blindness, const JointNames & joints);

/// The answer to a reset request.
[[nodiscard]] std::string describe(const ResetReport & report, const JointNames & joints);

/// Whether torque control was started, and otherwise why not.
[[nodiscard]] std::string describe(const TorqueStart & start, const JointNames & joints);

/// Whether the robot can be guided by hand, and otherwise why not.
[[nodiscard]] std::string describe(const GuideStart & start, const JointNames & joints);

/// Which model is in use, and why no update of it is.
[[nodiscard]] std::string describe(const ModelUpdatesReport & report, const JointNames & joints);

/// A cause's name, as in the enumeration.
[[nodiscard]] std::string name_of(CollisionCause cause);

}  // namespace dynid
