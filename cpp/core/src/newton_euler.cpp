#include "tree_motion.hpp"

namespace dynid
{
namespace
{

/// Ten parameters of a body times a motion of its frame: force and moment from accelerations, or
/// momenta from velocities.
struct BodyInertia
{
  double mass;
  Vector moment;  // first
  Vector x_row;
  Vector y_row;
  Vector z_row;

  explicit BodyInertia(const double * p) noexcept
  : mass(p[0]),
    moment{p[1], p[2], p[3]},
    x_row{p[4], p[5], p[7]},
    y_row{p[5], p[6], p[8]},
    z_row{p[7], p[8], p[9]}
  {
  }

  [[nodiscard]] Vector turn(const Vector & w) const noexcept
  {
    return {dot(x_row, w), dot(y_row, w), dot(z_row, w)};
  }

  [[nodiscard]] Wrench operator*(const Wrench & motion) const noexcept
  {
    return {
      mass * motion.linear + cross(motion.angular, moment),
      turn(motion.angular) + cross(moment, motion.linear)};
  }
};

/// Adds a body's wrench to its parent's.
inline void propagate_to_parent(
  const BodyMotion & body, const Wrench & wrench, Wrench & parent) noexcept
{
  const Vector linear = rotate_out(body, wrench.linear);
  parent.linear = parent.linear + linear;
  parent.angular = parent.angular + rotate_out(body, wrench.angular) + cross(body.origin, linear);
}

double along_axis(const Body & body, const Wrench & wrench) noexcept
{
  return body.turns_about_z()
           ? wrench.angular.z
           : dot(vector(body.axis), body.prismatic ? wrench.linear : wrench.angular);
}

}  // namespace

void rigid_body_torque(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, const double * parameters, double * tau, const BodyMotion * placed) noexcept
{
  const BodyMotion base = base_motion(tree);
  const auto count = tree.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    const Body & body = tree.bodies[b];
    const int j = body.number;
    const BodyMotion & parent =
      body.parent < 0 ? base : motion.bodies[static_cast<std::size_t>(body.parent)];
    BodyMotion & moved = motion.bodies[b];
    place_body(tree, motion, placed, b, q[j], moved);
    move_body(body, parent, {dq[j], ddq[j]}, moved);
    if (body.block < 0) {
      motion.wrenches[b] = Wrench{};
      continue;
    }
    const BodyInertia inertia(parameters + 10 * body.block);
    const Vector w = moved.velocity;
    Wrench wrench = inertia * Wrench{moved.lift, moved.acceleration};
    wrench.linear = wrench.linear + cross(w, cross(w, inertia.moment));
    wrench.angular = wrench.angular + cross(w, inertia.turn(w));
    motion.wrenches[b] = wrench;
  }
  for (std::size_t b = count; b-- > 0;) {
    const Body & body = tree.bodies[b];
    tau[body.number] = along_axis(body, motion.wrenches[b]);
    if (body.parent >= 0) {
      propagate_to_parent(
        motion.bodies[b], motion.wrenches[b],
        motion.wrenches[static_cast<std::size_t>(body.parent)]);
    }
  }
}

void rigid_body_momentum(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * parameters, double * momentum, double * gradient,
  const BodyMotion * placed) noexcept
{
  const BodyMotion base = base_motion(tree);
  const auto count = tree.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    const Body & body = tree.bodies[b];
    const int j = body.number;
    const bool first = body.parent < 0;
    const auto p = static_cast<std::size_t>(body.parent);
    const BodyMotion & parent = first ? base : motion.bodies[p];
    const Vector parent_velocity = first ? Vector{0.0, 0.0, 0.0} : motion.velocities[p];
    BodyMotion & moved = motion.bodies[b];
    place_body(tree, motion, placed, b, q[j], moved);
    moved.lift = rotate_in(moved, parent.lift);
    moved.velocity = rotate_in(moved, parent.velocity);
    Vector velocity = rotate_in(moved, parent_velocity + cross(parent.velocity, moved.origin));
    if (body.turns_about_z()) {
      moved.velocity.z += dq[j];
    } else {
      Vector & along = body.prismatic ? velocity : moved.velocity;
      along = along + dq[j] * vector(body.axis);
    }
    motion.velocities[b] = velocity;
    motion.wrenches[b] = Wrench{};
    motion.weights[b] = Weight{};
    if (body.block >= 0) {
      const BodyInertia inertia(parameters + 10 * body.block);
      motion.wrenches[b] = inertia * Wrench{velocity, moved.velocity};
      motion.weights[b] = {inertia.mass, inertia.moment};
    }
  }
  for (std::size_t b = count; b-- > 0;) {
    const Body & body = tree.bodies[b];
    const BodyMotion & moved = motion.bodies[b];
    const Wrench & carried = motion.wrenches[b];
    const Weight & weight = motion.weights[b];
    const Vector w = moved.velocity;
    momentum[body.number] = along_axis(body, carried);
    // a displacement of the joint changes the velocity of all bodies that it carries by v x s
    gradient[body.number] = along_axis(
      body, {cross(carried.linear, w) - weight.mass * moved.lift,
             cross(carried.angular, w) + cross(carried.linear, motion.velocities[b]) -
               cross(weight.moment, moved.lift)});
    if (body.parent >= 0) {
      const auto p = static_cast<std::size_t>(body.parent);
      propagate_to_parent(moved, carried, motion.wrenches[p]);
      Weight & parent = motion.weights[p];
      parent.mass += weight.mass;
      parent.moment = parent.moment + rotate_out(moved, weight.moment) + weight.mass * moved.origin;
    }
  }
}

}  // namespace dynid
