#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dynid/drive_state.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// How far the drives are from following references.
enum class DrivePhase
{
  waiting,   ///< until every drive is enabled with a valid position, and the reference is at rest
  running,   ///< all follow
  stopping,  ///< a drive was lost, and commands come to rest
  stopped    ///< at rest, until reset()
};

/// State of the drives, for reports; copied without allocation.
struct DriveReport
{
  DrivePhase phase = DrivePhase::waiting;
  /// The one waited for or lost, or while running one that its own limits or a following error
  /// keep from the target; from 0, -1: none.
  int drive = -1;
  DriveWords words;  ///< of that drive
};

/// Holds references back until every drive is enabled, and again when one is lost.
///
/// Until then each drive is commanded to stay where it is: a drive that is not enabled to its
/// measured position, an enabled one to the position at which it became enabled. So a command never
/// differs from the measured position when its drive starts to follow commands. Positions of drives
/// without a status word are not used, because buses fill missing data with zeros.
///
/// When a drive is lost while references are followed, all others come to rest. After that only
/// reset() leads back to waiting: a drive that was switched off for safety and is enabled again
/// must not start a motion.
///
/// Vectors (n,) [rad or m]. Everything but the constructor is for control cycles: no allocation,
/// lock or exception.
class DriveGate
{
public:
  /// `settling`: cycles in a row that must be well before references are followed, >= 1.
  DriveGate(Eigen::Index drives, int settling);

  /// Begins to wait.
  void restart() noexcept;

  /// One cycle: the drives' status (n) and measured positions (n,), and the reference (n,), not
  /// finite where there is none.
  DrivePhase update(
    const std::vector<DriveWords> & words, const VectorIn & position,
    const VectorIn & reference) noexcept;

  /// Reports the position command (n,) while running or stopping, and whether it is at rest.
  void commanded(const VectorIn & position, bool at_rest) noexcept;

  /// Begins to wait again after a drive was lost; false while the robot is not at rest.
  bool reset() noexcept;

  /// Whether references are followed from this cycle on, beginning at hold().
  [[nodiscard]] bool opened() const noexcept { return opened_; }
  /// Whether a drive was lost in this cycle.
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// Position command (n,); not finite for a drive without a status word.
  [[nodiscard]] const Eigen::VectorXd & hold() const noexcept { return hold_; }
  /// Whether a drive has been enabled since references were followed, so that it gets the motion's
  /// commands and torque.
  [[nodiscard]] bool follows(Eigen::Index drive) const noexcept { return follows_[drive] != 0; }
  [[nodiscard]] DrivePhase phase() const noexcept { return report_.phase; }
  [[nodiscard]] const DriveReport & report() const noexcept { return report_; }

private:
  [[nodiscard]] int read(const std::vector<DriveWords> & words, const VectorIn & position) noexcept;
  void settle(int absent, const VectorIn & reference) noexcept;

  int settling_;
  int settled_ = 0;  // cycles in a row
  bool opened_ = false;
  bool lost_ = false;
  bool at_rest_ = true;
  DriveReport report_;
  Eigen::VectorXi enabled_;
  Eigen::VectorXi follows_;
  Eigen::VectorXd hold_;
  Eigen::VectorXd last_;  // reference
};

/// The state of the drives as a sentence that names the joint.
[[nodiscard]] std::string describe(
  const DriveReport & report, const std::vector<std::string> & joints);

}  // namespace dynid
