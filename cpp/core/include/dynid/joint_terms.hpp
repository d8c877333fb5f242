#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace dynid
{

struct JointTerm;

/// What a term can depend on, at its joint or motor.
struct TermInput
{
  double q;
  double dq;
  double ddq;
  double load;        ///< torque that gravity asks of the joint [N*m or N]
  double deflection;  ///< of a contact that remembers, 1 where it slides (see Presliding)
};

/// One kind of joint term: a row of the table in joint_terms.cpp, the only place a kind is defined.
struct TermKind
{
  using Column = double (*)(const JointTerm & term, const TermInput & at) noexcept;
  /// The deflection [rad or m] of a contact after it moved by `step` at velocity `dq`.
  using Stretch =
    double (*)(const JointTerm & term, double deflection, double step, double dq) noexcept;

  std::string_view name;         ///< as profiles write it, e.g. "viscous"
  std::string_view prefix;       ///< of the parameter's name, e.g. "Fv" for Fv1
  std::string_view rotary_unit;  ///< of the parameter, at a revolute joint
  std::string_view linear_unit;  ///< of the parameter, at a prismatic joint
  bool smoothed;                 ///< uses JointTerm::smoothing
  bool scaled;                   ///< needs JointTerm::scale
  bool inertial;                 ///< proportional to ddq, so part of the mass matrix
  bool loaded;                   ///< depends on TermInput::load, hence on the parameters
  bool weakens;                  ///< takes JointTerm::static_ratio and stribeck_velocity
  bool never_negative;           ///< the parameter, where nothing passive drives the robot
  Column column;                 ///< torque [N*m or N] per unit of the parameter
  Stretch stretch = nullptr;     ///< of a kind that remembers past positions

  /// Depends on TermInput::deflection, hence on past positions.
  [[nodiscard]] bool remembers() const noexcept { return stretch != nullptr; }
};

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
  /// of a term that remembers [rad or m]: smaller motion to and fro is noise
  double dead_band = 0.0;
  double static_ratio = 0.0;       ///< by how much friction at rest exceeds Coulomb's, as a share
  double stribeck_velocity = 0.0;  ///< at which that excess is gone [rad/s or m/s]

  /// Share of Coulomb friction at which contacts slide at a velocity: 1 + r exp(-(v / v_s)^2).
  [[nodiscard]] double sliding_level(double dq) const noexcept;

  /// Dry friction at most per unit of its parameter, and of the load where it is loaded: of motion
  /// forward (direction 1) or backward (-1). 0 of what is no dry friction.
  [[nodiscard]] double largest_dry_friction(double direction) const noexcept;
};

/// The memory of one presliding term: an elastic contact that slides when stretched by the term's
/// scale, at once (stop operator of Prandtl and Ishlinskii) or by and by (bristles of LuGre). It
/// starts relaxed at the first position it sees, and follows positions with a play of the term's
/// dead band to either side, or the noise of an encoder at rest would slide it to and fro.
struct Presliding
{
  /// Moves to a position at a velocity; returns the deflection over the term's scale.
  double move(const JointTerm & term, double to, double dq) noexcept;

  double position =
    std::numeric_limits<double>::quiet_NaN();  ///< followed [rad or m], NaN at first
  double deflection = 0.0;                     ///< [rad or m]
};

/// Every kind there is.
[[nodiscard]] const std::vector<TermKind> & term_kinds();

/// The kind of that name; throws std::invalid_argument that lists what there is.
[[nodiscard]] const TermKind & term_kind(std::string_view name);

/// "Fv2" for the viscous friction of joint 1 (counted from 0), "Fvm2" for that of motor 1; a second
/// term of the same kind there, of another scale, is "Fs2_2".
[[nodiscard]] std::vector<std::string> parameter_names(const std::vector<JointTerm> & terms);

/// Throws std::invalid_argument where a term is impossible or given twice. There are as many motors
/// as actuated joints, which are the first.
void check_terms(const std::vector<JointTerm> & terms, int joint_count, int motor_count);

}  // namespace dynid
