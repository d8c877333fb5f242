#pragma once

#include <Eigen/Core>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// Limits of a position command, (n,) each; empty or infinite: no limit.
struct CommandLimits : declared::CommandLimits
{
  /// Replaces each empty vector by n infinite limits.
  void fill(Eigen::Index drives);

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

}  // namespace dynid
