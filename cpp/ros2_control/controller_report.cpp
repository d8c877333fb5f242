#include "controller_report.hpp"

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

}  // namespace

DiagnosticStatus collision_report(const ControllerStatus & status, const JointNames & joints)
{
  const auto & collision = status.collision;
  const bool stopped = collision.cause != CollisionCause::none;
  DiagnosticStatus report;
  report.name = "collision";
  report.level = stopped ? DiagnosticStatus::ERROR : DiagnosticStatus::OK;
  report.message = describe(collision, joints);
  if (!stopped && status.level == CollisionLevel::warn) {
    report.level = DiagnosticStatus::WARN;
    report.message = "a torque error is near its threshold";
  }
  const auto drive = static_cast<std::size_t>(collision.drive);
  report.values = {
    pair("joint", stopped ? joints.names.at(drive) : ""), pair("cause", name_of(collision.cause)),
    pair("value", stopped ? text(collision.value) : ""),
    pair("threshold", stopped ? text(collision.threshold) : ""),
    pair("time", stopped ? std::to_string(status.collision_time) : "")};
  return report;
}

DiagnosticStatus health_report(
  const ControllerStatus & status, const JointNames & joints, const std::string & model)
{
  DiagnosticStatus report;
  const bool well = status.silence == Silence::none || status.silence == Silence::not_finite;
  report.level = well ? DiagnosticStatus::OK : DiagnosticStatus::WARN;
  report.message = describe(status.silence);
  if (status.collision.cause != CollisionCause::none) {
    report.level = DiagnosticStatus::ERROR;
    report.message = describe(status.collision, joints);
  }
  report.values = {
    pair("model", model.empty() ? "none" : model), pair("gain", text(status.gain)),
    pair("failed writes", std::to_string(status.failed_writes))};
  return report;
}

}  // namespace dynid
