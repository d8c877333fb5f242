#include "model_update_link.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace dynid
{
namespace
{

using feedforward_controller::Params;

// of the workspace where there is no limit
constexpr double widest = 3.14159265358979;  // [rad or m]
constexpr double usual_velocity = 2.0;       // [rad/s or m/s]
constexpr double usual_acceleration = 5.0;   // [rad/s^2 or m/s^2]
constexpr double usual_difference = 0.5;     // of torque_max

Eigen::VectorXd torque_difference(const Params & params)
{
  const auto & given = params.model_updates.torque_difference_max;
  if (given.empty()) {
    return usual_difference * per_joint(params, "torque_max", params.torque_max, 0.0);
  }
  return per_joint(params, "model_updates.torque_difference_max", given, 0.0);
}

ModelUpdatesSettings updates_settings(const Params & params, double control_rate)
{
  const auto & given = params.model_updates;
  ModelUpdatesSettings settings;
  settings.control_rate = control_rate;
  settings.ramp_time = params.ramp_time;
  settings.timeout = given.timeout;
  settings.hold_time = given.hold_time;
  settings.residual_time = given.residual_time;
  settings.residual_ratio = given.residual_ratio;
  settings.torque_error_delay =
    params.torque_error_delay < 0.0 ? params.additive_torque_delay : params.torque_error_delay;
  settings.torque_difference = torque_difference(params);
  const auto law = law_settings(params, control_rate);
  settings.low_speed = law.collision.low_speed.cwiseMax(
    2.0 * per_joint(params, "friction_smoothing", params.friction_smoothing, 0.0));
  return settings;
}

}  // namespace

ModelUpdateLimits model_update_limits(const Params & params)
{
  const auto & given = params.model_updates;
  const auto each = [&](const char * name, const std::vector<double> & values, double usual) {
    const Eigen::VectorXd found = per_joint(params, name, values, usual);
    return Eigen::VectorXd(found.array().isFinite().select(found, usual));
  };
  ModelUpdateLimits limits;
  limits.deviations = given.deviations;
  limits.change.payload = given.payload_mass;
  limits.change.friction = given.friction_change;
  limits.torque_difference = torque_difference(params);
  limits.workspace = {
    each("position_min", params.position_min, -widest),
    each("position_max", params.position_max, widest),
    each("velocity_max", params.velocity_max, usual_velocity),
    each("acceleration_max", params.acceleration_max, usual_acceleration)};
  limits.check(static_cast<Eigen::Index>(params.joints.size()));
  return limits;
}

ModelUpdate model_update_of(
  const std_msgs::msg::Float64MultiArray & message, const Mechanism & mechanism)
{
  const auto names = joined(mechanism.parameter_names(), ",");
  const auto p = mechanism.parameter_count();
  const auto & dimensions = message.layout.dim;
  if (dimensions.empty() || dimensions.back().label != names) {
    throw std::invalid_argument(
      "The model update is refused: the label of its last dimension must list the parameters of "
      "the model in use, " +
      names + ".");
  }
  if (static_cast<Eigen::Index>(message.data.size()) != p * (p + 1)) {
    throw std::invalid_argument(
      "The model update is refused: it has " + std::to_string(message.data.size()) +
      " numbers, but must have " + std::to_string(p * (p + 1)) +
      ", the parameters and the rows of their covariance.");
  }
  const Eigen::Map<const RowMajorMatrix> rows(message.data.data(), p + 1, p);
  return {rows.row(0).transpose(), rows.bottomRows(p)};
}

ModelUpdateLink::ModelUpdateLink(const Params & params, double control_rate)
: updates_(static_cast<Eigen::Index>(params.joints.size()), updates_settings(params, control_rate))
{
}

void ModelUpdateLink::accept(std::unique_ptr<ModelUpdateCheck> check)
{
  check_ = std::move(check);
  handover_.give(nullptr);
}

void ModelUpdateLink::receive(const std_msgs::msg::Float64MultiArray & message)
{
  if (!check_) {
    throw std::invalid_argument("The model update is refused: there is no model yet to update.");
  }
  handover_.give(check_->checked(model_update_of(message, check_->accepted())));
}

ControlModel * ModelUpdateLink::choose(ControlModel * accepted, const Payload & payload) noexcept
{
  if (accepted != accepted_) {
    accepted_ = accepted;
    updates_.accept(accepted);
  }
  if (handover_.newest() != heard_) {
    heard_ = handover_.newest();
    updates_.heard();
  }
  const bool loaded = payload.mass > 0.0;
  if (loaded) {
    updates_.fall_back(FallbackCause::payload);
  }
  // where none is in use, those that cannot be used now are dropped: they would be old later
  if (updates_.ready() || updates_.chosen() == accepted_) {
    auto * const update = handover_.take();
    if (update != taken_ && !loaded) {
      updates_.take(update);
    }
    taken_ = update;
  }
  return updates_.chosen();
}

}  // namespace dynid
