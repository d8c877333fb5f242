#include "dynid/control_report.hpp"

#include <sstream>

namespace dynid
{
namespace
{

std::string text(double value)
{
  std::ostringstream stream;
  stream.precision(4);
  stream << value;
  return stream.str();
}

std::string quoted(int drive, const JointNames & joints)
{
  return "'" + joints.names.at(static_cast<std::size_t>(drive)) + "'";
}

}  // namespace

std::string name_of(CollisionCause cause)
{
  switch (cause) {
    case CollisionCause::torque_error:
      return "torque_error";
    case CollisionCause::torque_threshold:
      return "torque_threshold";
    case CollisionCause::not_finite:
      return "not_finite";
    case CollisionCause::none:
      break;
  }
  return "none";
}

std::string describe(const Collision & collision, const JointNames & joints)
{
  if (collision.cause == CollisionCause::none) {
    return "no collision";
  }
  const auto joint = quoted(collision.drive, joints);
  if (collision.cause == CollisionCause::not_finite) {
    return "The measurements of joint " + joint +
           " are no numbers, so that no collision could be seen; the robot is stopped until "
           "~/reset.";
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(collision.drive));
  const std::string unit = slides ? " N" : " N m";
  const bool error = collision.cause == CollisionCause::torque_error;
  return "Collision at joint " + joint + ": " + (error ? "torque error " : "measured torque ") +
         text(collision.value) + unit + " beyond " + text(collision.threshold) + unit +
         "; the robot is stopped until ~/reset.";
}

std::string describe_warning(const Collision & warning, const JointNames & joints)
{
  const bool error = warning.cause == CollisionCause::torque_error;
  return "The " + std::string(error ? "torque error" : "measured torque") + " of joint " +
         quoted(warning.drive, joints) + " is near its threshold.";
}

std::string describe(Silence silence)
{
  switch (silence) {
    case Silence::none:
      return "additive torque is on";
    case Silence::no_model:
      return "no additive torque: there is no model";
    case Silence::not_finite:
      return "no additive torque: there is no reference, or it is no number";
    case Silence::unreachable:
      return "no additive torque: the reference is out of reach of the closed chain, or singular";
    case Silence::command_jump:
      return "no additive torque: the reference jumped";
    case Silence::acceleration:
      return "no additive torque: the reference's acceleration is beyond acceleration_jump";
    case Silence::reference_away:
      return "no additive torque: the reference is away, and the robot waits for it";
    case Silence::latched:
      return "no additive torque since a collision";
  }
  return {};
}

std::string describe(const ResetReport & report, const JointNames & joints)
{
  switch (report.answer) {
    case ResetAnswer::done:
      return "the collision is forgotten, and references are followed again";
    case ResetAnswer::nothing_latched:
      return "there is no collision to forget";
    case ResetAnswer::moving:
      return "the robot is still braking; reset when it is at rest";
    case ResetAnswer::reference_away:
      break;
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(report.drive));
  return "the reference of joint " + quoted(report.drive, joints) + " is " + text(report.distance) +
         (slides ? " m" : " rad") +
         " away from where the robot is held; end the motion that commands it, or command the "
         "position that the robot has, then reset";
}

}  // namespace dynid
