#include "drive_link.hpp"

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

#include "diagnostics.hpp"

namespace dynid
{
namespace
{

using namespace std::chrono_literals;

constexpr double settling_time = 0.02;  // [s] that drives must be enabled for
constexpr double pulse_time = 0.05;     // [s] that a reset lasts
constexpr double answer_time = 0.5;     // [s] timeout for the control cycle
constexpr double reset_time = 3.0;      // [s] in which drives leave their fault

int cycles(double time, double rate)
{
  return std::max(2, static_cast<int>(std::ceil(time * rate)));
}

}  // namespace

void append_interfaces(
  const std::string & kind, const std::vector<std::string> & joints,
  std::vector<std::string> & found)
{
  if (kind.empty()) {
    return;
  }
  for (const auto & joint : joints) {
    found.push_back(joint + "/" + kind);
  }
}

DriveLink::DriveLink(std::vector<std::string> joints, DriveInterfaces names, double rate)
: joints_(std::move(joints)),
  names_(std::move(names)),
  gate_(static_cast<Eigen::Index>(joints_.size()), cycles(settling_time, rate)),
  words_(joints_.size()),
  pulse_(cycles(pulse_time, rate)),
  pulsed_(pulse_ + 1),
  raised_(joints_.size(), 0.0)
{
}

void DriveLink::append_states(
  const DriveInterfaces & names, const std::vector<std::string> & joints,
  std::vector<std::string> & found)
{
  append_interfaces(names.status, joints, found);
  append_interfaces(names.error, joints, found);
}

void DriveLink::append_commands(
  const DriveInterfaces & names, const std::vector<std::string> & joints,
  std::vector<std::string> & found)
{
  append_interfaces(names.reset, joints, found);
}

void DriveLink::offer(const std::shared_ptr<rclcpp_lifecycle::LifecycleNode> & node)
{
  node_ = node;
  published_message_.clear();
  drives_out_ =
    node->create_publisher<DiagnosticStatus>("/dynid/drives", rclcpp::QoS(1).transient_local());
  diagnostics_out_ =
    node->create_publisher<DiagnosticArray>("/diagnostics", rclcpp::SystemDefaultsQoS());
  // the service waits for drives, and must not block the controller's other callbacks
  group_ = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  service_ = node->create_service<Trigger>(
    "~/reset_fault",
    [this](const Trigger::Request::SharedPtr, const Trigger::Response::SharedPtr response) {
      reset(*response);
    },
    rclcpp::ServicesQoS(), group_);
  timer_ = node->create_wall_timer(status_period, [this] { publish(); });
}

void DriveLink::start(const States & states, Commands & commands)
{
  const auto n = joints_.size();
  first_state_ = states.size() - n * (names_.error.empty() ? 1 : 2);
  first_command_ = commands.size() - (names_.reset.empty() ? 0 : n);
  gate_.restart();
  // drives detect only a step that starts from 0
  std::fill(raised_.begin(), raised_.end(), 0.0);
  pulsed_ = pulse_;
  request_ = Request::none;
  write_resets(commands);
  active_ = true;
}

DrivePhase DriveLink::update(
  const States & states, Commands & commands, const VectorIn & position,
  const VectorIn & reference) noexcept
{
  const auto n = joints_.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto & words = words_[i];
    words.status = states[first_state_ + i].get_optional().value_or(words.status);
    words.error = names_.error.empty()
                    ? nan
                    : states[first_state_ + n + i].get_optional().value_or(words.error);
  }
  gate_.update(words_, position, reference);
  take_request();
  write_resets(commands);
  update_status();
  return gate_.phase();
}

void DriveLink::take_request() noexcept
{
  if (request_.load(std::memory_order_acquire) != Request::requested) {
    return;
  }
  bool braking = false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto state = drive_state(words_[i].status);
    raised_[i] = state == DriveState::fault ? 1.0 : 0.0;
    // a braking drive would miss the step, or apply it when it has stopped
    braking = braking || state == DriveState::fault_reaction;
  }
  const bool possible = !braking && gate_.reset();
  pulsed_ = possible ? 0 : pulsed_;
  request_.store(possible ? Request::done : Request::refused, std::memory_order_release);
}

/// Writes the reset pulse: raises the commands of drives to reset, and lowers them after pulse_.
void DriveLink::write_resets(Commands & commands) noexcept
{
  if (names_.reset.empty() || pulsed_ > pulse_) {
    return;
  }
  bool all = true;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const double value = pulsed_ < pulse_ ? raised_[i] : 0.0;
    all = commands[first_command_ + i].set_value(value) && all;
  }
  // while a reader holds the lock, this is written in the next cycle
  pulsed_ += pulsed_ < pulse_ || all ? 1 : 0;
}

void DriveLink::update_status() noexcept
{
  News news{gate_.report(), -1, {}};
  for (std::size_t i = 0; i < joints_.size() && news.fault < 0; ++i) {
    if (has_fault(drive_state(words_[i].status))) {
      news.fault = static_cast<int>(i);
      news.words = words_[i];
    }
  }
  std::ignore = news_.try_set(news);
}

void DriveLink::reset(Trigger::Response & response)
{
  if (!active_) {
    response.message = "the controller is not active";
    return;
  }
  const bool faulty = news_.get().fault >= 0;
  request_.store(Request::requested, std::memory_order_release);
  const auto answered = [this] { return request_.load() != Request::requested; };
  if (!waited_for(answered, answer_time)) {
    request_ = Request::none;
    response.message = "the control cycle does not answer; is the controller manager running?";
    return;
  }
  if (request_.exchange(Request::none) == Request::refused) {
    response.message = "the robot is still braking; reset when it is at rest";
    return;
  }
  if (faulty && names_.reset.empty()) {
    response.message = "the drives have no command interface to reset faults with";
    return;
  }
  response.success = waited_for([this] { return news_.get().fault < 0; }, reset_time);
  const auto news = news_.get();
  if (!response.success) {
    response.message = "the drive of joint '" + joints_.at(static_cast<std::size_t>(news.fault)) +
                       "' is still " + describe(news.words) +
                       "; find the cause of its fault, then reset again";
    return;
  }
  response.message = faulty ? "the faults are reset, and references are followed from rest when "
                              "every drive is enabled"
                            : "no drive is in fault; " + describe(news.report, joints_);
}

/// Waits for an event of the control cycle; false after a timeout [s].
bool DriveLink::waited_for(const std::function<bool()> & event, double timeout) const
{
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout);
  while (!event()) {
    if (!active_ || std::chrono::steady_clock::now() > end) {
      return event();
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

diagnostic_msgs::msg::DiagnosticStatus DriveLink::status(const DriveReport & report) const
{
  DiagnosticStatus made;
  made.name = "drives";
  made.hardware_id = "dynid";
  made.message = describe(report, joints_);
  const bool named = report.drive >= 0;
  const bool faulty = named && has_fault(drive_state(report.words.status));
  made.level = report.phase == DrivePhase::running              ? DiagnosticStatus::OK
               : report.phase == DrivePhase::waiting && !faulty ? DiagnosticStatus::WARN
                                                                : DiagnosticStatus::ERROR;
  const auto number = [&](double word) {
    return named && std::isfinite(word) ? std::to_string(std::lround(word)) : "";
  };
  made.values = {
    pair("joint", named ? joints_.at(static_cast<std::size_t>(report.drive)) : ""),
    pair("status word", number(report.words.status)),
    pair("error code", number(report.words.error)),
  };
  return made;
}

/// Publishes changes, and /diagnostics each second.
void DriveLink::publish()
{
  const auto node = node_.lock();
  if (!node || !active_) {
    return;
  }
  auto now = status(news_.get().report);
  const bool changed = now.message != published_message_;
  if (changed) {
    published_message_ = now.message;
    drives_out_->publish(now);
    const auto logger = node->get_logger();
    if (now.level == DiagnosticStatus::ERROR) {
      RCLCPP_ERROR(logger, "%s", now.message.c_str());
    } else {
      RCLCPP_INFO(logger, "%s", now.message.c_str());
    }
  }
  if (++ticks_ >= ticks_per_second || changed) {
    ticks_ = 0;
    now.name = std::string(node->get_name()) + ": drives";
    DiagnosticArray array;
    array.header.stamp = node->now();
    array.status = {now};
    diagnostics_out_->publish(array);
  }
}

}  // namespace dynid
