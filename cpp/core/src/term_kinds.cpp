#include "dynid/term_kinds.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "dynid/joint_terms.hpp"
#include "numbers.hpp"

namespace dynid
{
namespace
{

/// tanh(x) to rounding: the C library's takes three times as long where exp(2 x) - 1 has no
/// cancellation.
double smooth_sign(double x) noexcept
{
  const double size = std::abs(x);
  return size >= 1.0 ? std::copysign(1.0 - 2.0 / (std::exp(2.0 * size) + 1.0), x) : std::tanh(x);
}

double direction(const JointTerm & term, double v) noexcept
{
  if (term.smoothing > 0.0) {
    return smooth_sign(v / term.smoothing);
  }
  return static_cast<double>(v > 0.0) - static_cast<double>(v < 0.0);
}

double stribeck(const JointTerm & term, double v) noexcept
{
  const double ratio = v / term.scale;
  return direction(term, v) * std::exp(-ratio * ratio);
}

double signed_root(double v) noexcept { return std::copysign(std::sqrt(std::abs(v)), v); }

/// Stop operator: the contact sticks until its deflection reaches the scale, and then slides.
double stop_deflection(
  const JointTerm & term, double deflection, double step, double /*dq*/) noexcept
{
  return std::clamp(deflection + step, -term.scale, term.scale);
}

/// LuGre's bristles, z' = v - |v| z / (scale g(v)) (Canudas de Wit, Olsson, Astrom, Lischinsky,
/// IEEE TAC 1995, eq. 1 with z in units of displacement), exact for a step at constant velocity.
double lugre_deflection(const JointTerm & term, double deflection, double step, double dq) noexcept
{
  const double level = term.scale * term.sliding_level(dq);
  const double end = std::copysign(level, step);
  return end + (deflection - end) * std::exp(-std::abs(step) / level);
}

/// A row of the table; traits that are not given are false or empty.
class Row
{
public:
  Row(
    TermRole role, std::string_view name, std::string_view prefix, std::string_view rotary_unit,
    std::string_view linear_unit, std::string_view label)
  {
    kind_.role = role;
    kind_.name = name;
    kind_.prefix = prefix;
    kind_.rotary_unit = rotary_unit;
    kind_.linear_unit = linear_unit;
    kind_.label = label;
  }

  Row & is(std::string_view formula, TermKind::Column column, TermKind::Stretch stretch = nullptr)
  {
    kind_.formula = formula;
    kind_.column = column;
    kind_.stretch = stretch;
    return *this;
  }
  Row & with(bool TermKind::* trait)
  {
    kind_.*trait = true;
    return *this;
  }
  Row & with(std::string_view TermKind::* trait, std::string_view text)
  {
    kind_.*trait = text;
    return *this;
  }

  operator TermKind() const { return kind_; }  // NOLINT: a row is a kind

private:
  TermKind kind_;
};

// NOLINTNEXTLINE(readability-function-size): a table
std::deque<TermKind> rows()
{
  using Role = TermRole;
  using Kind = TermKind;
  using Term = const JointTerm &;
  using At = const TermInput &;
  return {
    Row(Role::smooth_friction, "viscous", "Fv", "N*m*s/rad", "N*s/m", "viscous friction")
      .is("v", [](Term, At x) noexcept { return x.dq; })
      .with(&Kind::never_negative)
      .with(&Kind::plain)
      .with(&Kind::design, "viscous")
      .with(&Kind::candidate, "viscous")
      .with(&Kind::missing, "viscous friction")
      .with(&Kind::urdf, "damping")
      .with(&Kind::symoro_prefix, "FV"),

    Row(Role::dry_friction, "coulomb", "Fc", "N*m", "N", "Coulomb friction")
      .is("s(v)", [](Term t, At x) noexcept { return direction(t, x.dq); })
      .with(&Kind::smoothed)
      .with(&Kind::never_negative)
      .with(&Kind::plain)
      .with(&Kind::design, "coulomb")
      .with(&Kind::candidate, "Coulomb")
      .with(&Kind::missing, "Coulomb friction")
      .with(&Kind::urdf, "friction")
      .with(&Kind::symoro_prefix, "FS"),

    Row(Role::constant, "offset", "Off", "N*m", "N", "offset")
      .is("1", [](Term, At) noexcept { return 1.0; })
      .with(&Kind::design, "offset"),

    Row(Role::inertia, "rotor_inertia", "Ia", "kg*m^2", "kg", "rotor inertia")
      .is("a", [](Term, At x) noexcept { return x.ddq; })
      .with(&Kind::never_negative)
      .with(&Kind::plain)
      .with(&Kind::regrouped)
      .with(&Kind::design, "rotor_inertia")
      .with(&Kind::symoro_prefix, "IA"),

    // what a rotor cannot be: below 0 where the torque lags, or a gear bends
    Row(Role::inertia, "apparent_inertia", "Iap", "kg*m^2", "kg", "apparent inertia")
      .is("a", [](Term, At x) noexcept { return x.ddq; })
      .with(&Kind::regrouped),

    Row(Role::spring, "spring_stiffness", "K", "N*m/rad", "N/m", "spring stiffness")
      .is("q", [](Term, At x) noexcept { return x.q; })
      .with(&Kind::design, "spring_stiffness"),

    Row(Role::spring, "spring_quadratic", "Kq", "N*m/rad^2", "N/m^2", "quadratic spring stiffness")
      .is("q^2", [](Term, At x) noexcept { return x.q * x.q; })
      .with(&Kind::design, "spring_quadratic"),

    Row(Role::spring, "spring_cubic", "Kc", "N*m/rad^3", "N/m^3", "cubic spring stiffness")
      .is("q^3", [](Term, At x) noexcept { return x.q * x.q * x.q; })
      .with(&Kind::design, "spring_cubic"),

    Row(Role::spring, "spring_preload", "Kp", "N*m", "N", "spring preload")
      .is("1", [](Term, At) noexcept { return 1.0; })
      .with(&Kind::regrouped)
      .with(&Kind::design, "spring_preload"),

    Row(Role::dry_friction, "stribeck", "Fs", "N*m", "N", "Stribeck friction")
      .is("s(v) * exp(-(v / scale)^2)", [](Term t, At x) noexcept { return stribeck(t, x.dq); })
      .with(&Kind::smoothed)
      .with(&Kind::scaled)
      .with(&Kind::candidate, "Stribeck")
      .with(&Kind::missing, "Stribeck friction, which decreases with speed")
      .with(&Kind::alternative, "presliding"),

    Row(
      Role::smooth_friction, "viscous_cubic", "Fcub", "N*m*s^3/rad^3", "N*s^3/m^3",
      "cubic viscous friction")
      .is("v^3", [](Term, At x) noexcept { return x.dq * x.dq * x.dq; })
      .with(&Kind::candidate, "cubic")
      .with(&Kind::missing, "friction that grows faster than speed"),

    Row(
      Role::smooth_friction, "viscous_root", "Froot", "N*m*s^0.5/rad^0.5", "N*s^0.5/m^0.5",
      "root viscous friction")
      .is("sign(v) * sqrt(abs(v))", [](Term, At x) noexcept { return signed_root(x.dq); })
      .with(&Kind::never_negative)
      .with(&Kind::candidate, "root")
      .with(&Kind::missing, "friction that grows more slowly than speed"),

    Row(
      Role::smooth_friction, "viscous_positive", "Fvp", "N*m*s/rad", "N*s/m",
      "viscous friction forwards")
      .is("max(v, 0)", [](Term, At x) noexcept { return std::max(x.dq, 0.0); })
      .with(&Kind::never_negative)
      .with(&Kind::mirror, "viscous_negative")
      .with(&Kind::candidate, "asymmetric")
      .with(&Kind::missing, "friction that differs between directions")
      .with(&Kind::urdf, "damping"),

    Row(
      Role::smooth_friction, "viscous_negative", "Fvn", "N*m*s/rad", "N*s/m",
      "viscous friction backwards")
      .is("min(v, 0)", [](Term, At x) noexcept { return std::min(x.dq, 0.0); })
      .with(&Kind::never_negative)
      .with(&Kind::mirror, "viscous_positive")
      .with(&Kind::candidate, "asymmetric")
      .with(&Kind::urdf, "damping"),

    Row(Role::dry_friction, "coulomb_positive", "Fcp", "N*m", "N", "Coulomb friction forwards")
      .is("max(s(v), 0)", [](Term t, At x) noexcept { return std::max(direction(t, x.dq), 0.0); })
      .with(&Kind::smoothed)
      .with(&Kind::never_negative)
      .with(&Kind::mirror, "coulomb_negative")
      .with(&Kind::candidate, "asymmetric")
      .with(&Kind::urdf, "friction"),

    Row(Role::dry_friction, "coulomb_negative", "Fcn", "N*m", "N", "Coulomb friction backwards")
      .is("min(s(v), 0)", [](Term t, At x) noexcept { return std::min(direction(t, x.dq), 0.0); })
      .with(&Kind::smoothed)
      .with(&Kind::never_negative)
      .with(&Kind::mirror, "coulomb_positive")
      .with(&Kind::candidate, "asymmetric")
      .with(&Kind::urdf, "friction"),

    Row(Role::dry_friction, "coulomb_load", "Fl", "1", "1", "Coulomb friction under load")
      .is(
        "s(v) * abs(load)",
        [](Term t, At x) noexcept { return direction(t, x.dq) * std::abs(x.load); })
      .with(&Kind::smoothed)
      .with(&Kind::loaded)
      .with(&Kind::never_negative)
      .with(&Kind::design, "coulomb")
      .with(&Kind::candidate, "load")
      .with(&Kind::missing, "friction that grows with load"),

    Row(Role::dry_friction, "presliding", "Fh", "N*m", "N", "presliding friction")
      .is(
        "z", [](Term, At x) noexcept { return x.deflection; }, stop_deflection)
      .with(&Kind::scaled)
      .with(&Kind::never_negative)
      .with(&Kind::design, "coulomb")
      .with(&Kind::candidate, "stop"),

    Row(Role::dry_friction, "presliding_load", "Fhl", "1", "1", "presliding friction under load")
      .is(
        "z * abs(load)", [](Term, At x) noexcept { return x.deflection * std::abs(x.load); },
        stop_deflection)
      .with(&Kind::scaled)
      .with(&Kind::loaded)
      .with(&Kind::never_negative)
      .with(&Kind::design, "coulomb"),

    Row(Role::dry_friction, "lugre", "Fb", "N*m", "N", "LuGre friction")
      .is(
        "z", [](Term, At x) noexcept { return x.deflection; }, lugre_deflection)
      .with(&Kind::scaled)
      .with(&Kind::has_static_friction)
      .with(&Kind::never_negative)
      .with(&Kind::design, "coulomb")
      .with(&Kind::candidate, "LuGre"),
  };
}

std::deque<TermKind> & table()
{
  static std::deque<TermKind> kinds = rows();
  return kinds;
}

const TermKind * find(std::string_view name)
{
  const auto & kinds = table();
  const auto found = std::find_if(
    kinds.begin(), kinds.end(), [name](const TermKind & kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool is_word(std::string_view text)
{
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter == '_' || std::islower(letter) != 0;
  });
}

bool is_letters(std::string_view text)
{
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalpha(letter) != 0;
  });
}

/// Why a kind is not valid dry friction; empty where it is.
std::string problem_of_dry(const TermKind & kind)
{
  JointTerm term;
  term.kind = &kind;
  term.scale = kind.scaled ? 1.0 : 0.0;
  double most = 0.0;
  for (const double direction : {1.0, -1.0}) {
    const double slow = term.sliding_friction(0.0, direction);
    for (const double speed : {0.0, 1.0, infinity}) {
      const double level = term.sliding_friction(speed, direction);
      if (!(level >= 0.0 && std::isfinite(level))) {
        return "is dry friction that supplies energy or is unbounded";
      }
      if (!kind.scaled && level != slow) {
        return "is dry friction that depends on speed, which needs a scale";
      }
      most = std::max(most, level);
    }
  }
  return most > 0.0 ? "" : "is dry friction, but has no torque";
}

/// Why a kind cannot be in the table; empty where it can.
std::string problem_of(const TermKind & kind)
{
  if (!is_word(kind.name)) {
    return "needs a name of lower-case letters and underscores";
  }
  if (find(kind.name) != nullptr) {
    return "already exists";
  }
  if (!is_letters(kind.prefix)) {
    return "needs a prefix of letters for the names of its parameters";
  }
  const auto at_motor = [](std::string_view prefix) { return std::string(prefix) + "m"; };
  for (const auto & other : table()) {
    if (
      other.prefix == kind.prefix || at_motor(other.prefix) == kind.prefix ||
      other.prefix == at_motor(kind.prefix)) {
      return "has the prefix of '" + std::string(other.name) + "'";
    }
  }
  if (kind.label.empty() || kind.rotary_unit.empty() || kind.linear_unit.empty()) {
    return "needs a label and the units of its parameter";
  }
  if (kind.column == nullptr || kind.formula.empty()) {
    return "needs a function and a formula of its torque";
  }
  if (kind.has_memory() && !(kind.scaled && kind.dry())) {
    return "has memory, so it must be dry friction with a scale";
  }
  if (kind.has_static_friction && !kind.has_memory()) {
    return "has static friction, which needs memory";
  }
  if (const auto problem = kind.dry() ? problem_of_dry(kind) : ""; !problem.empty()) {
    return problem;
  }
  const auto * const design = kind.design == kind.name ? &kind : find(kind.design);
  if (!kind.design.empty() && (design == nullptr || design->scaled)) {
    return "has the design kind '" + std::string(kind.design) + "', which must be without a scale";
  }
  return {};
}

}  // namespace

const std::deque<TermKind> & term_kinds() { return table(); }

const TermKind & term_kind(std::string_view name)
{
  if (const auto * const found = find(name); found != nullptr) {
    return *found;
  }
  std::ostringstream available;
  for (const auto & kind : table()) {
    available << (available.tellp() > 0 ? ", " : "") << kind.name;
  }
  throw std::invalid_argument(
    "There is no joint term '" + std::string(name) + "'; available: " + available.str() + ".");
}

void register_term_kind(const TermKind & kind)
{
  if (const auto problem = problem_of(kind); !problem.empty()) {
    throw std::invalid_argument(
      "The kind of joint term '" + std::string(kind.name) + "' " + problem + ".");
  }
  table().push_back(kind);
}

}  // namespace dynid
