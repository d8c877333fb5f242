#include "dynid/dry_friction.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace dynid
{
namespace
{

constexpr int most_sweeps = 1000;          // a dozen suffice unless joints are nearly parallel
constexpr double torque_tolerance = 1e-9;  // of the largest torque: the sweeps end
constexpr double saturated_tanh = 20.0;    // tanh of this is 1 in double precision
constexpr int most_iterations = 20;        // of Newton's method, which converges from one side
constexpr int most_secants = 20;           // a few suffice; then follow bisections
constexpr int most_halvings = 80;          // of both
constexpr double finest = 4e-16;           // of the bracket at first: its width at double precision

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
  const Stribeck & stribeck)
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
  for (Eigen::Index joint = 0; joint < stribeck.torque.size(); ++joint) {
    if (stribeck.torque[joint] > 0.0) {
      const JointTerm term{
        &term_kind("stribeck"), static_cast<int>(joint), TermSide::joint, 0.0,
        stribeck.velocity[joint]};
      surface(term).torques.push_back({stribeck.torque[joint], term, 1.0, 1.0});
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

/// Torques without memory share a surface; every contact with memory has one of its own.
DryFriction::Surface & DryFriction::surface(const JointTerm & term)
{
  for (auto & known : surfaces_) {
    const bool has_memory = known.has_memory() || term.kind->has_memory();
    if (
      !has_memory && known.term.side == term.side && known.term.joint == term.joint &&
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

void DryFriction::find(
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
    torque[static_cast<Eigen::Index>(i)] = surfaces_[i].torque;
  }
}

void DryFriction::solve(
  const VectorIn & free, const MatrixIn & mobility, const VectorIn & load, double step,
  VectorOut torque) noexcept
{
  find(free, mobility, load, step, torque);
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    auto & surface = surfaces_[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double rest = 1e-12 + 1e-9 * std::abs(free[row]);
    if (surface.has_memory()) {
      surface.deflection = surface.deflection_after(step, surface.after);
    }
    surface.velocity = std::abs(surface.after) < rest ? 0.0 : surface.after;
  }
}

/// Whether every surface continues to slide, too fast for smoothing to matter; if so, this is the
/// solution.
bool DryFriction::keep_sliding(const VectorIn & free, const MatrixIn & mobility) noexcept
{
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    auto & surface = surfaces_[i];
    surface.after = free[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < surfaces_.size(); ++j) {
      surface.after -=
        mobility(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * surfaces_[j].sliding;
    }
    const bool fast = std::abs(surface.after) > saturated_tanh * surface.term.smoothing;
    if (surface.has_memory() || !(surface.after * surface.velocity > 0.0 && fast)) {
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
    if (change <= torque_tolerance * scale) {
      break;
    }
  }
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    surfaces_[i].after = without(i, true);
  }
}

/// Deflection of a contact with memory after a step at a velocity. Its limit is that of the
/// previous velocity, so that torque increases with velocity and the solution is unique.
double DryFriction::Surface::deflection_after(double step, double velocity_after) const noexcept
{
  return term.kind->stretch(term, deflection, step * velocity_after, velocity);
}

void DryFriction::Surface::update_bounds(const VectorIn & load) noexcept
{
  low = 0.0;
  high = 0.0;
  for (const auto & one : torques) {
    const double size = one.term.kind->loaded ? one.size * std::abs(load[term.joint]) : one.size;
    // friction depends on speed only if it has a scale
    const bool by_speed = one.term.kind->scaled && velocity != 0.0;
    const double speed = std::abs(velocity);
    high += size * (by_speed ? one.term.sliding_friction(speed, 1.0) : one.forwards);
    low -= size * (by_speed ? one.term.sliding_friction(speed, -1.0) : one.backwards);
  }
}

/// The torque f of this surface alone: u' = free - mobility f, f that of u'.
double DryFriction::Surface::alone(double free, double mobility, double step) const noexcept
{
  if (has_memory()) {
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
  if (std::abs(free) - mobility * limit > saturated_tanh * smoothing) {
    return std::copysign(limit, free);
  }
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

/// Solves u' + mobility f(z(u')) = free: f is bounded, so u' is between two known velocities, and
/// the left side grows with u'. Secants find it.
double DryFriction::Surface::contact_alone(double free, double mobility, double step) const noexcept
{
  const double per_deflection = high / term.scale;
  const double most = mobility * per_deflection *
                      std::max(std::abs(deflection), term.scale * (1.0 + term.static_ratio));
  double below = free - most;
  double above = free + most;
  const auto friction = [&](double u) { return per_deflection * deflection_after(step, u); };
  const auto rest = [&](double u) { return free - u - mobility * friction(u); };
  // a contact that slides has its torque at the end of the bracket too
  for (const double end : {above, below}) {
    const double limit = friction(end);
    if (friction(free - mobility * limit) == limit) {
      return limit;
    }
  }
  // Illinois: where one end stays twice, its rest counts half
  double rest_below = rest(below);
  double rest_above = rest(above);
  const double narrow = finest * most;
  bool was_below = false;
  bool was_above = false;
  for (int iteration = 0; iteration < most_halvings && above - below > narrow; ++iteration) {
    const bool halves = iteration >= most_secants;
    const double share = halves ? 0.5 : rest_below / (rest_below - rest_above);
    const double u = below + share * (above - below);
    const double found = rest(u);
    if (found == 0.0 || !(u > below && u < above)) {
      return friction(u);
    }
    if (found > 0.0) {
      below = u;
      rest_below = found;
      rest_above *= was_below ? 0.5 : 1.0;
    } else {
      above = u;
      rest_above = found;
      rest_below *= was_above ? 0.5 : 1.0;
    }
    was_below = found > 0.0;
    was_above = !was_below;
  }
  return friction(0.5 * (below + above));
}

}  // namespace dynid
