#include "link_force.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "link_tree.hpp"
#include "link_wrench.hpp"

namespace dynid
{

LinkForce::LinkForce(const MechanismDescription & description)
{
  auto read = read_link_tree(description);
  tree_ = std::move(read.kinematics);
  links_ = std::move(read.links);
}

int LinkForce::link(const std::string & name) const
{
  std::string movable;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const bool moves = links_[i].body >= 0;
    if (links_[i].name == name) {
      if (!moves) {
        throw std::invalid_argument(
          "Link '" + name + "' is fixed to the base; apply the force to a link that moves.");
      }
      return static_cast<int>(i);
    }
    if (moves) {
      movable += (movable.empty() ? "" : ", ") + links_[i].name;
    }
  }
  throw std::invalid_argument(
    "The URDF has no link '" + name + "'; the links that move are " + movable + ".");
}

void LinkForce::check(const ExternalForce & force) const
{
  if (force.link < -1 || force.link >= static_cast<int>(links_.size())) {
    throw std::invalid_argument("An external force is on a link that the robot does not have.");
  }
  if (!(force.force.allFinite() && force.moment.allFinite() && force.point.allFinite())) {
    throw std::invalid_argument(
      "An external force has a component that is not finite; force [N], moment [N*m] and point [m] "
      "must be three finite numbers each.");
  }
  if (!(force.rise >= 0.0 && std::isfinite(force.rise))) {
    throw std::invalid_argument("The rise time of an external force must be 0 s or above.");
  }
  if (!(force.duration > 0.0)) {
    throw std::invalid_argument("The duration of an external force must be above 0 s.");
  }
}

void LinkForce::apply(const ExternalForce & force) noexcept
{
  body_ = -1;
  if (force.link < 0) {
    return;
  }
  const Link & link = links_[static_cast<std::size_t>(force.link)];
  body_ = link.body;
  force_ = link.rotation * force.force;
  moment_ = link.rotation * (force.moment + force.point.cross(force.force));
  moment_ += link.origin.cross(force_);
  rise_ = force.rise;
  duration_ = force.duration;
  elapsed_ = 0.0;
}

void LinkForce::next(const VectorIn & q, double step, VectorOut torque) noexcept
{
  torque.setZero();
  if (body_ < 0) {
    return;
  }
  const double share = rise_ > 0.0 ? std::min(1.0, (elapsed_ + step / 2.0) / rise_) : 1.0;
  wrench_torque<1>(tree_, body_, q, share * force_, share * moment_, torque);
  elapsed_ += step;
  if (elapsed_ > duration_ - step / 2.0) {
    body_ = -1;
  }
}

}  // namespace dynid
