#pragma once

#include <Eigen/Core>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// How motors lead the links behind gears that bend; one value for each drive (n,), or none at all
/// for rigid joints.
struct ElasticSettings : declared::ElasticSettings
{
  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;

  /// Whether references pass through the lags.
  [[nodiscard]] bool enabled() const noexcept;

  /// Time by which references are delayed [s].
  [[nodiscard]] double delay() const noexcept;
};

}  // namespace dynid
