#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "dynid/control_model.hpp"

namespace dynid
{

/// Passes models to a control cycle, which only exchanges a pointer: they are made and freed
/// outside of it, each freed when the cycle uses a later one.
class ModelHandover
{
public:
  /// Outside the control cycle, by one thread at a time.
  void give(std::unique_ptr<ControlModel> model)
  {
    // the cycle never goes back, so models before the one in use can be freed
    const auto used = std::find_if(kept_.begin(), kept_.end(), [this](const auto & kept) {
      return kept.get() == used_.load(std::memory_order_acquire);
    });
    if (used != kept_.end()) {
      kept_.erase(kept_.begin(), used);
    }
    kept_.push_back(std::move(model));
    newest_.store(kept_.back().get(), std::memory_order_release);
  }

  /// In the control cycle: the newest model, nullptr where there is none yet; valid until the next
  /// call.
  [[nodiscard]] ControlModel * take() noexcept
  {
    auto * const newest = newest_.load(std::memory_order_acquire);
    used_.store(newest, std::memory_order_release);
    return newest;
  }

  /// In the control cycle: the newest model, only to compare it with others; not to be used.
  [[nodiscard]] const ControlModel * newest() const noexcept
  {
    return newest_.load(std::memory_order_acquire);
  }

private:
  std::vector<std::unique_ptr<ControlModel>> kept_;  // in the order given
  std::atomic<ControlModel *> newest_{nullptr};
  std::atomic<ControlModel *> used_{nullptr};
};

}  // namespace dynid
