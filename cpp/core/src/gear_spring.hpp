#pragma once

#include <algorithm>
#include <cmath>

namespace dynid
{

/// The spring of a gear with backlash b, which may harden: K e + H e^3, with e the deflection
/// beyond b / 2 [rad or m; N*m or N].
struct GearSpring
{
  double stiffness;        ///< K, above 0
  double hardening = 0.0;  ///< H, not negative
  double half = 0.0;       ///< b / 2

  /// e of a deflection: 0 between the sides of the teeth.
  [[nodiscard]] double bent(double deflection) const noexcept
  {
    return deflection - std::clamp(deflection, -half, half);
  }

  [[nodiscard]] double torque(double e) const noexcept
  {
    return (stiffness + hardening * e * e) * e;
  }

  /// Derivative of the torque by e.
  [[nodiscard]] double tangent(double e) const noexcept
  {
    return stiffness + 3.0 * hardening * e * e;
  }

  /// e at a torque: the only real root of H e^3 + K e = torque.
  [[nodiscard]] double bent_by(double torque) const noexcept
  {
    if (!(hardening > 0.0)) {
      return torque / stiffness;
    }
    const double scale = 2.0 * std::sqrt(stiffness / (3.0 * hardening));
    return scale * std::sinh(std::asinh(3.0 * torque / (stiffness * scale)) / 3.0);
  }
};

}  // namespace dynid
