#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <thread>
#include <vector>

#include "state_message.hpp"

namespace dynid
{

/// Publishes the states of control cycles, in their order, by a thread of its own.
///
/// A cycle only copies its state into a queue: the thread looks for states by itself, because to
/// wake it up would cost a cycle many times what its torque does. A state is therefore published up
/// to half of a publication period after its cycle, and at most 20 ms.
class StatePublisher
{
public:
  using Publish = std::function<void(const sensor_msgs::msg::JointState &)>;

  /// `rate`: of states [Hz]. `publish` is called by the thread alone.
  StatePublisher(const std::vector<std::string> & joints, double rate, Publish publish);
  ~StatePublisher();
  StatePublisher(const StatePublisher &) = delete;
  StatePublisher & operator=(const StatePublisher &) = delete;
  StatePublisher(StatePublisher &&) = delete;
  StatePublisher & operator=(StatePublisher &&) = delete;

  /// In control cycles, by one thread at a time: where the next state is to be written, nullptr
  /// where half a second of states waits to be published. No allocation, lock, system call or
  /// exception.
  [[nodiscard]] StateSample * next() noexcept;

  /// In control cycles: the state that was written to next() is complete.
  void push() noexcept;

  /// States that were dropped because the thread did not get to them.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  void run();
  void publish_waiting();

  StateMessage message_;
  Publish publish_;
  std::chrono::nanoseconds period_;
  std::vector<StateSample> queue_;           // a ring
  std::atomic<std::uint64_t> pushed_{0};     // number of states so far
  std::atomic<std::uint64_t> published_{0};  // how many of them have left the queue
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;  // the last, so that it finds all others
};

}  // namespace dynid
