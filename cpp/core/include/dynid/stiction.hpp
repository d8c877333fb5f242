#pragma once

#include <Eigen/Core>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// How a joint that rests is helped over dry friction; one value for each drive (n,), or none at
/// all for no help.
struct StictionSettings : declared::StictionSettings
{
  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

}  // namespace dynid
