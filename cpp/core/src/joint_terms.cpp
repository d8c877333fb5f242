#include "dynid/joint_terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "numbers.hpp"

namespace dynid
{
namespace
{

std::string_view velocity_unit(const TermKind & /*kind*/, bool linear) noexcept
{
  return linear ? "m/s" : "rad/s";
}

std::string_view distance_unit(const TermKind & /*kind*/, bool linear) noexcept
{
  return linear ? "m" : "rad";
}

/// Unit of a Stribeck velocity, or of the distance of a contact.
std::string_view scale_unit(const TermKind & kind, bool linear) noexcept
{
  return kind.has_memory() ? distance_unit(kind, linear) : velocity_unit(kind, linear);
}

std::string_view no_unit(const TermKind & /*kind*/, bool /*linear*/) noexcept { return "1"; }

bool is_smoothed(const TermKind & kind) noexcept { return kind.smoothed; }
bool is_scaled(const TermKind & kind) noexcept { return kind.scaled; }
bool has_memory(const TermKind & kind) noexcept { return kind.has_memory(); }
bool has_static_friction(const TermKind & kind) noexcept { return kind.has_static_friction; }

std::string where(const JointTerm & term)
{
  std::ostringstream text;
  text << "The term '" << term.kind->name << "' of "
       << (term.side == TermSide::joint ? "joint " : "motor ") << term.joint + 1;
  return text.str();
}

void check_values(const JointTerm & term)
{
  for (const auto & shape : term_shapes()) {
    const double value = term.*shape.value;
    const bool taken = shape.taken(*term.kind);
    const std::string label(shape.label);
    if (taken && shape.needed && !(std::isfinite(value) && value > 0.0)) {
      throw std::invalid_argument(where(term) + " needs a " + label + " above 0.");
    }
    if (!(std::isfinite(value) && value >= 0.0)) {
      throw std::invalid_argument(where(term) + " has a " + label + " that is not 0 or above.");
    }
    if (!taken && value != 0.0) {
      throw std::invalid_argument(
        where(term) + " has a " + label + ", which its kind does not use.");
    }
  }
  if ((term.static_ratio > 0.0) != (term.stribeck_velocity > 0.0)) {
    throw std::invalid_argument(
      where(term) + " needs a static ratio and a Stribeck velocity above 0, or neither.");
  }
}

}  // namespace

const std::array<TermShape, 5> & term_shapes() noexcept
{
  using Term = JointTerm;
  // name, plural, label, value, taken, unit, needed, rare
  static constexpr std::array<TermShape, 5> shapes{
    {{"smoothing", "smoothings", "smoothing velocity", &Term::smoothing, is_smoothed, velocity_unit,
      false, false},
     {"scale", "scales", "scale", &Term::scale, is_scaled, scale_unit, true, false},
     {"dead_band", "dead_bands", "dead band", &Term::dead_band, has_memory, distance_unit, false,
      false},
     {"static_ratio", "static_ratios", "static ratio", &Term::static_ratio, has_static_friction,
      no_unit, false, true},
     {"stribeck_velocity", "stribeck_velocities", "Stribeck velocity", &Term::stribeck_velocity,
      has_static_friction, velocity_unit, false, true}}};
  return shapes;
}

std::vector<std::string> parameter_names(const std::vector<JointTerm> & terms)
{
  std::map<std::string, int> times;
  std::vector<std::string> names;
  for (const auto & term : terms) {
    auto name = std::string(term.kind->prefix) + (term.side == TermSide::motor ? "m" : "") +
                std::to_string(term.joint + 1);
    const int time = ++times[name];
    names.push_back(time == 1 ? name : name + "_" + std::to_string(time));
  }
  return names;
}

double JointTerm::sliding_level(double dq) const noexcept
{
  if (static_ratio == 0.0) {
    return 1.0;
  }
  const double ratio = dq / stribeck_velocity;
  return 1.0 + static_ratio * std::exp(-ratio * ratio);
}

double JointTerm::sliding_friction(double speed, double direction) const noexcept
{
  if (kind->has_memory()) {
    return 1.0;
  }
  JointTerm sharp = *this;
  sharp.smoothing = 0.0;
  TermInput at{};
  at.dq = direction * std::max(speed, Setting::least);
  at.load = 1.0;
  return direction * kind->column(sharp, at);
}

double JointTerm::largest_dry_friction(double direction) const noexcept
{
  if (!kind->dry()) {
    return 0.0;
  }
  if (kind->has_memory()) {
    return 1.0 + static_ratio;
  }
  // it either decreases or increases with speed
  const double fast = infinity;
  return std::max(sliding_friction(0.0, direction), sliding_friction(fast, direction));
}

double Presliding::move(const JointTerm & term, double to, double dq) noexcept
{
  const double before = std::isnan(position) ? to : position;
  const double play = std::max(term.dead_band, first_play);
  position = std::clamp(before, to - play, to + play);
  const double step = position - before;
  if (step != 0.0) {
    position = to - std::copysign(term.dead_band, step);
    first_play = 0.0;
  }
  deflection = term.kind->stretch(term, deflection, step, dq);
  return deflection / term.scale;
}

double term_column(const JointTerm & term, TermInput at, Presliding & past) noexcept
{
  if (term.kind->has_memory()) {
    at.deflection = past.move(term, at.q, at.dq);
  }
  return term.kind->column(term, at);
}

void check_terms(const std::vector<JointTerm> & terms, int joint_count, int motor_count)
{
  std::set<std::tuple<std::string_view, int, TermSide, double>> seen;
  for (const auto & term : terms) {
    if (term.kind == nullptr) {
      throw std::invalid_argument("A joint term has no kind.");
    }
    const bool at_motor = term.side == TermSide::motor;
    const int count = at_motor ? motor_count : joint_count;
    if (term.joint < 0 || term.joint >= count) {
      throw std::invalid_argument(
        where(term) + (at_motor ? " has no motor: there are " : " has no joint: there are ") +
        std::to_string(count) + ".");
    }
    check_values(term);
    if (term.kind->loaded && term.side == TermSide::motor) {
      throw std::invalid_argument(where(term) + " depends on the joint's load: put it at a joint.");
    }
    // the columns would be the same or nearly so
    if (!seen.emplace(term.kind->name, term.joint, term.side, term.scale).second) {
      throw std::invalid_argument(where(term) + " is given twice.");
    }
  }
}

}  // namespace dynid
