#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "dynid/setting.hpp"
#include "dynid/term_kinds.hpp"

namespace dynid
{

/// Whether a term depends on the joint's motion, or on the motor's (behind gear and coupling).
enum class TermSide
{
  joint,
  motor
};

/// What a joint or motor adds to rigid-body dynamics: one column of the regressor.
struct JointTerm
{
  const TermKind * kind = nullptr;  ///< a row of the table, see term_kind()
  int joint = 0;                    ///< index of the joint or motor, from 0
  TermSide side = TermSide::joint;
  /// sign(v) becomes tanh(v / smoothing) [rad/s or m/s]; 0 keeps the sign, with sign(0) = 0
  double smoothing = 0.0;
  double scale = 0.0;  ///< Stribeck velocity [rad/s or m/s], or presliding distance [rad or m]
  /// of a term with memory [rad or m]: smaller oscillations are treated as noise
  double dead_band = 0.0;
  double static_ratio = 0.0;       ///< r: excess of friction at rest over Coulomb's, as a share
  double stribeck_velocity = 0.0;  ///< v_s: over which that excess decays [rad/s or m/s]

  /// Share of Coulomb friction at which contacts slide at a velocity: 1 + r exp(-(v / v_s)^2).
  [[nodiscard]] double sliding_level(double dq) const noexcept;

  /// Largest dry friction per unit of its parameter, and of the load where it is loaded, of motion
  /// forward (direction 1) or backward (-1); 0 for other terms.
  [[nodiscard]] double largest_dry_friction(double direction) const noexcept;

  /// Dry friction without memory that slides at a speed [rad/s or m/s] in a direction (1 or -1),
  /// per unit of its parameter and of the load where it is loaded; that of the slowest motion at 0.
  [[nodiscard]] double sliding_friction(double speed, double direction) const noexcept;
};

/// A number besides the parameter that gives a term its shape. Profiles have an entry of its name,
/// and model.yaml a list. The seal of a model.yaml is over all of them, so a new shape needs a new
/// format of the file.
struct TermShape
{
  using Unit = std::string_view (*)(const TermKind & kind, bool linear) noexcept;

  std::string_view name;                          ///< e.g. "dead_band"
  std::string_view plural;                        ///< of the name, e.g. "dead_bands"
  std::string_view label;                         ///< in sentences, e.g. "dead band"
  double JointTerm::* value;                      ///< never negative
  bool (*taken)(const TermKind & kind) noexcept;  ///< whether terms of a kind have it
  Unit unit;                                      ///< at a revolute or a prismatic joint
  bool needed;                                    ///< must be above 0 where it is taken
  bool rare;  ///< model.yaml omits its list where no term has it
};

/// Every shape there is, in the order of a model.yaml.
[[nodiscard]] const std::array<TermShape, 5> & term_shapes() noexcept;

/// The memory of one presliding term: an elastic contact that slides when stretched by the term's
/// scale, at once (stop operator of Prandtl and Ishlinskii) or gradually (bristles of LuGre). It
/// starts relaxed at its first position, and follows positions with a play of the term's dead band
/// to either side, because the noise of an encoder at rest would otherwise make it slide. How the
/// joint came to its first position is unknown, so the contact may have a wider play until it first
/// moves, such as the steps of recorded positions.
struct Presliding
{
  /// Moves to a position at a velocity; returns the deflection over the term's scale.
  double move(const JointTerm & term, double to, double dq) noexcept;

  double position = nan;    ///< followed [rad or m], NaN at first
  double deflection = 0.0;  ///< [rad or m]
  double first_play = 0.0;  ///< [rad or m] until it first moves, where above the dead band
};

/// Torque [N*m or N] per unit of a term's parameter after its joint moved to `at`; `past` is the
/// state of a term with memory, which is updated.
[[nodiscard]] double term_column(const JointTerm & term, TermInput at, Presliding & past) noexcept;

/// "Fv2" for the viscous friction of joint 1 (counted from 0), "Fvm2" for that of motor 1; a second
/// term of the same kind there, of another scale, is "Fs2_2".
[[nodiscard]] std::vector<std::string> parameter_names(const std::vector<JointTerm> & terms);

/// Throws std::invalid_argument where a term is invalid or given twice. There are as many motors as
/// actuated joints, which come first.
void check_terms(const std::vector<JointTerm> & terms, int joint_count, int motor_count);

}  // namespace dynid
