#include "controller_report.hpp"

#include <sstream>

#include "diagnostics.hpp"

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

}  // namespace

DiagnosticStatus collision_report(const ControllerStatus & status, const JointNames & joints)
{
  const auto & collision = status.collision;
  const bool stopped = collision.cause != CollisionCause::none;
  DiagnosticStatus report;
  report.name = "collision";
  report.level = stopped ? DiagnosticStatus::ERROR : DiagnosticStatus::OK;
  report.message = describe(collision, joints);
  const bool warns = !stopped && status.warning.cause != CollisionCause::none;
  if (warns) {
    report.level = DiagnosticStatus::WARN;
    report.message = describe_warning(status.warning, joints);
  }
  const auto & shown = warns ? status.warning : collision;
  const auto drive = static_cast<std::size_t>(shown.drive);
  report.values = {
    pair("joint", stopped || warns ? joints.names.at(drive) : ""),
    pair("cause", name_of(shown.cause)), pair("value", stopped ? text(collision.value) : ""),
    pair("threshold", stopped ? text(collision.threshold) : ""),
    pair("time", stopped ? std::to_string(status.collision_time) : "")};
  return report;
}

DiagnosticStatus health_report(
  const ControllerStatus & status, const JointNames & joints, const std::string & model,
  const std::string & supervision, double rate)
{
  DiagnosticStatus report;
  const bool well = status.inactive_reason == InactiveReason::none ||
                    status.inactive_reason == InactiveReason::not_finite;
  const bool blind = status.blindness.drive >= 0;
  report.level = well && !blind ? DiagnosticStatus::OK : DiagnosticStatus::WARN;
  report.message = blind ? describe(status.blindness, joints)
                         : describe(status.inactive_reason, status.limited_drive, joints);
  if (status.collision.cause != CollisionCause::none) {
    report.level = DiagnosticStatus::ERROR;
    report.message = describe(status.collision, joints);
  }
  report.values = {
    pair("model", model.empty() ? "none" : model),
    pair("gain", text(status.gain)),
    pair("supervision", supervision),
    pair("failed writes", std::to_string(status.failed_writes)),
    pair("cycles", std::to_string(status.cycle_times.cycles)),
    pair("late cycles", std::to_string(status.cycle_times.late)),
    pair("longest cycle", text(status.cycle_times.longest / rate))};
  return report;
}

DiagnosticStatus model_updates_report(
  const ModelUpdatesReport & updates, const JointNames & joints, std::uint64_t refused,
  const std::string & refusal)
{
  DiagnosticStatus report;
  report.name = "model updates";
  const bool fell_back = !updates.updated && updates.cause != FallbackCause::none;
  report.level = fell_back || !refusal.empty() ? DiagnosticStatus::WARN : DiagnosticStatus::OK;
  report.message = describe(updates, joints);
  report.values = {
    pair("updated", updates.updated ? "true" : "false"),
    pair("used", std::to_string(updates.taken)),
    pair("fallbacks", std::to_string(updates.fallbacks)), pair("refused", std::to_string(refused)),
    pair("refusal", refusal)};
  return report;
}

}  // namespace dynid
