#pragma once

#include <memory>
#include <vector>

#include "law_controller.hpp"

namespace dynid
{

/// The ros2_control plugin of ControlLaw, for drives with position and effort commands. User
/// documentation: docs/control.md.
class FeedforwardController : public LawController
{
protected:
  std::vector<const char *> command_kinds() const override;
  void make_law(Eigen::Index joints) override;
  bool start_law() override;
  void apply(const LawRequest & request) noexcept override;
  void use(ControlModel * model, const Payload & payload) noexcept override;
  void run_law(double cycles) noexcept override;
  ResetReport reset_law() noexcept override { return law_->reset(); }
  const ControlLaw & law() const noexcept override { return *law_; }
  const Eigen::VectorXd & torque_command() const noexcept override;
  void write_commands() noexcept override;
  void write_last_commands() noexcept override;

private:
  void stop_law(DrivePhase phase, double cycles) noexcept;
  [[nodiscard]] double torque_offset(Eigen::Index joint) const noexcept;

  std::unique_ptr<ControlLaw> law_;
  Eigen::VectorXd last_command_;
  Eigen::VectorXd last_offset_;  // before a drive was lost
  double fading_ = 0.0;          // of that, from 1 to 0
  double fading_step_ = 1.0;     // in a cycle
};

}  // namespace dynid
