#pragma once

// Oracles for each cycle of a control law.

#include "dynid/control_law.hpp"
#include "fuzz_findings.hpp"
#include "fuzz_references.hpp"

namespace fuzz
{

/// Checks position commands and torque offsets, using only latched() besides.
class CommandCheck
{
public:
  CommandCheck(const dynid::ControlLawSettings & settings, Findings & findings)
  : settings_(settings), findings_(findings)
  {
  }

  /// Begins again after start().
  void restart(const dynid::ControlLaw & law);

  /// After update() and before reset(), with the cycles in which the drives moved on by themselves.
  void look(const dynid::ControlLaw & law, const Time & time);

private:
  void look_at(const dynid::ControlLaw & law, Eigen::Index drive, int coasted);

  const dynid::ControlLawSettings & settings_;
  Findings & findings_;
  Eigen::VectorXd position_;
  Eigen::VectorXd step_;
  int coasted_ = 0;
};

/// Checks that no drive is blind for longer than permitted without a stop, by a time of its own.
class BlindCheck
{
public:
  BlindCheck(const dynid::ControlLawSettings & settings, Findings & findings)
  : settings_(settings), findings_(findings)
  {
  }

  void restart() { blind_.setZero(settings_.deceleration.size()); }

  /// With the settings of collisions that are in use.
  void look(
    const dynid::ControlLaw & law, const dynid::CollisionSettings & collision, const Time & time);

private:
  [[nodiscard]] double longest_suspension(double time_constant) const;

  const dynid::ControlLawSettings & settings_;
  Findings & findings_;
  Eigen::VectorXd blind_;  // (n,) [s]
};

}  // namespace fuzz
