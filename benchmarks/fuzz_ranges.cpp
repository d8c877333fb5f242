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
constexpr double lowest_rate = 1.0;                           // [Hz]
constexpr double highest_rate = 1e6;
constexpr double longest_line = 1000.0;  // cycles of a delay

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

/// The ranges of all declared settings of a struct inside the settings; not of what only has an
/// order.
template <typename Settings, typename Select>
std::vector<Range<Settings>> declared_ranges(Select select)
{
  using S = std::remove_reference_t<decltype(select(std::declval<Settings &>()))>;
  std::vector<Range<Settings>> found;
  S::visit([&](const dynid::Setting & setting, const auto member) {
    using Value = std::remove_reference_t<decltype(std::declval<S &>().*member)>;
    const double highest = setting.otherwise == infinity ? infinity : setting.highest;
    const auto value = [=](Settings & s) -> auto & { return select(s).*member; };
    if constexpr (std::is_same_v<Value, double>) {
      found.push_back(of_all<Settings>(setting.name, setting.lowest, highest, value));
    } else if constexpr (std::is_same_v<Value, VectorXd>) {
      if (setting.lowest > -infinity) {
        found.push_back(of_each<Settings>(setting.name, setting.lowest, highest, value));
      }
    }
  });
  return found;
}

template <typename Settings>
void append(std::vector<Range<Settings>> & ranges, const std::vector<Range<Settings>> & others)
{
  ranges.insert(ranges.end(), others.begin(), others.end());
}

std::vector<Range<ControlLawSettings>> law_ranges()
{
  using S = ControlLawSettings;
  std::vector<Range<S>> found{
    of_all<S>(
      "control rate", lowest_rate, highest_rate,
      [](S & s) -> auto & { return s.feedforward.control_rate; }),
    of_all<S>(
      "model_monitor.time", least, most, [](S & s) -> auto & { return s.model_monitor.time; }),
    of_all<S>(
      "model_monitor.share", least, most, [](S & s) -> auto & { return s.model_monitor.share; }),
    of_all<S>(
      "model_monitor.times", 0.0, most, [](S & s) -> auto & { return s.model_monitor.times; }),
  };
  append(found, declared_ranges<S>([](S & s) -> auto & { return s; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.feedforward; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.collision; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.limits; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.supervision; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.stiction; }));
  append(found, declared_ranges<S>([](S & s) -> auto & { return s.elastic; }));
  return found;
}

/// Those of the law inside too.
const std::vector<Range<TorqueLawSettings>> & torque_ranges()
{
  static const auto ranges = [] {
    auto found = declared_ranges<TorqueLawSettings>([](auto & s) -> auto & { return s; });
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
  settings.collision.control_rate = settings.feedforward.control_rate;
  settings.observer_gain = std::min(settings.observer_gain, settings.feedforward.control_rate);
  const double longest = longest_line / settings.feedforward.control_rate;
  for (auto * delay : {&settings.feedforward.additive_torque_delay, &settings.torque_error_delay}) {
    *delay = std::min(*delay, longest);
  }
}

/// A value just beyond an end of the range, or no number at all.
double draw_beyond(Dice & dice, double lowest, double highest)
{
  const double above = highest == infinity ? nan : std::nextafter(highest, infinity);
  return dice.of(std::array<double, 4>{std::nextafter(lowest, -infinity), above, nan, -2.0});
}

/// Changes one setting beyond its range. Returns what a refusal must name.
std::string spoil(Dice & dice, TorqueLawSettings & settings)
{
  const auto drives = settings.stiffness.size();
  const auto drive = dice.drive(drives);
  auto & limits = settings.law.limits;
  if (dice.one_in(8)) {
    limits.position_min = limits.position_max = VectorXd::Zero(drives);
    return "position_min";
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
  const double longest = longest_line / settings.law.feedforward.control_rate;
  settings.feedback_delay = std::min(settings.feedback_delay, longest);
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
