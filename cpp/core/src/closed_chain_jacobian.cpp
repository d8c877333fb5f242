// Where the bodies of a closed chain are, and how its closures change with the joints.

#include <cmath>

#include "closed_chain.hpp"

namespace dynid
{

/// One side of a closure in the base frame.
struct ClosedChain::SideMotion
{
  Vector point;
  Vector velocity;
  Vector axis;
  Vector turning;
};

namespace
{

Vector out_of(const ClosedChain::Placement & body, const Vector & a) noexcept
{
  return a.x * body.x_axis + a.y * body.y_axis + a.z * body.z_axis;
}

constexpr double small_turn = 1e-3;  // [rad] whose sine is that of five orders to the last digit

constexpr ClosedChain::Placement base{
  {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {}, {}, {}, {}};

const ClosedChain::Placement & placement(const ClosedChain::Memory & memory, int body) noexcept
{
  return body < 0 ? base : memory.placements[static_cast<std::size_t>(body)];
}

/// Sets an angle; after a small turn from its last value without trigonometric functions.
void set_angle(ClosedChain::Angle & angle, double q, bool anew) noexcept
{
  const double turn = q - angle.at;
  angle.at = q;
  if (anew || !(std::abs(turn) <= small_turn)) {
    angle.cosine = std::cos(q);
    angle.sine = std::sin(q);
    return;
  }
  const double square = turn * turn;
  const double sine = turn * (1.0 - square / 6.0 * (1.0 - square / 20.0));
  const double versine = square / 2.0 * (1.0 - square / 12.0);
  const double c = angle.cosine;
  const double s = angle.sine;
  angle.cosine = c - (s * sine + c * versine);
  angle.sine = s + (c * sine - s * versine);
}

Eigen::Vector3d eigen(const Vector & a) noexcept { return {a.x, a.y, a.z}; }

}  // namespace

/// Where the bodies are; `anew`: without use of where they were.
void ClosedChain::place(Memory & memory, bool anew) const noexcept
{
  for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
    const Body & body = tree_.bodies[b];
    const Placement & parent = placement(memory, body.parent);
    const double q = memory.q[body.number];
    BodyMotion & motion = memory.bodies[b];
    if (body.prismatic) {
      slide_body(body, turns_[b], q, motion);
    } else {
      Angle & angle = memory.angles[b];
      set_angle(angle, q, anew);
      turn_body(body, turns_[b], angle.cosine, angle.sine, motion);
    }
    Placement & placed = memory.placements[b];
    placed.x_axis = out_of(parent, motion.x_axis);
    placed.y_axis = out_of(parent, motion.y_axis);
    placed.z_axis = out_of(parent, motion.z_axis);
    placed.origin = parent.origin + out_of(parent, motion.origin);
    placed.axis = out_of(placed, vector(body.axis));
  }
}

void ClosedChain::turn(Memory & memory) const noexcept
{
  for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
    const Body & body = tree_.bodies[b];
    const Placement & parent = placement(memory, body.parent);
    Placement & placed = memory.placements[b];
    const Vector own = memory.dq[body.number] * placed.axis;
    placed.turning = parent.turning;
    placed.velocity = parent.velocity + cross(parent.turning, placed.origin - parent.origin);
    if (body.prismatic) {
      placed.velocity = placed.velocity + own;
    } else {
      placed.turning = placed.turning + own;
    }
  }
}

ClosedChain::SideMotion ClosedChain::side_motion(
  const Memory & memory, const Side & side) const noexcept
{
  const Placement & body = placement(memory, side.body);
  const Vector arm = out_of(body, side.point);
  return {
    body.origin + arm, body.velocity + cross(body.turning, arm), out_of(body, side.axis),
    body.turning};
}

Vector ClosedChain::side_point(const Memory & memory, const Side & side) const noexcept
{
  const Placement & body = placement(memory, side.body);
  return body.origin + out_of(body, side.point);
}

/// Effect of a joint on one side of a closure per unit of its velocity, and its time derivative.
struct ClosedChain::Lever
{
  int joint;
  Vector moved;    ///< the side's point [m], against the other side's
  Vector turned;   ///< and its frame
  Vector changed;  ///< d moved / dt
  Vector tilted;   ///< d turned / dt
};

/// Calls column(lever) for every joint that moves a closure; twice where it moves both sides.
template <typename Column>
void ClosedChain::for_each_lever(
  const Memory & memory, const Closure & closure, const SideMotion & a, const SideMotion & b,
  const Column & column) const noexcept
{
  for (const bool on_a : {true, false}) {
    const SideMotion & end = on_a ? a : b;
    for (int index = on_a ? closure.a.body : closure.b.body; index >= 0;) {
      const Body & body = tree_.bodies[static_cast<std::size_t>(index)];
      const Placement & placed = memory.placements[static_cast<std::size_t>(index)];
      const double sign = on_a ? 1.0 : -1.0;
      const Vector axis = sign * placed.axis;
      const Vector tilting = cross(placed.turning, axis);
      const Vector arm = end.point - placed.origin;
      const Vector lengthening = end.velocity - placed.velocity;
      if (body.prismatic) {
        column(Lever{body.number, axis, {}, tilting, {}});
      } else {
        column(
          Lever{
            body.number, cross(axis, arm), axis, cross(tilting, arm) + cross(axis, lengthening),
            tilting});
      }
      index = body.parent;
    }
  }
}

/// One row of a hinge: a's axis is at right angles to one of two directions of b's frame.
struct ClosedChain::RightAngle
{
  Eigen::Index row;
  double gap;
  Vector normal;  ///< its derivative by a turn of a against b
  Vector drift;   ///< d normal / dt
};

std::array<ClosedChain::RightAngle, 2> ClosedChain::right_angles(
  const Memory & memory, const Closure & closure, const SideMotion & a,
  const SideMotion & b) const noexcept
{
  const Placement & frame = placement(memory, closure.b.body);
  const auto angle = [&](Eigen::Index row, const Vector & direction) {
    const Vector side = out_of(frame, direction);
    const Vector swing = cross(a.turning, a.axis);
    return RightAngle{
      row, dot(a.axis, side), cross(a.axis, side),
      cross(swing, side) + cross(a.axis, cross(b.turning, side))};
  };
  return {angle(closure.row + 3, closure.across), angle(closure.row + 4, closure.over)};
}

/// phi at q.
void ClosedChain::measure_gap(Memory & memory) const noexcept
{
  for (const Closure & closure : closures_) {
    if (closure.kind == ClosureKind::gear) {
      memory.gap[closure.row] =
        memory.q[column(closure.a)] - closure.length * memory.q[column(closure.b)] - closure.offset;
      continue;
    }
    const Vector apart = side_point(memory, closure.a) - side_point(memory, closure.b);
    if (closure.kind == ClosureKind::distance) {
      memory.gap[closure.row] = (dot(apart, apart) / closure.length - closure.length) / 2.0;
      continue;
    }
    memory.gap.segment<3>(closure.row) = eigen(apart);
    if (closure.kind == ClosureKind::revolute) {
      const SideMotion a = side_motion(memory, closure.a);
      const SideMotion b = side_motion(memory, closure.b);
      for (const RightAngle & angle : right_angles(memory, closure, a, b)) {
        memory.gap[angle.row] = angle.gap;
      }
    }
  }
}

/// J at q.
void ClosedChain::linearize(Memory & memory) const noexcept
{
  memory.jacobian.setZero();
  for (const Closure & closure : closures_) {
    if (closure.kind == ClosureKind::gear) {
      memory.jacobian(closure.row, column(closure.a)) = 1.0;
      memory.jacobian(closure.row, column(closure.b)) = -closure.length;
      continue;
    }
    const SideMotion a = side_motion(memory, closure.a);
    const SideMotion b = side_motion(memory, closure.b);
    const Vector apart = a.point - b.point;
    const bool rod = closure.kind == ClosureKind::distance;
    for_each_lever(memory, closure, a, b, [&](const Lever & lever) {
      if (rod) {
        memory.jacobian(closure.row, lever.joint) += dot(apart, lever.moved) / closure.length;
      } else {
        memory.jacobian.col(lever.joint).segment<3>(closure.row) += eigen(lever.moved);
      }
    });
    if (closure.kind != ClosureKind::revolute) {
      continue;
    }
    for (const RightAngle & angle : right_angles(memory, closure, a, b)) {
      for_each_lever(memory, closure, a, b, [&](const Lever & lever) {
        memory.jacobian(angle.row, lever.joint) += dot(lever.turned, angle.normal);
      });
    }
  }
}

/// dJ/dt at q and dq.
void ClosedChain::differentiate(Memory & memory) const noexcept
{
  memory.jacobian_rate.setZero();
  for (const Closure & closure : closures_) {
    if (closure.kind == ClosureKind::gear) {
      continue;  // its row is constant
    }
    const SideMotion a = side_motion(memory, closure.a);
    const SideMotion b = side_motion(memory, closure.b);
    const Vector apart = a.point - b.point;
    const Vector parting = a.velocity - b.velocity;
    for_each_lever(memory, closure, a, b, [&](const Lever & lever) {
      if (closure.kind == ClosureKind::distance) {
        memory.jacobian_rate(closure.row, lever.joint) +=
          (dot(parting, lever.moved) + dot(apart, lever.changed)) / closure.length;
      } else {
        memory.jacobian_rate.col(lever.joint).segment<3>(closure.row) += eigen(lever.changed);
      }
    });
    if (closure.kind != ClosureKind::revolute) {
      continue;
    }
    for (const RightAngle & angle : right_angles(memory, closure, a, b)) {
      for_each_lever(memory, closure, a, b, [&](const Lever & lever) {
        memory.jacobian_rate(angle.row, lever.joint) +=
          dot(lever.tilted, angle.normal) + dot(lever.turned, angle.drift);
      });
    }
  }
}

}  // namespace dynid
