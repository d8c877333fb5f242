#include "dynid/kinematic_tree.hpp"

#include <algorithm>
#include <array>

#include "tree_motion.hpp"

namespace dynid
{
namespace
{

void write_row(const BodyMotion & body, const Axis & axis, double * row) noexcept
{
  // copies, because the compiler must assume that `row` aliases any reference
  const Vector a = body.lift;
  const Vector w = body.velocity;
  const Vector dw = body.acceleration;
  const Vector l = axis.linear;
  const Vector s = axis.angular;
  const Vector u = cross(s, w);
  // B^T l = l x dw + w x (w x l)
  const Vector moment = cross(a, s) + cross(l, dw) + cross(w, cross(w, l));
  row[0] = dot(l, a);
  row[1] = moment.x;
  row[2] = moment.y;
  row[3] = moment.z;
  row[4] = s.x * dw.x + u.x * w.x;
  row[5] = s.x * dw.y + s.y * dw.x + u.x * w.y + u.y * w.x;
  row[6] = s.y * dw.y + u.y * w.y;
  row[7] = s.x * dw.z + s.z * dw.x + u.x * w.z + u.z * w.x;
  row[8] = s.y * dw.z + s.z * dw.y + u.y * w.z + u.z * w.y;
  row[9] = s.z * dw.z + u.z * w.z;
}

}  // namespace

void rigid_body_rows(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, double * rows, Eigen::Index stride, const BodyMotion * placed) noexcept
{
  constexpr Vector zero{0.0, 0.0, 0.0};
  const BodyMotion base = base_motion(tree);
  const auto count = tree.bodies.size();
  for (std::size_t b = 0; b < count; ++b) {
    const Body & body = tree.bodies[b];
    const BodyMotion & parent =
      body.parent < 0 ? base : motion.bodies[static_cast<std::size_t>(body.parent)];
    BodyMotion & moved = motion.bodies[b];
    place_body(tree, motion, placed, b, q[body.number], moved);
    move_body(body, parent, {dq[body.number], ddq[body.number]}, moved);

    Axis * const axes = motion.axes.data() + b * count;
    const Vector own = vector(body.axis);
    axes[b] = body.prismatic ? Axis{own, zero} : Axis{zero, own};
    const bool massive = body.block >= 0;
    double * const columns = rows + 10 * std::max(body.block, 0);
    if (massive) {
      write_row(moved, axes[b], columns + stride * body.number);
    }
    for (int j = body.parent; j >= 0; j = tree.bodies[static_cast<std::size_t>(j)].parent) {
      const auto index = static_cast<std::size_t>(j);
      const Axis & seen = motion.axes[static_cast<std::size_t>(body.parent) * count + index];
      axes[index].angular = rotate_in(moved, seen.angular);
      axes[index].linear = rotate_in(moved, seen.linear + cross(seen.angular, moved.origin));
      if (massive) {
        write_row(moved, axes[index], columns + stride * tree.bodies[index].number);
      }
    }
  }
}

void rigid_body_products(
  const KinematicTree & tree, TreeMotion & motion, const double * q, const double * dq,
  const double * ddq, const double * vectors, Eigen::Index joints, std::vector<Axis> & combined,
  double * products, Eigen::Index stride, const BodyMotion * placed) noexcept
{
  const BodyMotion base = base_motion(tree);
  const auto count = combined.size() / tree.bodies.size();
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const Body & body = tree.bodies[b];
    const bool first = body.parent < 0;
    const auto parent = static_cast<std::size_t>(std::max(body.parent, 0));
    BodyMotion & moved = motion.bodies[b];
    place_body(tree, motion, placed, b, q[body.number], moved);
    move_body(
      body, first ? base : motion.bodies[parent], {dq[body.number], ddq[body.number]}, moved);
    const Vector own = vector(body.axis);
    for (std::size_t c = 0; c < count; ++c) {
      Axis & axis = combined[b * count + c];
      axis = {};
      if (!first) {
        const Axis & seen = combined[parent * count + c];
        axis.angular = rotate_in(moved, seen.angular);
        axis.linear = rotate_in(moved, seen.linear + cross(seen.angular, moved.origin));
      }
      const double rate = vectors[static_cast<Eigen::Index>(c) * joints + body.number];
      Vector & along = body.prismatic ? axis.linear : axis.angular;
      along = along + rate * own;
      if (body.block >= 0) {
        std::array<double, 10> row{};
        write_row(moved, axis, row.data());
        double * const to = products + static_cast<Eigen::Index>(c) * stride + 10 * body.block;
        for (std::size_t k = 0; k < row.size(); ++k) {
          to[k] += row[k];
        }
      }
    }
  }
}

}  // namespace dynid
