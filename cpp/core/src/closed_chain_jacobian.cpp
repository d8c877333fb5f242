// Where the bodies of a closed chain are, and how its closures change with the joints.

#include "closed_chain.hpp"

namespace dynid
{

/// One side of a closure, seen from the base.
struct ClosedChain::Seen
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

constexpr ClosedChain::Placement base{
  {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {}, {}, {}, {}};

Eigen::Vector3d eigen(const Vector & a) noexcept { return {a.x, a.y, a.z}; }

}  // namespace

void ClosedChain::place(Memory & memory) const noexcept
{
  for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
    const Body & body = tree_.bodies[b];
    const Placement & parent =
      body.parent < 0 ? base : memory.placements[static_cast<std::size_t>(body.parent)];
    BodyMotion motion;
    place_body(body, turns_[b], memory.q[body.number], motion);
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
    const Placement & parent =
      body.parent < 0 ? base : memory.placements[static_cast<std::size_t>(body.parent)];
    Placement & placed = memory.placements[b];
    const Vector own = memory.dq[body.number] * placed.axis;
    placed.turning = parent.turning;
    placed.velocity = parent.velocity + cross(parent.turning, placed.origin + -1.0 * parent.origin);
    if (body.prismatic) {
      placed.velocity = placed.velocity + own;
    } else {
      placed.turning = placed.turning + own;
    }
  }
}

ClosedChain::Seen ClosedChain::seen(const Memory & memory, const Side & side) const noexcept
{
  const Placement & body =
    side.body < 0 ? base : memory.placements[static_cast<std::size_t>(side.body)];
  const Vector arm = out_of(body, side.point);
  return {
    body.origin + arm, body.velocity + cross(body.turning, arm), out_of(body, side.axis),
    body.turning};
}

/// Calls column(number of the joint, its body, whether on side a) for every joint that moves a
/// closure; twice where it moves both sides.
template <typename Column>
void ClosedChain::for_each_column(const Closure & closure, const Column & column) const noexcept
{
  for (const bool on_a : {true, false}) {
    for (int b = on_a ? closure.a.body : closure.b.body; b >= 0;) {
      const Body & body = tree_.bodies[static_cast<std::size_t>(b)];
      column(body, static_cast<std::size_t>(b), on_a);
      b = body.parent;
    }
  }
}

/// phi and J at q.
void ClosedChain::linearize(Memory & memory) const noexcept
{
  memory.jacobian.setZero();
  for (const Closure & closure : closures_) {
    const Seen a = seen(memory, closure.a);
    const Seen b = seen(memory, closure.b);
    const Vector apart = a.point + -1.0 * b.point;
    const bool hinge = closure.kind == ClosureKind::revolute;
    const bool rod = closure.kind == ClosureKind::distance;
    const Placement & frame =
      closure.b.body < 0 ? base : memory.placements[static_cast<std::size_t>(closure.b.body)];
    const Vector across = out_of(frame, closure.across);
    const Vector over = out_of(frame, closure.over);
    if (rod) {
      memory.gap[closure.row] = (dot(apart, apart) / closure.length - closure.length) / 2.0;
    } else {
      memory.gap.segment<3>(closure.row) = eigen(apart);
    }
    if (hinge) {
      memory.gap[closure.row + 3] = dot(a.axis, across);
      memory.gap[closure.row + 4] = dot(a.axis, over);
    }
    for_each_column(closure, [&](const Body & body, std::size_t index, bool on_a) {
      const Placement & placed = memory.placements[index];
      const double sign = on_a ? 1.0 : -1.0;
      const Vector arm = (on_a ? a.point : b.point) + -1.0 * placed.origin;
      const Vector moved = sign * (body.prismatic ? placed.axis : cross(placed.axis, arm));
      if (rod) {
        memory.jacobian(closure.row, body.number) += dot(apart, moved) / closure.length;
      } else {
        memory.jacobian.col(body.number).segment<3>(closure.row) += eigen(moved);
      }
      if (hinge && !body.prismatic) {
        const Vector turned = sign * placed.axis;
        memory.jacobian(closure.row + 3, body.number) += dot(turned, cross(a.axis, across));
        memory.jacobian(closure.row + 4, body.number) += dot(turned, cross(a.axis, over));
      }
    });
  }
}

/// dJ/dt at q and dq.
void ClosedChain::differentiate(Memory & memory) const noexcept
{
  memory.jacobian_rate.setZero();
  for (const Closure & closure : closures_) {
    const Seen a = seen(memory, closure.a);
    const Seen b = seen(memory, closure.b);
    const Vector apart = a.point + -1.0 * b.point;
    const Vector parting = a.velocity + -1.0 * b.velocity;
    const bool hinge = closure.kind == ClosureKind::revolute;
    const bool rod = closure.kind == ClosureKind::distance;
    const Placement & frame =
      closure.b.body < 0 ? base : memory.placements[static_cast<std::size_t>(closure.b.body)];
    for_each_column(closure, [&](const Body & body, std::size_t index, bool on_a) {
      const Placement & placed = memory.placements[index];
      const double sign = on_a ? 1.0 : -1.0;
      const Seen & end = on_a ? a : b;
      const Vector arm = end.point + -1.0 * placed.origin;
      const Vector lengthening = end.velocity + -1.0 * placed.velocity;
      const Vector tilting = cross(placed.turning, placed.axis);
      const Vector moved = sign * (body.prismatic ? placed.axis : cross(placed.axis, arm));
      const Vector changed =
        sign * (body.prismatic ? tilting : cross(tilting, arm) + cross(placed.axis, lengthening));
      if (rod) {
        memory.jacobian_rate(closure.row, body.number) +=
          (dot(parting, moved) + dot(apart, changed)) / closure.length;
      } else {
        memory.jacobian_rate.col(body.number).segment<3>(closure.row) += eigen(changed);
      }
      if (hinge && !body.prismatic) {
        const Vector swing = cross(a.turning, a.axis);
        Eigen::Index row = closure.row + 3;
        for (const Vector & local : {closure.across, closure.over}) {
          const Vector side = out_of(frame, local);
          const Vector normal = cross(a.axis, side);
          const Vector drift = cross(swing, side) + cross(a.axis, cross(b.turning, side));
          memory.jacobian_rate(row++, body.number) +=
            sign * (dot(tilting, normal) + dot(placed.axis, drift));
        }
      }
    });
  }
}

}  // namespace dynid
