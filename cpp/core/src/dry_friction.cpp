#include "dynid/dry_friction.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace dynid
{
namespace
{

constexpr int most_sweeps = 1000;    // a dozen do but for joints that hardly differ
constexpr double tolerance = 1e-9;   // of the largest torque, at which the sweeps end
constexpr double saturated = 20.0;   // tanh of this is 1 in double precision
constexpr int most_iterations = 20;  // of Newton's method, which converges from one side
constexpr int most_halvings = 60;    // to double precision

void check_size(const JointTerm & term, double size)
{
  if (size < 0.0) {
    std::ostringstream text;
    text << "The " << term.kind->name << " friction of "
         << (term.side == TermSide::motor ? "motor " : "joint ") << term.joint + 1 << " is " << size
         << ", but must not be negative: it would drive the robot.";
    throw std::invalid_argument(text.str());
  }
}

}  // namespace

DryFriction::DryFriction(
  const std::vector<JointTerm> & terms, const VectorIn & values, const MatrixIn & to_motor,
  const Stribeck & besides)
{
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto & term = terms[k];
    const double size = values[static_cast<Eigen::Index>(k)];
    if (!term.kind->dry() || size == 0.0) {
      continue;
    }
    check_size(term, size);
    loaded_ = loaded_ || term.kind->loaded;
    surface(term).torques.push_back(
      {size, term, term.sliding_friction(0.0, 1.0), term.sliding_friction(0.0, -1.0)});
  }
  for (Eigen::Index joint = 0; joint < besides.torque.size(); ++joint) {
    if (besides.torque[joint] > 0.0) {
      const JointTerm term{
        &term_kind("stribeck"), static_cast<int>(joint), TermSide::joint, 0.0,
        besides.velocity[joint]};
      surface(term).torques.push_back({besides.torque[joint], term, 1.0, 1.0});
    }
  }
  find_directions(to_motor);
}

void DryFriction::find_directions(const MatrixIn & to_motor)
{
  directions_.setZero(to_motor.rows(), static_cast<Eigen::Index>(surfaces_.size()));
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto & term = surfaces_[i].term;
    if (term.side == TermSide::motor) {
      directions_.col(column) = to_motor.row(term.joint).transpose();
    } else {
      directions_(term.joint, column) = 1.0;
    }
  }
}

/// Torques without memory rub on the same surface; every contact that remembers is one by itself.
DryFriction::Surface & DryFriction::surface(const JointTerm & term)
{
  for (auto & known : surfaces_) {
    const bool remembers = known.remembers() || term.kind->remembers();
    if (
      !remembers && known.term.side == term.side && known.term.joint == term.joint &&
      known.term.smoothing == term.smoothing) {
      return known;
    }
  }
  surfaces_.emplace_back();
  surfaces_.back().term = term;
  return surfaces_.back();
}

void DryFriction::reset() noexcept
{
  for (auto & surface : surfaces_) {
    surface.velocity = 0.0;
    surface.torque = 0.0;
    surface.deflection = 0.0;
  }
}

void DryFriction::solve(
  const VectorIn & free, const MatrixIn & mobility, const VectorIn & load, double step,
  VectorOut torque) noexcept
{
  for (auto & surface : surfaces_) {
    surface.update_bounds(load);
    surface.sliding = surface.velocity > 0.0   ? surface.high
                      : surface.velocity < 0.0 ? surface.low
                                               : 0.0;
  }
  if (!keep_sliding(free, mobility)) {
    sweep(free, mobility, step);
  }
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    auto & surface = surfaces_[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double rest = 1e-12 + 1e-9 * std::abs(free[row]);
    if (surface.remembers()) {
      surface.deflection = surface.stretched(step, surface.after);
    }
    surface.velocity = std::abs(surface.after) < rest ? 0.0 : surface.after;
    torque[row] = surface.torque;
  }
}

/// Whether every surface slides on as before, too fast for smoothing to matter; if so, it is done.
bool DryFriction::keep_sliding(const VectorIn & free, const MatrixIn & mobility) noexcept
{
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    auto & surface = surfaces_[i];
    surface.after = free[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < surfaces_.size(); ++j) {
      surface.after -=
        mobility(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * surfaces_[j].sliding;
    }
    const bool fast = std::abs(surface.after) > saturated * surface.term.smoothing;
    if (surface.remembers() || !(surface.after * surface.velocity > 0.0 && fast)) {
      return false;
    }
  }
  for (auto & surface : surfaces_) {
    surface.torque = surface.sliding;
  }
  return true;
}

/// Solves for the torques one surface after the other until none changes (Gauss-Seidel).
void DryFriction::sweep(const VectorIn & free, const MatrixIn & mobility, double step) noexcept
{
  double scale = 0.0;
  for (const auto & surface : surfaces_) {
    scale = std::max({scale, surface.high, -surface.low});
  }
  const auto without = [&](std::size_t i, bool itself) {
    double velocity = free[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < surfaces_.size(); ++j) {
      if (j != i || itself) {
        velocity -= mobility(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) *
                    surfaces_[j].torque;
      }
    }
    return velocity;
  };
  for (int round = 0; round < most_sweeps; ++round) {
    double change = 0.0;
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double found = surfaces_[i].alone(without(i, false), mobility(row, row), step);
      change = std::max(change, std::abs(found - surfaces_[i].torque));
      surfaces_[i].torque = found;
    }
    if (change <= tolerance * scale) {
      break;
    }
  }
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    surfaces_[i].after = without(i, true);
  }
}

/// Deflection of a contact that remembers after a step at a velocity. How far it can be stretched
/// is that of the velocity before, so that torque grows with velocity and the solution is one.
double DryFriction::Surface::stretched(double step, double velocity_after) const noexcept
{
  return term.kind->stretch(term, deflection, step * velocity_after, velocity);
}

void DryFriction::Surface::update_bounds(const VectorIn & load) noexcept
{
  low = 0.0;
  high = 0.0;
  for (const auto & one : torques) {
    const double size = one.term.kind->loaded ? one.size * std::abs(load[term.joint]) : one.size;
    // without a scale there is no speed for friction to depend on
    const bool by_speed = one.term.kind->scaled && velocity != 0.0;
    const double speed = std::abs(velocity);
    high += size * (by_speed ? one.term.sliding_friction(speed, 1.0) : one.forwards);
    low -= size * (by_speed ? one.term.sliding_friction(speed, -1.0) : one.backwards);
  }
}

/// The torque f of this surface alone: u' = free - mobility f, f that of u'.
double DryFriction::Surface::alone(double free, double mobility, double step) const noexcept
{
  if (remembers()) {
    return contact_alone(free, mobility, step);
  }
  if (term.smoothing > 0.0) {
    return smooth_alone(free, mobility);
  }
  return std::min(std::max(free / mobility, low), high);
}

double DryFriction::Surface::smooth_alone(double free, double mobility) const noexcept
{
  const double smoothing = term.smoothing;
  const double limit = free > 0.0 ? high : -low;
  // u' + mobility limit tanh(u' / smoothing) = free: growing, and flatter away from 0, so that
  // Newton's method from the side of 0 stays there
  double u = free / (1.0 + mobility * limit / smoothing);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double level = std::tanh(u / smoothing);
    const double slope = 1.0 + mobility * limit / smoothing * (1.0 - level * level);
    const double change = (free - u - mobility * limit * level) / slope;
    u += change;
    if (std::abs(change) <= 1e-12 * std::abs(free)) {
      break;
    }
  }
  return limit * std::tanh(u / smoothing);
}

/// u' + mobility f(z(u')) = free by halving: f is bounded, so u' lies between two known velocities.
double DryFriction::Surface::contact_alone(double free, double mobility, double step) const noexcept
{
  const double per_deflection = high / term.scale;
  const double most = mobility * per_deflection *
                      std::max(std::abs(deflection), term.scale * (1.0 + term.static_ratio));
  double below = free - most;
  double above = free + most;
  for (int iteration = 0; iteration < most_halvings; ++iteration) {
    const double u = 0.5 * (below + above);
    const double rest = free - u - mobility * per_deflection * stretched(step, u);
    (rest > 0.0 ? below : above) = u;
  }
  return per_deflection * stretched(step, 0.5 * (below + above));
}

}  // namespace dynid
