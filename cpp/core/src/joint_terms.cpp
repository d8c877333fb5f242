#include "dynid/joint_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace dynid
{
namespace
{

double direction(const JointTerm & term, double v) noexcept
{
  if (term.smoothing > 0.0) {
    return std::tanh(v / term.smoothing);
  }
  return static_cast<double>(v > 0.0) - static_cast<double>(v < 0.0);
}

double stribeck(const JointTerm & term, double v) noexcept
{
  const double ratio = v / term.scale;
  return direction(term, v) * std::exp(-ratio * ratio);
}

double signed_root(double v) noexcept { return std::copysign(std::sqrt(std::abs(v)), v); }

/// Stop operator: it follows until it is stretched by the scale, and then slides.
double stopped(const JointTerm & term, double deflection, double step, double /*dq*/) noexcept
{
  return std::clamp(deflection + step, -term.scale, term.scale);
}

/// LuGre's bristles, z' = v - |v| z / (scale g(v)) (Canudas de Wit, Olsson, Astrom, Lischinsky,
/// IEEE TAC 1995, eq. 1 with z in units of displacement), exact for a step at constant velocity.
double bent(const JointTerm & term, double deflection, double step, double dq) noexcept
{
  const double level = term.scale * term.sliding_level(dq);
  const double end = std::copysign(level, step);
  return end + (deflection - end) * std::exp(-std::abs(step) / level);
}

std::string where(const JointTerm & term)
{
  std::ostringstream text;
  text << "The term '" << term.kind->name << "' of "
       << (term.side == TermSide::joint ? "joint " : "motor ") << term.joint + 1;
  return text.str();
}

void check_values(const JointTerm & term)
{
  if (!(std::isfinite(term.smoothing) && term.smoothing >= 0.0)) {
    throw std::invalid_argument(where(term) + " has a smoothing velocity that is not 0 or above.");
  }
  if (!term.kind->smoothed && term.smoothing != 0.0) {
    throw std::invalid_argument(where(term) + " has a smoothing velocity, but takes none.");
  }
  if (term.kind->scaled && !(std::isfinite(term.scale) && term.scale > 0.0)) {
    throw std::invalid_argument(where(term) + " needs a scale above 0.");
  }
  if (!term.kind->scaled && term.scale != 0.0) {
    throw std::invalid_argument(where(term) + " has a scale, but takes none.");
  }
  if (!(std::isfinite(term.dead_band) && term.dead_band >= 0.0)) {
    throw std::invalid_argument(where(term) + " has a dead band that is not 0 or above.");
  }
  if (!term.kind->remembers() && term.dead_band != 0.0) {
    throw std::invalid_argument(where(term) + " has a dead band, but takes none.");
  }
  if (!term.kind->weakens && (term.static_ratio != 0.0 || term.stribeck_velocity != 0.0)) {
    throw std::invalid_argument(
      where(term) + " has a static ratio or a Stribeck velocity, but takes none.");
  }
  if (!(std::isfinite(term.static_ratio) && term.static_ratio >= 0.0)) {
    throw std::invalid_argument(where(term) + " has a static ratio that is not 0 or above.");
  }
  const bool fast = std::isfinite(term.stribeck_velocity) && term.stribeck_velocity > 0.0;
  if (term.static_ratio > 0.0 ? !fast : term.stribeck_velocity != 0.0) {
    throw std::invalid_argument(
      where(term) + " needs a static ratio and a Stribeck velocity above 0, or neither.");
  }
}

}  // namespace

const std::vector<TermKind> & term_kinds()
{
  using Term = const JointTerm &;
  using At = const TermInput &;
  // name, prefix, rotary unit, linear unit, smoothed, scaled, inertial, loaded, weakens,
  // never_negative, column
  static const std::vector<TermKind> kinds{
    {"viscous", "Fv", "N*m*s/rad", "N*s/m", false, false, false, false, false, true,
     [](Term, At x) noexcept { return x.dq; }},
    {"coulomb", "Fc", "N*m", "N", true, false, false, false, false, true,
     [](Term t, At x) noexcept { return direction(t, x.dq); }},
    {"offset", "Off", "N*m", "N", false, false, false, false, false, false,
     [](Term, At) noexcept { return 1.0; }},
    {"rotor_inertia", "Ia", "kg*m^2", "kg", false, false, true, false, false, true,
     [](Term, At x) noexcept { return x.ddq; }},
    {"spring_stiffness", "K", "N*m/rad", "N/m", false, false, false, false, false, true,
     [](Term, At x) noexcept { return x.q; }},
    {"spring_preload", "Kp", "N*m", "N", false, false, false, false, false, false,
     [](Term, At) noexcept { return 1.0; }},
    {"stribeck", "Fs", "N*m", "N", true, true, false, false, false, false,
     [](Term t, At x) noexcept { return stribeck(t, x.dq); }},
    {"viscous_cubic", "Fcub", "N*m*s^3/rad^3", "N*s^3/m^3", false, false, false, false, false,
     false, [](Term, At x) noexcept { return x.dq * x.dq * x.dq; }},
    {"viscous_root", "Froot", "N*m*s^0.5/rad^0.5", "N*s^0.5/m^0.5", false, false, false, false,
     false, true, [](Term, At x) noexcept { return signed_root(x.dq); }},
    {"viscous_positive", "Fvp", "N*m*s/rad", "N*s/m", false, false, false, false, false, true,
     [](Term, At x) noexcept { return std::max(x.dq, 0.0); }},
    {"viscous_negative", "Fvn", "N*m*s/rad", "N*s/m", false, false, false, false, false, true,
     [](Term, At x) noexcept { return std::min(x.dq, 0.0); }},
    {"coulomb_positive", "Fcp", "N*m", "N", true, false, false, false, false, true,
     [](Term t, At x) noexcept { return std::max(direction(t, x.dq), 0.0); }},
    {"coulomb_negative", "Fcn", "N*m", "N", true, false, false, false, false, true,
     [](Term t, At x) noexcept { return std::min(direction(t, x.dq), 0.0); }},
    {"coulomb_load", "Fl", "1", "1", true, false, false, true, false, true,
     [](Term t, At x) noexcept { return direction(t, x.dq) * std::abs(x.load); }},
    {"presliding", "Fh", "N*m", "N", false, true, false, false, false, true,
     [](Term, At x) noexcept { return x.deflection; }, stopped},
    {"presliding_load", "Fhl", "1", "1", false, true, false, true, false, true,
     [](Term, At x) noexcept { return x.deflection * std::abs(x.load); }, stopped},
    {"lugre", "Fb", "N*m", "N", false, true, false, false, true, true,
     [](Term, At x) noexcept { return x.deflection; }, bent},
  };
  return kinds;
}

const TermKind & term_kind(std::string_view name)
{
  std::ostringstream available;
  for (const auto & kind : term_kinds()) {
    if (kind.name == name) {
      return kind;
    }
    available << (available.tellp() > 0 ? ", " : "") << kind.name;
  }
  throw std::invalid_argument(
    "There is no joint term '" + std::string(name) + "'; there are " + available.str() + ".");
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

double JointTerm::largest_dry_friction(double direction) const noexcept
{
  if (kind->remembers()) {
    return 1.0 + static_ratio;
  }
  if (!kind->smoothed) {
    return 0.0;
  }
  if (kind->scaled) {  // that fades with speed
    return 1.0;
  }
  TermInput fast{};
  fast.dq = direction * std::numeric_limits<double>::infinity();
  fast.load = 1.0;
  return std::abs(kind->column(*this, fast));
}

double Presliding::move(const JointTerm & term, double to, double dq) noexcept
{
  const double before = std::isnan(position) ? to : position;
  position = std::clamp(before, to - term.dead_band, to + term.dead_band);
  deflection = term.kind->stretch(term, deflection, position - before, dq);
  return deflection / term.scale;
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
