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
  waiting,   ///< until every drive is enabled, its position read, and the reference at rest
  running,   ///< all follow
  stopping,  ///< a drive was lost, and commands come to rest
  stopped    ///< at rest, until reset()
};

/// What there is to tell of the drives; copied without allocation.
struct DriveReport
{
  DrivePhase phase = DrivePhase::waiting;
  int drive = -1;    ///< that is waited for, or was lost, from 0; -1: none
  DriveWords words;  ///< of that drive
};

/// Holds references back until every drive is enabled, and again when one is lost.
///
/// Until then each drive is commanded to stay where it is: one that is not enabled to its measured
/// position, whatever that becomes, an enabled one to where it was when it became enabled. So no
/// command ever differs from the measured position when its drive begins to follow commands.
/// Positions of drives that say nothing are not believed, because buses fill with zeros.
///
/// A drive that is lost while references are followed has all others come to rest. After that only
/// reset() leads back to waiting: a drive that was switched off for somebody's safety and comes
/// back by itself moves nothing.
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

  /// One cycle: what the drives say (n) and measure (n,), and the reference (n,), not finite where
  /// there is none.
  DrivePhase update(
    const std::vector<DriveWords> & words, const VectorIn & position,
    const VectorIn & reference) noexcept;

  /// Says what the drives are commanded while they are running (n,), or on their way to rest.
  void commanded(const VectorIn & position, bool at_rest) noexcept;

  /// Begins to wait again after a drive was lost; false while the robot is not at rest.
  bool reset() noexcept;

  /// Whether references are followed from this cycle on, beginning at hold().
  [[nodiscard]] bool opened() const noexcept { return opened_; }
  /// Whether a drive was lost in this cycle.
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// What to command (n,); not finite where a drive says nothing.
  [[nodiscard]] const Eigen::VectorXd & hold() const noexcept { return hold_; }
  /// Whether a drive has been enabled since references were followed, so that it has the motion's
  /// commands, and may have its torque.
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

/// How the drives are, as a sentence that names the joint.
[[nodiscard]] std::string describe(
  const DriveReport & report, const std::vector<std::string> & joints);

}  // namespace dynid
