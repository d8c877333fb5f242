#include "dynid/joint_terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>

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
    throw std::invalid_argument(where(term) + " needs a scale velocity above 0.");
  }
  if (!term.kind->scaled && term.scale != 0.0) {
    throw std::invalid_argument(where(term) + " has a scale velocity, but takes none.");
  }
}

}  // namespace

const std::vector<TermKind> & term_kinds()
{
  using T = const JointTerm &;
  // name, prefix, rotary unit, linear unit, smoothed, scaled, inertial, column
  static const std::vector<TermKind> kinds{
    {"viscous", "Fv", "N*m*s/rad", "N*s/m", false, false, false,
     [](T, double, double v, double) noexcept { return v; }},
    {"coulomb", "Fc", "N*m", "N", true, false, false,
     [](T t, double, double v, double) noexcept { return direction(t, v); }},
    {"offset", "Off", "N*m", "N", false, false, false,
     [](T, double, double, double) noexcept { return 1.0; }},
    {"rotor_inertia", "Ia", "kg*m^2", "kg", false, false, true,
     [](T, double, double, double a) noexcept { return a; }},
    {"spring_stiffness", "K", "N*m/rad", "N/m", false, false, false,
     [](T, double q, double, double) noexcept { return q; }},
    {"spring_preload", "Kp", "N*m", "N", false, false, false,
     [](T, double, double, double) noexcept { return 1.0; }},
    {"stribeck", "Fs", "N*m", "N", true, true, false,
     [](T t, double, double v, double) noexcept { return stribeck(t, v); }},
    {"viscous_cubic", "Fcub", "N*m*s^3/rad^3", "N*s^3/m^3", false, false, false,
     [](T, double, double v, double) noexcept { return v * v * v; }},
    {"viscous_root", "Froot", "N*m*s^0.5/rad^0.5", "N*s^0.5/m^0.5", false, false, false,
     [](T, double, double v, double) noexcept { return signed_root(v); }},
    {"viscous_positive", "Fvp", "N*m*s/rad", "N*s/m", false, false, false,
     [](T, double, double v, double) noexcept { return std::max(v, 0.0); }},
    {"viscous_negative", "Fvn", "N*m*s/rad", "N*s/m", false, false, false,
     [](T, double, double v, double) noexcept { return std::min(v, 0.0); }},
    {"coulomb_positive", "Fcp", "N*m", "N", true, false, false,
     [](T t, double, double v, double) noexcept { return std::max(direction(t, v), 0.0); }},
    {"coulomb_negative", "Fcn", "N*m", "N", true, false, false,
     [](T t, double, double v, double) noexcept { return std::min(direction(t, v), 0.0); }},
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

std::string parameter_name(const JointTerm & term)
{
  return std::string(term.kind->prefix) + (term.side == TermSide::motor ? "m" : "") +
         std::to_string(term.joint + 1);
}

void check_terms(const std::vector<JointTerm> & terms, int joint_count)
{
  std::set<std::string> names;
  for (const auto & term : terms) {
    if (term.kind == nullptr) {
      throw std::invalid_argument("A joint term has no kind.");
    }
    if (term.joint < 0 || term.joint >= joint_count) {
      throw std::invalid_argument(
        where(term) + " has no joint: the mechanism has " + std::to_string(joint_count) +
        " joints.");
    }
    check_values(term);
    // the columns would be the same or nearly so, and the parameters' names would be the same
    if (!names.insert(parameter_name(term)).second) {
      throw std::invalid_argument(where(term) + " is given twice.");
    }
  }
}

}  // namespace dynid
