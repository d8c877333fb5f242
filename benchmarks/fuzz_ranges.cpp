// The range of each setting, as the headers of the core describe it.

#include <algorithm>
#include <cctype>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fuzz_settings.hpp"

namespace fuzz
{
namespace
{

using dynid::ControlLawSettings;
using dynid::TorqueLawSettings;
using Eigen::VectorXd;

constexpr double least = std::numeric_limits<double>::min();  // above 0
constexpr double most = std::numeric_limits<double>::max();   // finite
constexpr double highest_rate = 1e6;                          // [Hz]
constexpr double slowest_rate = std::numeric_limits<double>::denorm_min();
constexpr int longest_delay = 1000;  // cycles

/// A setting, how its refusal names it, and the range of its values.
template <typename Settings>
struct Range
{
  std::string name;
  double lowest;
  double highest;
  std::function<double *(Settings &, Eigen::Index drive)> one;  ///< of all drives or of one
  std::function<VectorXd *(Settings &)> all;                    ///< where drives have one each
};

template <typename Settings, typename Select>
Range<Settings> of_all(const char * name, double lowest, double highest, Select select)
{
  return {name, lowest, highest, [=](Settings & s, Eigen::Index) { return &select(s); }, nullptr};
}

template <typename Settings, typename Select>
Range<Settings> of_each(const char * name, double lowest, double highest, Select select)
{
  return {
    name, lowest, highest, [=](Settings & s, Eigen::Index i) { return &select(s)[i]; },
    [=](Settings & s) { return &select(s); }};
}

#define DYNID_SETTING(kind, name, lowest, highest, place) \
  kind<S>(name, lowest, highest, [](S & s) -> auto & { return s.place; })

std::vector<Range<ControlLawSettings>> law_ranges()
{
  using S = ControlLawSettings;
  return {
    DYNID_SETTING(of_all, "control rate", slowest_rate, highest_rate, feedforward.control_rate),
    DYNID_SETTING(of_all, "ramp_time", 0.0, most, feedforward.ramp_time),
    DYNID_SETTING(of_each, "torque_max", 0.0, most, feedforward.torque_max),
    DYNID_SETTING(of_each, "position_jump", least, infinity, feedforward.position_jump),
    DYNID_SETTING(of_each, "acceleration_jump", least, infinity, feedforward.acceleration_jump),
    DYNID_SETTING(of_each, "torque_error_enable", 0.0, 1.0, collision.torque_error_enable),
    DYNID_SETTING(
      of_each, "torque_error_time_constant", 0.0, most, collision.torque_error_time_constant),
    DYNID_SETTING(of_each, "torque_error_max", least, infinity, collision.torque_error_max),
    DYNID_SETTING(of_each, "velocity_factor", 0.0, most, collision.velocity_factor),
    DYNID_SETTING(of_each, "acceleration_factor", 0.0, most, collision.acceleration_factor),
    DYNID_SETTING(of_each, "reversal_boost", 0.0, most, collision.reversal_boost),
    DYNID_SETTING(of_each, "low_speed", 0.0, most, collision.low_speed),
    DYNID_SETTING(of_each, "acceleration_step", least, infinity, collision.acceleration_step),
    DYNID_SETTING(of_each, "torque_threshold", least, infinity, collision.torque_threshold),
    DYNID_SETTING(of_all, "boost_time", 0.0, most, collision.boost_time),
    DYNID_SETTING(of_all, "warn_fraction", least, 1.0, collision.warn_fraction),
    DYNID_SETTING(of_all, "debounce_time", 0.0, 60.0, collision.debounce_time),
    DYNID_SETTING(of_each, "deceleration", least, most, deceleration),
    DYNID_SETTING(of_each, "reference_tolerance", 0.0, infinity, reference_tolerance),
    DYNID_SETTING(of_each, "velocity_max", least, infinity, limits.velocity_max),
    DYNID_SETTING(of_each, "acceleration_max", least, infinity, limits.acceleration_max),
    DYNID_SETTING(of_all, "max_age", least, most, max_age),
    DYNID_SETTING(of_all, "longest_blind", least, most, supervision.longest_blind),
    DYNID_SETTING(of_all, "longest_blind_stop", least, infinity, supervision.longest_blind_stop),
    DYNID_SETTING(of_all, "model_check.time", least, most, model_check.time),
    DYNID_SETTING(of_all, "model_check.share", least, most, model_check.share),
    DYNID_SETTING(of_all, "model_check.times", 0.0, most, model_check.times),
    DYNID_SETTING(of_all, "extrapolation_time", 0.0, 1.0, extrapolation_time),
    DYNID_SETTING(of_all, "observer_gain", least, highest_rate, observer_gain),
  };
}

std::vector<Range<TorqueLawSettings>> own_torque_ranges()
{
  using S = TorqueLawSettings;
  return {
    DYNID_SETTING(of_each, "stiffness", 0.0, most, stiffness),
    DYNID_SETTING(of_each, "damping", 0.0, most, damping),
    DYNID_SETTING(of_each, "integral_gain", 0.0, most, integral_gain),
    DYNID_SETTING(of_each, "integral_max", 0.0, most, integral_max),
    DYNID_SETTING(of_each, "torque_rate_max", least, infinity, torque_rate_max),
    DYNID_SETTING(of_each, "position_error_max", least, infinity, position_error_max),
    DYNID_SETTING(of_each, "speed_max", least, infinity, speed_max),
    DYNID_SETTING(of_each, "stop_damping", 0.0, most, stop_damping),
    DYNID_SETTING(of_each, "stop_speed", least, infinity, stop_speed),
    DYNID_SETTING(of_all, "stop_time", 0.0, most, stop_time),
  };
}

#undef DYNID_SETTING

/// Those of the law inside too.
const std::vector<Range<TorqueLawSettings>> & torque_ranges()
{
  static const auto ranges = [] {
    auto found = own_torque_ranges();
    for (auto & range : law_ranges()) {
      found.push_back(
        {range.name, range.lowest, range.highest,
         [one = range.one](TorqueLawSettings & s, Eigen::Index i) { return one(s.law, i); },
         range.all ? [all = range.all](TorqueLawSettings & s) { return all(s.law); }
                   : std::function<VectorXd *(TorqueLawSettings &)>()});
    }
    return found;
  }();
  return ranges;
}

template <typename Settings>
void move_some(
  Dice & dice, const std::vector<Range<Settings>> & ranges, Settings & settings,
  Eigen::Index drives)
{
  for (int left = 1 + dice.below(3); left > 0; --left) {
    const auto & range =
      ranges[static_cast<std::size_t>(dice.below(static_cast<int>(ranges.size())))];
    *range.one(settings, dice.drive(drives)) = dice.one_in(2) ? range.lowest : range.highest;
  }
}

/// Rates agree, and no gain is above them.
void reconcile(ControlLawSettings & settings)
{
  settings.feedforward.control_rate = std::max(settings.feedforward.control_rate, least);
  settings.collision.control_rate = settings.feedforward.control_rate;
  settings.observer_gain = std::min(settings.observer_gain, settings.feedforward.control_rate);
}

/// A value just beyond an end of the range, or no number at all.
double draw_beyond(Dice & dice, double lowest, double highest)
{
  const double above = highest == infinity ? nan : std::nextafter(highest, infinity);
  return dice.of(std::array<double, 4>{std::nextafter(lowest, -infinity), above, nan, -1.0});
}

/// Changes one setting beyond its range. Returns what a refusal must name.
std::string spoil(Dice & dice, TorqueLawSettings & settings)
{
  const auto drives = settings.stiffness.size();
  const auto drive = dice.drive(drives);
  auto & limits = settings.law.limits;
  switch (dice.below(8)) {
    case 0:
      settings.law.feedforward.additive_torque_delay = dice.one_in(2) ? -1 : longest_delay + 1;
      return "delay";
    case 1:
      settings.feedback_delay = dice.one_in(2) ? -1 : longest_delay + 1;
      return "delay";
    case 2:
      settings.law.torque_error_delay = longest_delay + 1;
      return "delay";
    case 3:
      limits.position_min = limits.position_max = VectorXd::Zero(drives);
      return "position_min";
    default:
      break;
  }
  const auto & ranges = torque_ranges();
  const auto & range =
    ranges[static_cast<std::size_t>(dice.below(static_cast<int>(ranges.size())))];
  if (range.all && dice.one_in(4)) {
    const auto size = drives == 1 || dice.one_in(2) ? drives + 1 : drives - 1;
    *range.all(settings) = VectorXd::Constant(size, range.highest);
  } else {
    *range.one(settings, drive) = draw_beyond(dice, range.lowest, range.highest);
  }
  return range.name;
}

}  // namespace

void move_to_ends(Dice & dice, ControlLawSettings & settings)
{
  static const auto ranges = law_ranges();
  move_some(dice, ranges, settings, settings.deceleration.size());
  reconcile(settings);
}

void move_to_ends(Dice & dice, TorqueLawSettings & settings)
{
  move_some(dice, torque_ranges(), settings, settings.stiffness.size());
  reconcile(settings.law);
}

std::string beyond_range(Dice & dice, const TorqueLawSettings & settings)
{
  auto spoilt = settings;
  auto name = spoil(dice, spoilt);
  try {
    spoilt.check(settings.stiffness.size());
  } catch (const std::invalid_argument & refusal) {
    const std::string text = refusal.what();
    const bool sentence =
      !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) != 0 && text.back() == '.';
    return sentence && text.find(name) != std::string::npos ? "" : name + " by: " + text;
  }
  return name;
}

}  // namespace fuzz
