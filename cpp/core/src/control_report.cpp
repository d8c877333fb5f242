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

/// The missing quantity; empty for other causes.
std::string missing(CollisionCause cause)
{
  switch (cause) {
    case CollisionCause::no_position:
      return "There was no measured position";
    case CollisionCause::no_velocity:
      return "There was no measured velocity";
    case CollisionCause::no_torque:
      return "There was no measured torque (effort)";
    default:
      return {};
  }
}

/// The causes that only a torque-controlled robot has, without what ends the stop; empty for
/// others.
std::string torque_cause(const Collision & collision, const std::string & joint, bool slides)
{
  const std::string way = slides ? " m" : " rad";
  const std::string speed = way + "/s";
  const auto value = text(collision.value);
  const auto threshold = text(collision.threshold);
  switch (collision.cause) {
    case CollisionCause::position_error:
      return "Joint " + joint + " is " + value + way + " from its command, at most " + threshold +
             " (position_error_max) are allowed";
    case CollisionCause::speed:
      return "Joint " + joint + " moves at " + value + speed + ", at most " + threshold +
             " (speed_max) are allowed";
    case CollisionCause::velocity_mismatch:
      return "The measured velocity of joint " + joint + " contradicts its measured position by " +
             value + way + ", at most " + threshold +
             " are expected; its encoder, its sign or its scale is wrong";
    case CollisionCause::position_limit:
      return "Joint " + joint + " was guided to " + value + way +
             ", beyond its position limit of " + threshold + way;
    case CollisionCause::no_response:
      return "The measured position of joint " + joint +
             " did not change, but the commanded torque should have moved it by " + value + way +
             "; it is blocked, or its encoder has failed";
    case CollisionCause::speed_grew:
      return "The robot became faster in a damped stop: joint " + joint + " moves at " + value +
             speed + " instead of " + threshold + ", so its own stop holds it";
    default:
      return {};
  }
}

std::string listed(const std::vector<std::string> & names)
{
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += (i == 0 ? "'" : i + 1 == names.size() ? " and '" : ", '") + names[i] + "'";
  }
  return all;
}

}  // namespace

std::string joined(const std::vector<std::string> & names, const std::string & between)
{
  std::string all;
  for (const auto & name : names) {
    all += (all.empty() ? "" : between) + name;
  }
  return all;
}

std::string describe(const ModelUpdatesReport & report, const JointNames & joints)
{
  if (report.updated) {
    return "an update of the model is in use";
  }
  const std::string again = "the accepted model is used again: ";
  switch (report.cause) {
    case FallbackCause::alarm:
      return again + "there was an alarm of collision detection or of the robot's stop";
    case FallbackCause::residual:
      return again + "the update's torque error of " + quoted(report.drive, joints) + " was " +
             text(report.value) + ", above " + text(report.limit) +
             " that the accepted model's allows (r.m.s., N m or N)";
    case FallbackCause::torque_difference:
      return again + "the update's torque of " + quoted(report.drive, joints) + " differed by " +
             text(report.value) + ", above " + text(report.limit) + " (N m or N)";
    case FallbackCause::lost_input:
      return again + "no update arrived for " + text(report.limit) + " s";
    case FallbackCause::payload:
      return again + "a payload was set, which updates do not take into account";
    case FallbackCause::none:
      break;
  }
  return "the accepted model is in use; there was no update yet";
}

std::string describe(BlindReason reason)
{
  switch (reason) {
    case BlindReason::off:
      return "it has no threshold, or is not enabled";
    case BlindReason::guided:
      return "the robot is guided by hand";
    case BlindReason::no_model:
      return "there is no model";
    case BlindReason::model_torque:
      return "the model has no finite torque for the commanded motion, or the motion is not known";
    case BlindReason::bad_sample:
      return "measured values are not finite, or came too late";
    case BlindReason::suspended:
      return "detection is suspended after jumps of the reference or losses of additive torque";
    case BlindReason::settling:
      return "the filter of torque errors has not settled";
    case BlindReason::constant_torque:
      return "the measured torque never changed, although the joint moved";
    case BlindReason::none:
      break;
  }
  return "it is evaluated";
}

std::string describe(const Blindness & blindness, const JointNames & joints)
{
  if (blindness.drive < 0) {
    return {};
  }
  return "The torque of joint " + quoted(blindness.drive, joints) + " has not been evaluated for " +
         text(blindness.time) + " s (" + describe(blindness.reason) +
         "): no collision is detected there.";
}

std::string name_of(CollisionCause cause)
{
  return choices(cause).at(static_cast<std::size_t>(cause));
}

std::string describe(
  const Collision & collision, const JointNames & joints, const std::string & until)
{
  if (collision.cause == CollisionCause::none) {
    return "no collision";
  }
  const std::string stopped = "; the robot is stopped until " + until + ".";
  if (collision.cause == CollisionCause::no_model) {
    return "No model gives a finite torque against gravity" + stopped;
  }
  const auto joint = quoted(collision.drive, joints);
  const bool slides = joints.sliding.at(static_cast<std::size_t>(collision.drive));
  if (const auto what = torque_cause(collision, joint, slides); !what.empty()) {
    return what + stopped;
  }
  if (const auto what = missing(collision.cause); !what.empty()) {
    return what + " of joint " + joint + " for " + text(collision.value) + " s, at most " +
           text(collision.threshold) + " s (max_age) are allowed" + stopped;
  }
  if (collision.cause == CollisionCause::blind) {
    return "The torque of joint " + joint + " was not evaluated for " + text(collision.value) +
           " s (" + describe(collision.reason) + "), at most " + text(collision.threshold) +
           " s (longest_blind_stop) are allowed" + stopped;
  }
  if (collision.cause == CollisionCause::frozen) {
    return "The states of joint " + joint + " did not change for " + text(collision.value) +
           " s while it was commanded to move, at most " + text(collision.threshold) +
           " s (max_age) are allowed" + stopped;
  }
  const std::string unit = slides ? " N" : " N m";
  const bool error = collision.cause == CollisionCause::torque_error;
  return "Collision at joint " + joint + ": " + (error ? "torque error " : "measured torque ") +
         text(collision.value) + unit + " exceeds " + text(collision.threshold) + unit + stopped;
}

std::string describe_warning(const Collision & warning, const JointNames & joints)
{
  const bool error = warning.cause == CollisionCause::torque_error;
  return "The " + std::string(error ? "torque error" : "measured torque") + " of joint " +
         quoted(warning.drive, joints) + " is near its threshold.";
}

std::string describe(InactiveReason reason, int limited_drive, const JointNames & joints)
{
  const std::string reference =
    limited_drive < 0 ? "the reference" : "the reference of joint " + quoted(limited_drive, joints);
  switch (reason) {
    case InactiveReason::none:
      return "additive torque is on";
    case InactiveReason::no_model:
      return "no additive torque: there is no model";
    case InactiveReason::not_finite:
      return "no additive torque: there is no reference, or it is not a finite number";
    case InactiveReason::unreachable:
      return "no additive torque: the closed chain cannot reach the reference, or is singular "
             "there";
    case InactiveReason::command_jump:
      return "no additive torque: the reference jumped";
    case InactiveReason::acceleration:
      return "no additive torque: the reference's acceleration exceeds acceleration_jump";
    case InactiveReason::reference_away:
      return "no additive torque: the reference is too far from the command; the robot waits";
    case InactiveReason::position_limit:
      return "no additive torque: " + reference +
             " is beyond a position limit, and the robot came to rest before it; command a "
             "position within the limits, near that of the robot";
    case InactiveReason::too_fast:
      return "no additive torque: " + reference +
             " exceeded the velocity or acceleration limit, and the robot came to rest; command "
             "the robot's present position";
    case InactiveReason::uneven:
      return "no additive torque: control cycles were too uneven to follow the reference, and the "
             "robot came to rest; command the robot's present position";
    case InactiveReason::latched:
      return "no additive torque since a collision or a fault";
    case InactiveReason::guided:
      return "the robot is guided by hand: no collision is detected, and references are ignored";
    case InactiveReason::model_wrong:
      return "no additive torque: in motion the torque errors of joint " +
             (limited_drive < 0 ? std::string("?") : quoted(limited_drive, joints)) +
             " are larger than the model's own error explains; its model, payload or direction of "
             "gravity is not that of the robot";
  }
  return {};
}

std::string describe_supervision(const Eigen::VectorXd & supervised, const JointNames & joints)
{
  std::vector<std::string> without;
  for (std::size_t i = 0; i < joints.names.size(); ++i) {
    if (!(supervised[static_cast<Eigen::Index>(i)] > 0.5)) {
      without.push_back(joints.names[i]);
    }
  }
  if (without.empty()) {
    return "Torque is supervised at every joint.";
  }
  const std::string where = without.size() == joints.names.size()
                              ? "any joint"
                              : (without.size() == 1 ? "joint " : "joints ") + listed(without);
  return "Torque is not supervised at " + where +
         ", so no collision is detected there: neither torque errors (collision."
         "torque_error_enable, collision.torque_error_max) nor measured torque "
         "(collision.torque_threshold) have a threshold.";
}

std::string describe(const ResetReport & report, const JointNames & joints)
{
  switch (report.answer) {
    case ResetAnswer::done:
      return "the collision is cleared, and references are followed again";
    case ResetAnswer::nothing_latched:
      return "there is no collision to clear";
    case ResetAnswer::moving:
      return "the robot is still braking; reset when it is at rest";
    case ResetAnswer::reference_away:
      break;
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(report.drive));
  return "the reference of joint " + quoted(report.drive, joints) + " is " + text(report.distance) +
         (slides ? " m" : " rad") +
         " away from where the robot is held; end the motion that commands it, or command the "
         "robot's present position, then reset";
}

std::string describe(const TorqueStart & start, const JointNames & joints)
{
  switch (start.answer) {
    case TorqueStartAnswer::done:
      return "torque control has started";
    case TorqueStartAnswer::no_position:
      return "Torque control does not start: a joint's position is not a finite number.";
    case TorqueStartAnswer::no_model:
      return "Torque control does not start: there is no model whose torque holds the robot; give "
             "a "
             "model before, or set torque_control.gravity to by_robot where the robot compensates "
             "gravity.";
    case TorqueStartAnswer::torque:
      break;
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(start.drive));
  const std::string unit = slides ? " N" : " N m";
  return "Torque control does not start: holding the robot takes " + text(start.holding_torque) +
         unit + " at joint " + quoted(start.drive, joints) + ", of whose torque_max of " +
         text(start.torque_max) + unit + " " + text(100.0 * torque_reserve) +
         " % must be left to the loops; start it in another position or with less load, or correct "
         "torque_max.";
}

std::string describe(const GuideStart & start, const JointNames & joints)
{
  const std::string refused = "The robot cannot be guided by hand: ";
  switch (start.answer) {
    case GuideAnswer::done:
      return "the robot can be guided by hand";
    case GuideAnswer::not_following:
      return refused + "torque control is not started, or a stop holds it.";
    case GuideAnswer::moving:
      return refused + "it moves; begin at rest.";
    case GuideAnswer::disturbed:
      break;
  }
  const bool slides = joints.sliding.at(static_cast<std::size_t>(start.drive));
  const std::string unit = slides ? " N" : " N m";
  return refused + "the position loop holds joint " + quoted(start.drive, joints) + " with " +
         text(start.torque) + unit +
         " besides the model's torque, where friction and the model's "
         "error explain " +
         text(start.limit) + unit +
         ", so it could move by itself; correct the payload or the model, or take away what pushes "
         "the robot.";
}

}  // namespace dynid
