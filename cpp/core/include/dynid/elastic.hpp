#pragma once

#include <Eigen/Core>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// Gears that bend, how motors lead the links behind them, and where their torque is compared; one
/// value for each drive (n,), or none at all for rigid joints.
struct ElasticSettings : declared::ElasticSettings
{
  /// The same with a value for each drive.
  [[nodiscard]] ElasticSettings filled(Eigen::Index drives) const;

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;

  /// Whether the torque in any gear is compared.
  [[nodiscard]] bool compares_gears() const noexcept { return (link_torque.array() > 0.5).any(); }

  /// Whether references pass through the lags.
  [[nodiscard]] bool enabled() const noexcept;

  /// Time by which references are delayed [s].
  [[nodiscard]] double delay() const noexcept;
};

}  // namespace dynid
