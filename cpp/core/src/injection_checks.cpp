#include "injection_checks.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace dynid
{

void InjectionChecks::check_fault(int drive) const
{
  if (drive < -1 || drive >= torque_max.size()) {
    throw std::invalid_argument(
      "Drive " + std::to_string(drive) + " cannot have a fault; there are " +
      std::to_string(torque_max.size()) + ", counted from 0.");
  }
}

void InjectionChecks::operator()(const LostFrames & lost) const
{
  if (lost.cycles < 0) {
    throw std::invalid_argument(
      std::to_string(lost.cycles) + " lost frames are impossible; give a number of 0 or more.");
  }
}

void InjectionChecks::operator()(const FrameLoss & loss) const
{
  if (!(loss.probability >= 0.0 && loss.probability <= 1.0)) {
    throw std::invalid_argument(
      "The probability of a lost frame is " + std::to_string(loss.probability) +
      ", but must be from 0 to 1.");
  }
}

void InjectionChecks::operator()(const Saturation & saturation) const
{
  const auto [drive, factor] = saturation;
  if (drive < 0 || drive >= torque_max.size()) {
    throw std::invalid_argument(
      "Drive " + std::to_string(drive) + " cannot saturate; there are " +
      std::to_string(torque_max.size()) + ", counted from 0.");
  }
  if (!(factor > 0.0 && factor <= 1.0)) {
    throw std::invalid_argument(
      "The saturation factor of drive " + std::to_string(drive) + " is " + std::to_string(factor) +
      ", but must be above 0 and at most 1.");
  }
  if (factor < 1.0 && std::isinf(torque_max[drive])) {
    throw std::invalid_argument(
      "Drive " + std::to_string(drive) +
      " cannot saturate, because its torque_max is unlimited; give the profile one.");
  }
}

}  // namespace dynid
