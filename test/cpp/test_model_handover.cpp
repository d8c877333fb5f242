// Models passed to a control cycle by another thread: each is complete while the cycle uses it.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "../../cpp/ros2_control/model_handover.hpp"
#include "control_under_test.hpp"

namespace
{

constexpr int given = 300;

/// A pendulum whose weight is a whole number of times that of the first.
std::unique_ptr<ControlModel> heavier(int times)
{
  dynid::MechanismDescription description;
  description.urdf_xml = pendulum_urdf;
  description.joints = {"axis"};
  const VectorXd parameters = times * dynid::Mechanism(description).urdf_parameters();
  return std::make_unique<ControlModel>(description, parameters, zero, false);
}

TEST(ModelHandover, HasNoModelBeforeOneIsGiven)
{
  dynid::ModelHandover handover;
  EXPECT_EQ(handover.take(), nullptr);
}

TEST(ModelHandover, EachModelIsCompleteWhileItIsUsed)
{
  dynid::ModelHandover handover;
  std::atomic<bool> over{false};
  bool whole = true;
  bool in_order = true;
  double latest = 0.0;
  std::thread cycle([&] {
    VectorXd tau = zero;
    for (bool last = false; !last;) {
      last = over.load();
      auto * const model = handover.take();
      if (model == nullptr) {
        continue;
      }
      model->torque(dynid::FeedforwardMode::full, zero, zero, zero, tau);
      const double times = std::abs(tau[0]) / weight;
      whole = whole && std::abs(times - std::round(times)) < 1e-9;
      in_order = in_order && times > latest - 1e-9;
      latest = times;
    }
  });
  for (int k = 1; k <= given; ++k) {
    handover.give(heavier(k));
  }
  over = true;
  cycle.join();
  EXPECT_TRUE(whole);
  EXPECT_TRUE(in_order) << "no earlier model is used again";
  EXPECT_NEAR(latest, given, 1e-9) << "the last one stays";
}

}  // namespace
