#include "dynid/drive_gate.hpp"

#include <cmath>

#include "numbers.hpp"

namespace dynid
{
namespace
{

constexpr double still = 1e-9;  // largest change in a cycle of a reference at rest [rad or m]

/// Whether no finite component has changed.
bool at_rest(const VectorIn & now, const Eigen::VectorXd & before) noexcept
{
  for (Eigen::Index i = 0; i < now.size(); ++i) {
    if (std::isfinite(now[i]) && !(std::abs(now[i] - before[i]) <= still)) {
      return false;
    }
  }
  return true;
}

/// The first drive that does not reach its target, from 0, or -1.
int limited(const std::vector<DriveWords> & words) noexcept
{
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_limited(words[i].status) || has_following_error(words[i].status)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

DriveGate::DriveGate(Eigen::Index drives, int settling) : settling_(settling)
{
  hold_.setConstant(drives, nan);
  last_ = hold_;
  enabled_.setZero(drives);
  follows_.setZero(drives);
}

void DriveGate::restart() noexcept
{
  report_ = {};
  enabled_.setZero();
  follows_.setZero();
  hold_.setConstant(nan);
  last_.setConstant(nan);
  settled_ = 0;
  opened_ = false;
  lost_ = false;
  at_rest_ = true;
}

DrivePhase DriveGate::update(
  const std::vector<DriveWords> & words, const VectorIn & position,
  const VectorIn & reference) noexcept
{
  opened_ = false;
  lost_ = false;
  const int absent = read(words, position);
  const auto at = [&](int drive) { return words[static_cast<std::size_t>(drive)]; };
  switch (report_.phase) {
    case DrivePhase::waiting:
      settle(absent, reference);
      if (report_.drive >= 0) {
        report_.words = at(report_.drive);
      }
      break;
    case DrivePhase::running:
      if (absent >= 0) {
        report_ = {DrivePhase::stopping, absent, at(absent)};
        lost_ = true;
        at_rest_ = false;
      } else {
        report_.drive = limited(words);
        report_.words = report_.drive >= 0 ? at(report_.drive) : DriveWords{};
      }
      break;
    case DrivePhase::stopping:
    case DrivePhase::stopped:
      // a drive brakes before it is in fault, and its error code may arrive even later
      if (has_fault(drive_state(at(report_.drive).status))) {
        report_.words = at(report_.drive);
      }
      report_.phase = at_rest_ ? DrivePhase::stopped : DrivePhase::stopping;
      break;
  }
  last_ = reference;
  return report_.phase;
}

/// Stores which drives are enabled, and the positions of the others. Returns the first that is not
/// enabled, with priority for one in fault, or -1.
int DriveGate::read(const std::vector<DriveWords> & words, const VectorIn & position) noexcept
{
  int absent = -1;
  bool fault = false;
  for (Eigen::Index i = 0; i < hold_.size(); ++i) {
    const double word = words[static_cast<std::size_t>(i)].status;
    const auto state = drive_state(word);
    const bool follows = state == DriveState::enabled;
    if (!follows || enabled_[i] == 0) {
      // the bus has a word of zeros until the drive sends its first
      hold_[i] = word > 0.0 ? position[i] : nan;
    }
    // a drive without a valid position has not been read
    enabled_[i] = follows && (enabled_[i] != 0 || std::isfinite(hold_[i])) ? 1 : 0;
    follows_[i] *= enabled_[i];
    if (enabled_[i] == 0 && (absent < 0 || (!fault && has_fault(state)))) {
      absent = static_cast<int>(i);
      fault = has_fault(state);
    }
  }
  return absent;
}

void DriveGate::settle(int absent, const VectorIn & reference) noexcept
{
  report_.drive = absent;
  settled_ = absent < 0 && at_rest(reference, last_) ? settled_ + 1 : 0;
  if (settled_ >= settling_) {
    report_ = {DrivePhase::running, -1, {}};
    follows_.setOnes();
    opened_ = true;
  }
}

void DriveGate::commanded(const VectorIn & position, bool at_rest) noexcept
{
  at_rest_ = at_rest;
  for (Eigen::Index i = 0; i < hold_.size(); ++i) {
    if (follows_[i] != 0) {
      hold_[i] = position[i];
    }
  }
}

bool DriveGate::reset() noexcept
{
  if (report_.phase == DrivePhase::stopping) {
    return false;
  }
  if (report_.phase == DrivePhase::stopped) {
    report_.phase = DrivePhase::waiting;
    follows_.setZero();
    settled_ = 0;
  }
  return true;
}

std::string describe(const DriveReport & report, const std::vector<std::string> & joints)
{
  const auto drive = [&] {
    return "drive of joint '" + joints.at(static_cast<std::size_t>(report.drive)) + "'";
  };
  switch (report.phase) {
    case DrivePhase::waiting:
      return report.drive < 0
               ? "every drive is enabled; waiting for the reference to be at rest"
               : "waiting for the " + drive() + ", which is " + describe(report.words);
    case DrivePhase::running:
      return report.drive < 0
               ? "every drive is enabled"
               : "every drive is enabled; the " + drive() + " is " + describe(report.words);
    case DrivePhase::stopping:
      return "The " + drive() + " is " + describe(report.words) + "; the robot is braking.";
    case DrivePhase::stopped:
      return "The " + drive() + " is " + describe(report.words) +
             "; the robot is stopped until ~/reset_fault.";
  }
  return {};
}

}  // namespace dynid
