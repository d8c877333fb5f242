#include "fuzz_push.hpp"

#include <algorithm>
#include <deque>

namespace fuzz
{
namespace
{

using dynid::BlindReason;

constexpr double found_within = 0.2;  // [s]
constexpr int longest_wait = 4000;    // cycles
constexpr int quiet_cycles = 20;      // before the push
constexpr double settled = 6.0;       // time constants after which a filter shows 99.8 %
constexpr double times = 3.0;         // the threshold
constexpr double grown = 1.001;       // of a push, after which time counts anew

/// The time in which torque errors settle and are above their threshold for debounce_time [cycles].
double deciding(const PushedLaw & pushed, Eigen::Index drive)
{
  const bool observes = pushed.settings.method == dynid::DetectionMethod::momentum;
  const double filters = pushed.collision.torque_error_time_constant[drive] +
                         (observes ? 1.0 / pushed.settings.observer_gain : 0.0);
  const double rate = pushed.settings.feedforward.control_rate;
  return rate * (pushed.collision.debounce_time + settled * filters) + 1.0;
}

/// By how much a drive's torque has changed within a number of cycles [N*m or N].
class Swing
{
public:
  explicit Swing(double cycles)
  : cycles_(static_cast<std::size_t>(std::min<double>(cycles, longest_wait)))
  {
  }

  void add(double torque)
  {
    torques_.push_back(torque);
    if (torques_.size() > cycles_) {
      torques_.pop_front();
    }
  }
  [[nodiscard]] double size() const
  {
    const auto [least, most] = std::minmax_element(torques_.begin(), torques_.end());
    return torques_.empty() ? 0.0 : *most - *least;
  }

private:
  std::size_t cycles_;
  std::deque<double> torques_;
};

bool never_evaluated(BlindReason reason)
{
  return reason == BlindReason::off || reason == BlindReason::no_model;
}

/// Whether a push of the drive, and nothing else, stopped the robot.
bool finds(const dynid::Collision & collision, Eigen::Index drive)
{
  return collision.drive == drive && (collision.cause == dynid::CollisionCause::torque_error ||
                                      collision.cause == dynid::CollisionCause::torque_threshold);
}

}  // namespace

Eigen::Index draw_pushed(Dice & dice, const dynid::CollisionSettings & collision)
{
  const auto supervised = dynid::supervised(collision);
  auto drive = dice.drive(supervised.size());
  for (int again = 5; again > 0 && supervised[drive] < 0.5; --again) {
    drive = dice.drive(supervised.size());
  }
  return drive;
}

Answer push(
  const PushedLaw & pushed, Eigen::Index drive, const std::function<double(double)> & cycle,
  const std::function<double()> & measured)
{
  const auto & law = pushed.law;
  const double decided = deciding(pushed, drive);
  const double wait = pushed.settings.feedforward.control_rate * found_within + decided;
  Swing swing(decided);
  bool swings = pushed.loops;  // or its own torque errors are above the threshold before the push
  for (int k = 0; k < quiet_cycles && !pushed.stopped(); ++k) {
    cycle(0.0);
    swing.add(measured());
    swings |= std::abs(law.torque_error()[drive]) > law.detector().threshold()[drive];
  }
  if (pushed.stopped()) {
    return Answer::stopped;
  }
  if (never_evaluated(law.supervision().reason(drive))) {
    return Answer::said;
  }
  if (!(wait <= longest_wait)) {
    return Answer::open;
  }
  const bool errors = dynid::watches_errors(pushed.collision, drive) && pushed.has_model;
  double size = 0.0;
  double evaluated = 0.0;
  bool blind = false;
  for (int left = static_cast<int>(3.0 * wait); left > 0; --left) {
    // Loops that are unstable, as with a faulty sensor, make torque errors of either sign, and so
    // do torques that are sampled in uneven cycles of an abrupt motion. A push below these only
    // shifts them, and they may be below the threshold for most of the time, so that there is only
    // a warning: it must be above them.
    const double wanted =
      errors ? times * law.detector().threshold()[drive] + (swings ? swing.size() : 0.0)
             : times * pushed.collision.torque_threshold[drive] + std::abs(measured());
    if (!std::isfinite(wanted)) {
      return Answer::open;
    }
    evaluated = wanted > grown * size ? 0.0 : evaluated;
    size = std::max(size, wanted);
    const double counted = cycle(size);
    swing.add(measured());
    if (pushed.stopped()) {
      return finds(law.detector().collision(), drive) ? Answer::found : Answer::stopped;
    }
    blind = law.supervision().reason(drive) != BlindReason::none;
    evaluated = blind ? 0.0 : evaluated + std::min(counted, 1.0);
    if (evaluated >= wait) {
      return Answer::missed;
    }
  }
  return blind ? Answer::said : Answer::open;
}

}  // namespace fuzz
