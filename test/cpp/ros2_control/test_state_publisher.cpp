// The queue between control cycles and the thread that publishes their states.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "state_publisher.hpp"

namespace
{

using sensor_msgs::msg::JointState;

constexpr auto longest = std::chrono::seconds(60);  // machines stall
constexpr double rate = 1000.0;

/// What was published so far.
class Received
{
public:
  void add(const JointState & message)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back(message);
  }
  [[nodiscard]] std::vector<JointState> messages() const
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    return messages_;
  }
  /// Waits until there are so many.
  [[nodiscard]] bool reaches(std::size_t count) const
  {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (messages().size() < count && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return messages().size() == count;
  }

private:
  mutable std::mutex mutex_;
  std::vector<JointState> messages_;
};

/// One cycle; whether its state was taken.
bool push(dynid::StatePublisher & publisher, int number)
{
  auto * const sample = publisher.next();
  if (sample == nullptr) {
    return false;
  }
  sample->time = number;
  sample->values.setConstant(number);
  publisher.push();
  return true;
}

}  // namespace

TEST(StatePublisher, PublishesEveryStateInOrder)
{
  Received received;
  dynid::StatePublisher publisher(
    {"a", "b"}, rate, [&](const JointState & message) { received.add(message); });
  constexpr int count = 5000;  // many times the queue
  for (int k = 0; k < count; ++k) {
    while (!push(publisher, k)) {
      std::this_thread::yield();
    }
  }
  ASSERT_TRUE(received.reaches(count));
  const auto messages = received.messages();
  for (int k = 0; k < count; ++k) {
    const auto & message = messages[static_cast<std::size_t>(k)];
    ASSERT_EQ(message.header.stamp.nanosec, static_cast<std::uint32_t>(k));
    ASSERT_EQ(message.position[1], k);
    ASSERT_EQ(message.effort[9], k);
  }
}

TEST(StatePublisher, DropsNewStatesWhileTheQueueIsFullAndPublishesTheOthers)
{
  Received received;
  std::promise<void> begins;
  std::promise<void> goes_on;
  auto waited = goes_on.get_future();
  bool first = true;
  dynid::StatePublisher publisher({"a"}, rate, [&](const JointState & message) {
    if (first) {
      first = false;
      begins.set_value();
      waited.wait();
    }
    received.add(message);
  });
  ASSERT_TRUE(push(publisher, 0));
  begins.get_future().wait();  // its thread is held up by the first
  int taken = 1;
  while (push(publisher, taken)) {
    ++taken;
  }
  EXPECT_EQ(taken, 1 + static_cast<int>(0.5 * rate));
  EXPECT_FALSE(push(publisher, taken));
  EXPECT_EQ(publisher.dropped(), 2U);
  goes_on.set_value();
  ASSERT_TRUE(received.reaches(static_cast<std::size_t>(taken)));
  EXPECT_EQ(received.messages().back().position[0], taken - 1);
}

TEST(StatePublisher, GoesOnAfterAPublicationThatFailed)
{
  Received received;
  dynid::StatePublisher publisher({"a"}, rate, [&](const JointState & message) {
    if (message.position[0] < 3.0) {
      throw std::runtime_error("no memory");
    }
    received.add(message);
  });
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(push(publisher, k));
  }
  EXPECT_TRUE(received.reaches(2));
}

TEST(StatePublisher, NamesARowForEachQuantityOfAJoint)
{
  Received received;
  dynid::StatePublisher publisher(
    {"a", "b"}, rate, [&](const JointState & message) { received.add(message); });
  auto * const sample = publisher.next();
  ASSERT_NE(sample, nullptr);
  for (Eigen::Index k = 0; k < dynid::StateSample::quantities; ++k) {
    sample->values(1, k) = static_cast<double>(k);
  }
  publisher.push();
  ASSERT_TRUE(received.reaches(1));
  const auto message = received.messages().front();
  ASSERT_EQ(message.name.size(), 12U);
  EXPECT_EQ(message.name[3], "b/feedback");
  EXPECT_EQ(message.effort[1], 2.0);    // additive torque
  EXPECT_EQ(message.position[3], 3.0);  // measured
  EXPECT_EQ(message.effort[3], 5.0);
  EXPECT_EQ(message.effort[5], 6.0);
  EXPECT_EQ(message.name[9], "b/threshold");
  EXPECT_EQ(message.effort[9], 8.0);
  EXPECT_EQ(message.name[11], "b/blind_time");
  EXPECT_EQ(message.effort[11], 9.0);
  EXPECT_TRUE(std::isnan(message.position[5]));
}
