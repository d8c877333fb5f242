#include "state_publisher.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <rclcpp/logging.hpp>
#include <utility>

namespace dynid
{
namespace
{

constexpr double queue_time = 0.5;   // [s] of states
constexpr double least_queue = 4.0;  // states
constexpr double looks = 2.0;        // in the period of a state
constexpr double shortest = 1e-3;    // [s] between two looks
constexpr double longest = 20e-3;    // [s]

std::chrono::nanoseconds look_period(double rate)
{
  const std::chrono::duration<double> period(std::clamp(1.0 / (looks * rate), shortest, longest));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
}

}  // namespace

StatePublisher::StatePublisher(
  const std::vector<std::string> & joints, double rate, Publish publish)
: message_(joints),
  publish_(std::move(publish)),
  period_(look_period(rate)),
  queue_(
    static_cast<std::size_t>(std::ceil(std::max(least_queue, queue_time * rate))),
    StateSample(joints.size())),
  thread_([this] { run(); })
{
}

StatePublisher::~StatePublisher()
{
  ends_ = true;
  thread_.join();
}

StateSample * StatePublisher::next() noexcept
{
  const auto pushed = pushed_.load(std::memory_order_relaxed);
  if (pushed - published_.load(std::memory_order_acquire) >= queue_.size()) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  return &queue_[pushed % queue_.size()];
}

void StatePublisher::push() noexcept
{
  pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void StatePublisher::run()
{
  while (!ends_) {
    std::this_thread::sleep_for(period_);
    publish_waiting();
  }
}

void StatePublisher::publish_waiting()
{
  auto published = published_.load(std::memory_order_relaxed);
  while (published != pushed_.load(std::memory_order_acquire)) {
    message_.fill(queue_[published % queue_.size()]);
    ++published;
    published_.store(published, std::memory_order_release);
    try {
      publish_(message_.message());
    } catch (const std::exception & error) {  // must not end the process that moves the robot
      RCLCPP_WARN_ONCE(rclcpp::get_logger("dynid"), "A state is not published: %s", error.what());
    }
  }
}

}  // namespace dynid
