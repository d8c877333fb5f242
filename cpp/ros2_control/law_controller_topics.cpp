// LawController outside of the control cycle: parameters, topics, services.

#include <algorithm>
#include <chrono>
#include <lifecycle_msgs/msg/state.hpp>
#include <thread>
#include <utility>

#include "diagnostics.hpp"
#include "law_controller.hpp"

namespace dynid
{
namespace
{

using namespace std::chrono_literals;

constexpr auto reset_patience = 500ms;  // for the control cycle to answer
constexpr auto reset_poll_period = 1ms;

bool is_of_model(const std::string & name) { return is_model_parameter(name) || name == "force"; }

bool has_model(const std::vector<rclcpp::Parameter> & parameters)
{
  return std::any_of(parameters.begin(), parameters.end(), [](const auto & parameter) {
    return is_model_parameter(parameter.get_name());
  });
}

void check_known(const rclcpp_lifecycle::LifecycleNode & node, const std::string & name)
{
  if (!is_of_model(name) && !node.has_parameter(name)) {
    throw std::invalid_argument("There is no parameter '" + name + "'.");
  }
}

/// The first point of a message in the order of the joints; empty where it is incomplete.
Reference reference_of(
  const trajectory_msgs::msg::JointTrajectory & message, const std::vector<std::string> & joints)
{
  const auto n = joints.size();
  if (message.points.size() != 1 || message.joint_names.size() != n) {
    return {};
  }
  const auto & point = message.points.front();
  if (
    point.positions.size() != n || point.velocities.size() != n ||
    point.accelerations.size() != n) {
    return {};
  }
  const auto size = static_cast<Eigen::Index>(n);
  Reference found{Eigen::VectorXd(size), Eigen::VectorXd(size), Eigen::VectorXd(size)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto & names = message.joint_names;
    const auto at = std::find(names.begin(), names.end(), joints[i]);
    if (at == names.end()) {
      return {};
    }
    const auto k = static_cast<std::size_t>(at - names.begin());
    const auto j = static_cast<Eigen::Index>(i);
    found.position[j] = point.positions[k];
    found.velocity[j] = point.velocities[k];
    found.acceleration[j] = point.accelerations[k];
  }
  return found;
}

}  // namespace

rclcpp::NodeOptions LawController::define_custom_node_options() const
{
  return ChainableControllerInterface::define_custom_node_options().allow_undeclared_parameters(
    true);
}

void LawController::watch_parameters()
{
  // a model in the parameter file; all other parameters were declared with a description
  const auto overrides = get_node()->get_node_parameters_interface()->get_parameter_overrides();
  for (const auto & [name, value] : overrides) {
    if (is_model_parameter(name)) {
      get_node()->declare_parameter(name, value);
      model_parameters_[name] = value;
    }
  }
  validate_handle_ = get_node()->add_on_set_parameters_callback(
    [this](const std::vector<rclcpp::Parameter> & changed) {
      return validate_parameters(changed);
    });
  apply_handle_ = get_node()->add_post_set_parameters_callback(
    [this](const std::vector<rclcpp::Parameter> & changed) { apply_parameters(changed); });
  // a model in the parameter file is used from the start
  if (!model_parameters_.empty()) {
    try {
      candidate_ = make_model({});
      apply_parameters({});
    } catch (const std::exception & error) {
      refusal_ = error.what();
      RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    }
  }
}

/// Rejects invalid parameters before they are set.
rcl_interfaces::msg::SetParametersResult LawController::validate_parameters(
  const std::vector<rclcpp::Parameter> & changed)
{
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  bool model = false;
  auto params = listener_->get_params();
  for (const auto & parameter : changed) {
    assign(params, parameter);
    model = model || is_of_model(parameter.get_name());
  }
  try {
    for (const auto & parameter : changed) {
      check_known(*get_node(), parameter.get_name());
    }
    std::ignore = law_request(params, std::max(rate_, 1.0));
    if (model && (has_model(changed) || !model_parameters_.empty())) {
      candidate_ = make_model(changed);
    }
  } catch (const std::exception & error) {  // of any library: no exception may leave a callback
    result.successful = false;
    result.reason = error.what();
  }
  return result;
}

/// Passes new parameters to the control cycle.
void LawController::apply_parameters(const std::vector<rclcpp::Parameter> &)
{
  if (candidate_.model) {
    joints_ = candidate_.joints;
    if (updates_) {
      updates_->accept(std::move(candidate_.check));
    }
    models_.give(std::move(candidate_.model));
    model_parameters_ = std::move(candidate_.parameters);
    model_name_ = candidate_.name;
    refusal_.clear();
    RCLCPP_INFO(get_node()->get_logger(), "a model is in use, %s", model_name_.c_str());
    if (!candidate_.sealed) {
      RCLCPP_WARN(
        get_node()->get_logger(),
        "The model has format 1, which has no seal, so changes of its parameters cannot be "
        "detected; identify again, or seal it with 'dynid model seal'.");
    }
  }
  if (rate_ > 0.0) {  // configured
    const auto request = law_request(listener_->get_params(), rate_);
    supervision_ = describe_supervision(supervised(request.collision), joints_);
    request_update(request);
  }
}

void LawController::request_update(const LawRequest & law)
{
  requests_.set([this, &law](Request & request) {
    request.law = law;
    request.number = newest_request_.load(std::memory_order_relaxed) + 1;
  });
  newest_request_.fetch_add(1, std::memory_order_release);
}

Eigen::VectorXd LawController::smoothing() const
{
  return per_joint(params_, "friction_smoothing", params_.friction_smoothing, 0.0);
}

/// Makes the model of the parameters about to be set; throws std::invalid_argument where it must
/// not be used.
LawController::Candidate LawController::make_model(
  const std::vector<rclcpp::Parameter> & changed) const
{
  bool force = listener_->get_params().force;
  for (const auto & parameter : changed) {
    force = parameter.get_name() == "force" ? parameter.as_bool() : force;
  }
  Candidate found;
  found.parameters = changed_model(model_parameters_, changed);
  auto read = read_model(found.parameters, params_.joints, force);
  if (!gear_joints(params_).empty() && !read.mechanism.coupling().isIdentity(0.0)) {
    throw std::invalid_argument(
      "The model's motors are coupled, so the torque in a gear is not that of one joint: set "
      "'elastic.link_torque' to false.");
  }
  found.joints = {params_.joints, read.mechanism.prismatic()};
  found.name = "identified on " + (read.created.empty() ? "an unknown date" : read.created) +
               (read.edited_at.empty() ? "" : ", edited by hand on " + read.edited_at);
  found.sealed = read.sealed;
  found.check = make_update_check(read);
  found.model = std::make_unique<ControlModel>(
    std::move(read.description), read.mechanism.parameters(), smoothing(), params_.side == "motor");
  found.model->set_error(model_error(found.parameters, params_.joints.size()));
  return found;
}

/// The check of updates of a model; none where they are not enabled.
std::unique_ptr<ModelUpdateCheck> LawController::make_update_check(const StoredModel & stored) const
{
  if (!params_.model_updates.enabled) {
    return nullptr;
  }
  return std::make_unique<ModelUpdateCheck>(
    stored.description, stored.mechanism.parameters(), smoothing(), params_.side == "motor",
    model_update_limits(params_));
}

void LawController::configure_updates()
{
  updates_.reset();
  refused_update_.clear();
  refused_updates_ = 0;
  published_updates_ = DiagnosticStatus();
  if (!params_.model_updates.enabled) {
    return;
  }
  updates_ = std::make_unique<ModelUpdateLink>(params_, rate_);
  if (!model_parameters_.empty()) {
    updates_->accept(make_update_check(
      read_model(model_parameters_, params_.joints, listener_->get_params().force)));
  }
  RCLCPP_WARN(
    get_node()->get_logger(),
    "Model updates are enabled: messages on ~/model_update change the torque while the robot "
    "works, within the limits of the parameters model_updates.");
}

void LawController::make_topics()
{
  const auto node = get_node();
  const auto latched = rclcpp::QoS(1).transient_local();
  const rclcpp::Publisher<JointState>::SharedPtr states =
    node->create_publisher<JointState>("~/state", rclcpp::SystemDefaultsQoS());
  state_out_.reset();  // of an earlier configuration
  state_out_ = std::make_unique<StatePublisher>(
    params_.joints, params_.state_publish_rate,
    [states](const JointState & message) { states->publish(message); });
  collision_out_ = node->create_publisher<DiagnosticStatus>("~/collision", latched);
  diagnostics_out_ =
    node->create_publisher<DiagnosticArray>("/diagnostics", rclcpp::SystemDefaultsQoS());
  reference_in_ = node->create_subscription<JointTrajectory>(
    "~/reference", rclcpp::SystemDefaultsQoS(),
    [this](const JointTrajectory & message) { on_reference(message); });
  if (updates_) {
    updates_out_ = node->create_publisher<DiagnosticStatus>("~/model_updates", latched);
    updates_in_ = node->create_subscription<std_msgs::msg::Float64MultiArray>(
      "~/model_update", rclcpp::QoS(1),
      [this](const std_msgs::msg::Float64MultiArray & message) { on_model_update(message); });
  }
  reset_service_ = node->create_service<Trigger>(
    "~/reset", [this](
                 const Trigger::Request::SharedPtr & request,
                 const Trigger::Response::SharedPtr & response) { reset(*request, *response); });
  published_collision_ = DiagnosticStatus();
  timer_ = node->create_wall_timer(status_period, [this] { publish_status(); });
}

/// A reference by topic: the first point, its joints in any order.
void LawController::on_reference(const JointTrajectory & message)
{
  const auto n = params_.joints.size();
  TopicReference received{reference_of(message, params_.joints), get_node()->now().nanoseconds()};
  if (static_cast<std::size_t>(received.reference.position.size()) != n) {
    RCLCPP_WARN_THROTTLE(
      get_node()->get_logger(), *get_node()->get_clock(), 1000,
      "A message on ~/reference was ignored: it must have one point with positions, velocities and "
      "accelerations of all %zu joints, by name.",
      n);
    return;
  }
  topic_reference_.set(received);
}

void LawController::on_model_update(const std_msgs::msg::Float64MultiArray & message)
{
  if (get_lifecycle_id() != lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
    return;  // no cycle takes it
  }
  try {
    updates_->receive(message);
    refused_update_.clear();
  } catch (const std::exception & error) {  // of any library: no exception may leave a callback
    refused_update_ = error.what();
    ++refused_updates_;
    RCLCPP_WARN_THROTTLE(
      get_node()->get_logger(), *get_node()->get_clock(), 10000, "%s", error.what());
  }
}

void LawController::reset(const Trigger::Request &, Trigger::Response & response)
{
  if (get_lifecycle_id() != lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
    response.message = "the controller is not active; activation clears a collision";
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() + reset_patience;
  reset_.store(Reset::requested, std::memory_order_release);
  while (reset_.load(std::memory_order_acquire) == Reset::requested) {
    if (std::chrono::steady_clock::now() > deadline) {
      reset_.store(Reset::none, std::memory_order_release);
      response.message = "the control cycle does not answer; is the controller manager running?";
      return;
    }
    std::this_thread::sleep_for(reset_poll_period);
  }
  response.success = reset_report_.answer == ResetAnswer::done;
  response.message = describe(reset_report_, joints_);
}

/// Publishes changes, and /diagnostics each second.
void LawController::publish_status()
{
  const auto status = status_.get();
  const auto collision = collision_report(status, joints_);
  const bool happened = collision != published_collision_;
  if (happened) {
    if (collision.level == DiagnosticStatus::ERROR) {
      RCLCPP_ERROR(get_node()->get_logger(), "%s", collision.message.c_str());
    }
    published_collision_ = collision;
    collision_out_->publish(collision);
  }
  if (updates_) {
    publish_model_updates(status.updates);
  }
  auto health = health_report(status, joints_, model_name_, supervision_, rate_);
  if (++ticks_ >= ticks_per_second || health.message != published_health_) {
    ticks_ = 0;
    published_health_ = health.message;
    health.name = std::string(get_node()->get_name()) + ": feedforward";
    DiagnosticArray message;
    message.header.stamp = get_node()->now();
    message.status = {health};
    diagnostics_out_->publish(message);
  }
}

void LawController::publish_model_updates(const ModelUpdatesReport & report)
{
  const auto message = model_updates_report(report, joints_, refused_updates_, refused_update_);
  if (message == published_updates_) {
    return;
  }
  const bool fell_back = !report.updated && report.fallbacks > 0;
  if (fell_back && message.message != published_updates_.message) {
    RCLCPP_WARN(get_node()->get_logger(), "%s", message.message.c_str());
  }
  published_updates_ = message;
  updates_out_->publish(message);
}

}  // namespace dynid
