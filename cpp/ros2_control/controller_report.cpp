#include "controller_report.hpp"

#include <cmath>
#include <sstream>

namespace dynid
{
namespace
{

using diagnostic_msgs::msg::DiagnosticStatus;
using diagnostic_msgs::msg::KeyValue;

std::string text(double value)
{
  std::ostringstream stream;
  stream.precision(4);
  stream << value;
  return stream.str();
}

KeyValue pair(const std::string & key, const std::string & value)
{
  KeyValue made;
  made.key = key;
  made.value = value;
  return made;
}

std::string joint_of(int drive, const JointNames & joints)
{
  return drive < 0 ? std::string() : joints.names.at(static_cast<std::size_t>(drive));
}

const char * cause_of(const Collision & collision)
{
  switch (collision.cause) {
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

std::string collision_sentence(const Collision & collision, const JointNames & joints)
{
  const auto joint = "'" + joint_of(collision.drive, joints) + "'";
  if (collision.cause == CollisionCause::not_finite) {
    return "The measurements of joint " + joint +
           " are no numbers, so that no collision could be "
           "seen; the robot is stopped until ~/reset.";
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(collision.drive));
  const std::string unit = slides ? " N" : " N m";
  const bool error = collision.cause == CollisionCause::torque_error;
  return "Collision at joint " + joint + ": " + (error ? "torque error " : "measured torque ") +
         text(collision.value) + unit + " beyond " + text(collision.threshold) + unit +
         "; the robot is stopped until ~/reset.";
}

const char * silence_sentence(Silence silence)
{
  switch (silence) {
    case Silence::none:
      return "additive torque is on";
    case Silence::no_model:
      return "no additive torque: there is no model";
    case Silence::not_finite:
      return "no additive torque: there is no reference, or it is no number";
    case Silence::command_jump:
      return "no additive torque: the reference jumped";
    case Silence::acceleration:
      return "no additive torque: the reference's acceleration is beyond acceleration_jump";
    case Silence::reference_away:
      return "no additive torque: the reference is away, and the robot waits for it";
    case Silence::latched:
      return "no additive torque since a collision";
  }
  return "";
}

}  // namespace

DiagnosticStatus collision_report(const ControllerStatus & status, const JointNames & joints)
{
  const auto & collision = status.collision;
  const bool stopped = collision.cause != CollisionCause::none;
  DiagnosticStatus report;
  report.name = "collision";
  report.level = DiagnosticStatus::OK;
  report.message = "no collision";
  if (stopped) {
    report.level = DiagnosticStatus::ERROR;
    report.message = collision_sentence(collision, joints);
  } else if (status.level == CollisionLevel::warn) {
    report.level = DiagnosticStatus::WARN;
    report.message = "a torque error is near its threshold";
  }
  report.values = {
    pair("joint", joint_of(collision.drive, joints)), pair("cause", cause_of(collision)),
    pair("value", stopped ? text(collision.value) : ""),
    pair("threshold", stopped ? text(collision.threshold) : ""),
    pair("time", stopped ? std::to_string(status.collision_time) : "")};
  return report;
}

DiagnosticStatus health_report(
  const ControllerStatus & status, const JointNames & joints, const std::string & model)
{
  DiagnosticStatus report;
  const bool quiet = status.silence == Silence::none || status.silence == Silence::not_finite;
  report.level = quiet ? DiagnosticStatus::OK : DiagnosticStatus::WARN;
  report.message = silence_sentence(status.silence);
  if (status.collision.cause != CollisionCause::none) {
    report.level = DiagnosticStatus::ERROR;
    report.message = collision_sentence(status.collision, joints);
  }
  report.values = {
    pair("model", model.empty() ? "none" : model), pair("gain", text(status.gain)),
    pair("failed writes", std::to_string(status.failed_writes))};
  return report;
}

std::string reset_sentence(const ResetReport & report, const JointNames & joints)
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
  return "the reference of joint '" + joint_of(report.drive, joints) + "' is " +
         text(report.distance) + (slides ? " m" : " rad") +
         " away from where the robot is held; end the motion that commands it, or command the "
         "position that the robot has, then reset";
}

}  // namespace dynid
