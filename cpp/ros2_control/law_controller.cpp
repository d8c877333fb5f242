#include "law_controller.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <utility>

namespace dynid
{
namespace
{

constexpr int last_cycles = 5;  // that carry torque offsets of 0 before the hardware stops

}  // namespace

LawController::~LawController() = default;

LawController::CallbackReturn LawController::on_init()
{
  try {
    check_seconds(get_node()->get_node_parameters_interface()->get_parameter_overrides());
    listener_ = std::make_shared<feedforward_controller::ParamListener>(get_node());
    params_ = listener_->get_params();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  joints_ = {params_.joints, std::vector<bool>(params_.joints.size(), false)};
  watch_parameters();
  return CallbackReturn::SUCCESS;
}

LawController::InterfaceConfiguration LawController::command_interface_configuration() const
{
  auto found = interfaces(command_kinds());
  DriveLink::append_commands(drive_interfaces(), params_.joints, found.names);
  return found;
}

LawController::InterfaceConfiguration LawController::state_interface_configuration() const
{
  auto found = interfaces(
    {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY,
     hardware_interface::HW_IF_EFFORT});
  if (!params_.cycle_interface.empty()) {
    found.names.push_back(params_.cycle_interface);
  }
  std::vector<std::string> gears;
  for (const auto joint : gear_joints(params_)) {
    gears.push_back(params_.joints[joint]);
  }
  append_interfaces(params_.elastic.link_position_interface, gears, found.names);
  append_interfaces(params_.elastic.link_torque_interface, gears, found.names);
  DriveLink::append_states(drive_interfaces(), params_.joints, found.names);  // always the last
  return found;
}

/// Without status words the other interfaces of drives are not used.
DriveInterfaces LawController::drive_interfaces() const
{
  const auto & given = params_.drives;
  return given.status_interface.empty()
           ? DriveInterfaces{}
           : DriveInterfaces{given.status_interface, given.error_interface, given.reset_interface};
}

/// Each of these interfaces of all joints, one kind after the other.
LawController::InterfaceConfiguration LawController::interfaces(
  const std::vector<const char *> & kinds) const
{
  InterfaceConfiguration found{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  for (const char * kind : kinds) {
    append_interfaces(kind, params_.joints, found.names);
  }
  return found;
}

LawController::CallbackReturn LawController::on_configure(const rclcpp_lifecycle::State &)
{
  params_ = listener_->get_params();
  rate_ = get_update_rate();
  const auto n = static_cast<Eigen::Index>(params_.joints.size());
  if (!refusal_.empty()) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", refusal_.c_str());
    return CallbackReturn::ERROR;
  }
  try {
    check_renamed(get_node()->get_node_parameters_interface()->get_parameter_overrides(), rate_);
    make_law(n);
    effort_factor_ = per_joint(params_, "effort_factor", params_.effort_factor, 1.0);
    std::ignore = smoothing();
    configure_updates();
    const auto request = law_request(params_, rate_);
    supervision_ = describe_supervision(supervised(request.collision), joints_);
    request_update(request);
  } catch (const std::invalid_argument & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  for (auto * vector :
       {&reference_.position, &reference_.velocity, &reference_.acceleration, &feedback_.position,
        &feedback_.velocity, &feedback_.torque}) {
    vector->setConstant(n, nan);
  }
  const auto & elastic = params_.elastic;
  gears_ = gear_joints(params_);
  feedback_.link_position.setConstant(elastic.link_position_interface.empty() ? 0 : n, nan);
  feedback_.link_torque.setConstant(elastic.link_torque_interface.empty() ? 0 : n, nan);
  drives_.reset();
  if (!params_.drives.status_interface.empty()) {
    drives_ = std::make_unique<DriveLink>(params_.joints, drive_interfaces(), rate_);
    drives_->offer(get_node());
  }
  topic_reference_.set(TopicReference{reference_, 0});
  used_model_ = nullptr;
  publish_period_ = rate_ / params_.state_publish_rate;
  make_topics();
  return CallbackReturn::SUCCESS;
}

LawController::CallbackReturn LawController::on_activate(const rclcpp_lifecycle::State &)
{
  read_feedback();
  read_drive_cycles();
  if (drives_) {
    drives_->start(state_interfaces_, command_interfaces_);
  } else if (!feedback_.position.allFinite()) {
    RCLCPP_ERROR(
      get_node()->get_logger(),
      "A joint's position is not a finite number; the drives must report positions before the "
      "controller is activated.");
    return CallbackReturn::ERROR;
  }
  for (const auto & reference : ordered_exported_reference_interfaces_) {
    std::ignore = reference->set_value(nan, true);
  }
  reference_.position.setConstant(nan);
  topic_reference_.set([this](TopicReference & received) { received.reference = reference_; });
  RCLCPP_INFO(get_node()->get_logger(), "%s", supervision_.c_str());
  if (!start_law()) {
    return CallbackReturn::ERROR;
  }
  if (updates_) {
    updates_->restart();
  }
  collision_time_ = 0;
  cycle_times_ = {};
  reset_ = Reset::none;
  write_commands();
  publish_state(get_node()->now());
  return CallbackReturn::SUCCESS;
}

LawController::CallbackReturn LawController::on_deactivate(const rclcpp_lifecycle::State &)
{
  if (drives_) {
    drives_->stop();
  }
  write_last_commands();
  const auto cycle = cycle_thread_.load();
  if (cycle != std::thread::id() && cycle != std::this_thread::get_id()) {
    // controller_manager shuts down: it stops the hardware next, while its cycles continue
    const std::chrono::duration<double> period(1.0 / rate_);
    for (int k = 0; k < last_cycles; ++k) {
      std::this_thread::sleep_for(period);
      write_last_commands();  // an update in progress may have overwritten it
    }
  } else {
    report(get_node()->now());  // why it stopped, where no cycle follows that would
  }
  if (const auto times = status_.get().cycle_times; times.late > 0) {
    RCLCPP_INFO(
      get_node()->get_logger(), "%llu of %llu control cycles came late, one after %.1f ms.",
      static_cast<unsigned long long>(times.late), static_cast<unsigned long long>(times.cycles),
      1e3 * times.longest / rate_);
  }
  return CallbackReturn::SUCCESS;
}

LawController::CallbackReturn LawController::on_cleanup(const rclcpp_lifecycle::State &)
{
  timer_.reset();
  reference_in_.reset();
  reset_service_.reset();
  updates_in_.reset();
  state_out_.reset();
  drives_.reset();
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
LawController::on_export_reference_interfaces_list()
{
  std::vector<hardware_interface::CommandInterface::SharedPtr> found;
  for (const char * kind :
       {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY,
        hardware_interface::HW_IF_ACCELERATION}) {
    for (const auto & joint : params_.joints) {
      found.push_back(
        std::make_shared<hardware_interface::CommandInterface>(
          std::string(get_node()->get_name()) + "/" + joint, kind));
      std::ignore = found.back()->set_value(nan, true);
    }
  }
  return found;
}

bool LawController::on_set_chained_mode(bool) { return true; }

LawController::return_type LawController::update_reference_from_subscribers(
  const rclcpp::Time & time, const rclcpp::Duration &)
{
  topic_reference_.try_get([this](const TopicReference & received) {
    if (received.time != reference_time_) {
      reference_time_ = received.time;
      reference_ = received.reference;
    }
  });
  const auto age = static_cast<double>(time.nanoseconds() - reference_time_) * 1e-9;
  if (!(age <= params_.reference_timeout)) {
    reference_.position.setConstant(nan);
  }
  return return_type::OK;
}

LawController::return_type LawController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  cycle_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  take_requests();
  if (is_in_chained_mode()) {
    read_references();
  }
  since_published_ += 1.0;
  const bool publishes = since_published_ >= publish_period_;
  read_feedback();
  const bool was_latched = law().latched();
  read_drive_cycles();
  const double cycles = period.seconds() * rate_;
  cycle_times_.count(cycles);
  run_law(cycles);
  write_commands();
  if (updates_) {
    updates_->update(law(), feedback_.torque, cycles);
  }
  const bool stops = law().latched() && !was_latched;
  if (stops) {
    collision_time_ = time.nanoseconds();
  }
  take_reset();
  if (publishes || stops) {
    since_published_ = std::fmod(since_published_, publish_period_);
    report(time);
  }
  return return_type::OK;
}

/// Takes over what was changed outside of the cycle.
void LawController::take_requests() noexcept
{
  if (newest_request_.load(std::memory_order_acquire) != taken_request_) {
    requests_.try_get([this](const Request & request) {
      taken_request_ = request.number;
      payload_ = request.law.payload;
      apply(request.law);
    });
  }
  auto * const accepted = models_.take();
  auto * const model = updates_ ? updates_->choose(accepted, payload_) : accepted;
  if (model != used_model_) {
    used_model_ = model;
    use(model, payload_);
  }
}

void LawController::take_reset() noexcept
{
  if (reset_.load(std::memory_order_acquire) != Reset::requested) {
    return;
  }
  reset_report_ = reset_law();
  reset_.store(Reset::answered, std::memory_order_release);
}

void LawController::read_references() noexcept
{
  const auto n = reference_.position.size();
  Eigen::Index i = 0;
  for (auto * vector : {&reference_.position, &reference_.velocity, &reference_.acceleration}) {
    for (Eigen::Index j = 0; j < n; ++j, ++i) {
      const auto & interface = ordered_exported_reference_interfaces_[static_cast<std::size_t>(i)];
      (*vector)[j] = interface->get_optional().value_or((*vector)[j]);
    }
  }
}

void LawController::read_feedback() noexcept
{
  const auto n = params_.joints.size();
  const auto read = [this](std::size_t interface, double & value) {
    value = state_interfaces_[interface].get_optional().value_or(value);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    if (const auto effort = state_interfaces_[2 * n + i].get_optional()) {
      feedback_.torque[j] = *effort * effort_factor_[j];
    }
    read(i, feedback_.position[j]);
    read(n + i, feedback_.velocity[j]);
  }
  read_links();
}

/// Reads what is measured at the links, joints after the cycle counter.
void LawController::read_links() noexcept
{
  auto next = 3 * params_.joints.size() + (params_.cycle_interface.empty() ? 0 : 1);
  for (auto * values : {&feedback_.link_position, &feedback_.link_torque}) {
    for (std::size_t k = 0; k < gears_.size() && values->size() > 0; ++k, ++next) {
      auto & value = (*values)[static_cast<Eigen::Index>(gears_[k])];
      value = state_interfaces_[next].get_optional().value_or(value);
    }
  }
}

/// Reads how many cycles the drives have run since the last update, where they count them.
void LawController::read_drive_cycles() noexcept
{
  if (params_.cycle_interface.empty()) {
    return;
  }
  const auto & counted = state_interfaces_[3 * params_.joints.size()];
  drive_cycles_ = counter_.read(counted.get_optional().value_or(counter_.last()));
}

void LawController::write(std::size_t interface, double value) noexcept
{
  if (!command_interfaces_[interface].set_value(value)) {
    ++failed_writes_;
  }
}

void LawController::report(const rclcpp::Time & time) noexcept
{
  const auto & detector = law().detector();
  ControllerStatus status;
  status.collision = detector.collision();
  status.level = detector.level();
  status.warning = detector.warning();
  status.blindness = law().supervision().warned();
  status.inactive_reason = law().inactive_reason();
  status.limited_drive = law().limited_drive();
  status.gain = law().gain();
  status.collision_time = collision_time_;
  status.failed_writes = failed_writes_;
  status.cycle_times = cycle_times_;
  if (updates_) {
    status.updates = updates_->report();
  }
  std::ignore = status_.try_set(status);
  publish_state(time);
}

void LawController::publish_state(const rclcpp::Time & time) noexcept
{
  if (auto * const sample = state_out_->next(); sample != nullptr) {
    sample->fill(time.nanoseconds(), reference_, feedback_, law(), torque_command());
    state_out_->push();
  }
}

}  // namespace dynid
