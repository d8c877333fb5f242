#pragma once

#include <dynid/feedforward_controller_parameters.hpp>
#include <memory>
#include <std_msgs/msg/float64_multi_array.hpp>

#include "dynid/model_update.hpp"
#include "dynid/model_updates.hpp"
#include "dynid/stored_model.hpp"
#include "law_parameters.hpp"
#include "model_handover.hpp"

namespace dynid
{

/// The limits of model updates, from the parameters of a controller. Throws std::invalid_argument
/// with a sentence for the user.
ModelUpdateLimits model_update_limits(const feedforward_controller::Params & params);

/// The update in a message of (p + 1) p numbers: the parameters, then the rows of their covariance.
/// The label of its last dimension lists the names of the parameters, separated by commas; throws
/// std::invalid_argument, with a sentence for the user, where it is not of this mechanism.
ModelUpdate model_update_of(
  const std_msgs::msg::Float64MultiArray & message, const Mechanism & mechanism);

/// Passes model updates from a topic, checked, to the control cycle.
class ModelUpdateLink
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  ModelUpdateLink(const feedforward_controller::Params & params, double control_rate);

  // Outside the control cycle, by one thread at a time.

  /// Another accepted model, before the control cycle gets it: updates are those of this model.
  void accept(std::unique_ptr<ModelUpdateCheck> check);

  /// Throws std::invalid_argument, with a sentence for the user, where the update is refused.
  void receive(const std_msgs::msg::Float64MultiArray & message);

  /// Before the first cycle: an update from before is not used.
  void restart() noexcept { accepted_ = nullptr; }

  // For control cycles: no allocation, lock or exception.

  /// The model to be used, from the accepted one; that one while there is a payload.
  [[nodiscard]] ControlModel * choose(ControlModel * accepted, const Payload & payload) noexcept;

  /// After a cycle of the law.
  void update(const ControlLaw & law, const VectorIn & torque, double cycles) noexcept
  {
    updates_.update(law.commanded_motion(), torque, has_alarm(law), cycles);
  }

  [[nodiscard]] const ModelUpdatesReport & report() const noexcept { return updates_.report(); }

private:
  std::unique_ptr<ModelUpdateCheck> check_;
  ModelHandover handover_;
  ModelUpdates updates_;
  ControlModel * accepted_ = nullptr;
  const ControlModel * heard_ = nullptr;  // to be compared only
  const ControlModel * taken_ = nullptr;
};

}  // namespace dynid
