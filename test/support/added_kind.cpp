// A kind of joint term that the table of cpp/core does not have: Coulomb friction that is twice as
// large at rest, as of thick grease.

#include <cmath>

#include "dynid/joint_terms.hpp"

namespace
{

double column(const dynid::JointTerm & term, const dynid::TermInput & at) noexcept
{
  const double sign = static_cast<double>(at.dq > 0.0) - static_cast<double>(at.dq < 0.0);
  const double smooth = term.smoothing > 0.0 ? std::tanh(at.dq / term.smoothing) : sign;
  const double ratio = at.dq / term.scale;
  return smooth * (1.0 + std::exp(-ratio * ratio));
}

}  // namespace

extern "C" const void * row()
{
  static const dynid::TermKind kind = [] {
    dynid::TermKind added;
    added.name = "grease";
    added.prefix = "Fg";
    added.label = "grease friction";
    added.rotary_unit = "N*m";
    added.linear_unit = "N";
    added.formula = "s(v) * (1 + exp(-(v / scale)^2))";
    added.role = dynid::TermRole::dry_friction;
    added.column = column;
    added.smoothed = true;
    added.scaled = true;
    added.never_negative = true;
    added.design = "coulomb";
    added.candidate = "grease";
    added.missing = "friction of grease";
    added.urdf = "friction";
    added.symoro_prefix = "FG";
    return added;
  }();
  return &kind;
}
