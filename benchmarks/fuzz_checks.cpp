#include "fuzz_checks.hpp"

#include <algorithm>

#include "fuzz_settings.hpp"

namespace fuzz
{
namespace
{

using dynid::BlindReason;
using dynid::ControlLaw;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rate_share = 1e-5;    // of a limit: ten times what the guard takes for rounding
constexpr double change_share = 1e-3;  // the same, summed up over a stop in front of a limit
constexpr double rounding = 1e-6;      // of times that are summed up over many cycles

}  // namespace

void CommandCheck::restart(const ControlLaw & law)
{
  position_ = law.position_command();
  step_.setZero(position_.size());
  coasted_ = 0;
}

void CommandCheck::look(const ControlLaw & law, const Time & time)
{
  const auto & command = law.position_command();
  if (time.skipped()) {
    // except by a stop from outside of the law
    findings_.expect(
      command == position_ || law.latched(), "commands that replace one not taken yet");
    position_ = command;
    return;
  }
  findings_.expect(
    command.allFinite() && law.torque_offset().allFinite(), "commands that are not finite");
  for (Eigen::Index i = 0; i < command.size(); ++i) {
    look_at(law, i, time.coasted());
  }
  position_ = command;
  coasted_ = time.coasted();
}

void CommandCheck::look_at(const ControlLaw & law, Eigen::Index i, int coasted)
{
  const auto & limits = settings_.limits;
  const double rate = settings_.feedforward.control_rate;
  const double p = law.position_command()[i];
  const double was = position_[i];
  const double step = p - was;
  const double rounded = 8.0 * epsilon * (std::abs(p) + std::abs(was) + std::abs(step_[i]));
  findings_.expect(
    p <= std::max(was, limits.position_max[i]) && p >= std::min(was, limits.position_min[i]),
    "positions beyond a limit, and further out than before");
  const double fastest = (1 + coasted) * limits.velocity_max[i] / rate;
  findings_.expect(
    std::abs(step) <= (1.0 + rate_share) * fastest + rounded, "steps beyond velocity_max");
  if (coasted > 0 || coasted_ > 0) {
    // the change of a single step is not known
  } else if (law.latched()) {
    findings_.expect(
      std::abs(step) <= std::abs(step_[i]) + rounded,
      "steps after a collision that are longer than the one before");
  } else {
    const double hardest = limits.acceleration_max[i] / rate / rate;
    findings_.expect(
      std::abs(step - step_[i]) - 2.0 * rounded <= (1.0 + change_share) * hardest,
      "changes of step beyond acceleration_max");
  }
  findings_.expect(
    std::abs(law.torque_offset()[i]) <= settings_.feedforward.torque_max[i],
    "torque offsets beyond torque_max");
  findings_.steps += step != 0.0 ? 1 : 0;
  step_[i] = step;
}

/// The longest suspension that the law may cause itself, with the settling of its filters [s].
double BlindCheck::longest_suspension(double time_constant) const
{
  const auto & feedforward = settings_.feedforward;
  const bool observes = settings_.method == dynid::DetectionMethod::momentum;
  return feedforward.ramp_time + error_delay(settings_) + 3.0 * time_constant +
         (observes ? 3.0 / settings_.observer_gain : 0.0);
}

void BlindCheck::look(
  const ControlLaw & law, const dynid::CollisionSettings & collision, const Time & time)
{
  if (law.latched()) {
    restart();
    return;
  }
  if (time.skipped()) {
    return;
  }
  const double passed = std::max(1.0, time.counted()) / settings_.feedforward.control_rate;
  for (Eigen::Index i = 0; i < blind_.size(); ++i) {
    const auto reason = law.supervision().reason(i);
    const bool evaluated =
      reason == BlindReason::none || reason == BlindReason::off || reason == BlindReason::no_model;
    blind_[i] = evaluated ? 0.0 : blind_[i] + passed;
    const bool expected = reason == BlindReason::suspended || reason == BlindReason::settling;
    const double longest =
      settings_.supervision.longest_blind_stop +
      (expected ? longest_suspension(collision.torque_error_time_constant[i]) : 0.0);
    findings_.expect(
      blind_[i] <= (1.0 + rounding) * longest, "drives that were blind for too long");
    (reason == BlindReason::none ? findings_.evaluated : findings_.blind) += 1;
  }
}

}  // namespace fuzz
