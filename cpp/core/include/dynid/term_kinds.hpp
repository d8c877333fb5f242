#pragma once

#include <deque>
#include <string_view>

namespace dynid
{

struct JointTerm;

/// What a term can depend on, at its joint or motor.
struct TermInput
{
  double q;
  double dq;
  double ddq;
  double load;        ///< gravity torque of the joint [N*m or N]
  double deflection;  ///< of a contact with memory, 1 where it slides (see Presliding)
};

/// How a term acts on the motion.
enum class TermRole
{
  smooth_friction,  ///< dissipates energy, continuous at standstill
  dry_friction,     ///< dissipates energy, sticks at standstill
  inertia,          ///< is proportional to ddq, so part of the mass matrix
  spring,           ///< stores energy
  constant          ///< a constant torque
};

/// One kind of joint term with all its traits: a row of the table in term_kinds.cpp. Its texts must
/// have static storage, as literals have.
struct TermKind
{
  using Column = double (*)(const JointTerm & term, const TermInput & at) noexcept;
  /// The deflection [rad or m] of a contact after it moved by `step` at velocity `dq`.
  using Stretch =
    double (*)(const JointTerm & term, double deflection, double step, double dq) noexcept;

  std::string_view name;         ///< as profiles write it, e.g. "viscous"
  std::string_view prefix;       ///< of the parameter's name, e.g. "Fv" for Fv1
  std::string_view label;        ///< in reports, e.g. "viscous friction"
  std::string_view rotary_unit;  ///< of the parameter, at a revolute joint
  std::string_view linear_unit;  ///< of the parameter, at a prismatic joint
  /// `column` as text, from which C code is made: of q, v, a, load, scale, s(v) (sign(v), smoothed
  /// where the term is), z (the deflection of a contact with memory), + - * / ^ and the functions
  /// sign, exp, sqrt, abs, max(x, 0), min(x, 0).
  std::string_view formula;
  TermRole role = TermRole::constant;
  Column column = nullptr;    ///< torque [N*m or N] per unit of the parameter
  Stretch stretch = nullptr;  ///< of a kind with memory

  bool smoothed = false;             ///< uses a sign of the velocity, so takes JointTerm::smoothing
  bool scaled = false;               ///< needs JointTerm::scale
  bool loaded = false;               ///< depends on TermInput::load, hence on the parameters
  bool has_static_friction = false;  ///< takes JointTerm::static_ratio and stribeck_velocity
  bool never_negative = false;       ///< the parameter of a passive term that supplies no energy
  bool plain = false;                ///< preferred to others of its role that fit equally well
  /// its parameter is the first to be regrouped where base parameters are linearly dependent
  bool regrouped = false;

  std::string_view mirror;         ///< the kind for the other direction, of one that acts in one
  std::string_view design;         ///< the kind that replaces it in excitation design; or empty
  std::string_view candidate;      ///< its part in models of `identify friction`; or empty
  std::string_view missing;        ///< name in `dynid diagnose` of errors of a model without it
  std::string_view alternative;    ///< a kind whose absence causes similar errors
  std::string_view urdf;           ///< attribute of <dynamics> for its parameter; or empty
  std::string_view symoro_prefix;  ///< of the parameter's name in SYMORO, where it has one

  /// Depends on TermInput::deflection, hence on past positions.
  [[nodiscard]] bool has_memory() const noexcept { return stretch != nullptr; }
  [[nodiscard]] bool inertial() const noexcept { return role == TermRole::inertia; }
  [[nodiscard]] bool dry() const noexcept { return role == TermRole::dry_friction; }
  [[nodiscard]] bool dissipative() const noexcept
  {
    return dry() || role == TermRole::smooth_friction;
  }
};

/// All kinds; references to them stay valid.
[[nodiscard]] const std::deque<TermKind> & term_kinds();

/// The kind of that name; throws std::invalid_argument that lists the names.
[[nodiscard]] const TermKind & term_kind(std::string_view name);

/// Adds a kind to the table. Not thread-safe: call it before anything else uses the table. Throws
/// std::invalid_argument where the kind contradicts itself or has the name of another.
void register_term_kind(const TermKind & kind);

}  // namespace dynid
