#pragma once

#include <Eigen/Core>

#include "dynid/declared_settings.hpp"
#include "dynid/mechanism.hpp"

namespace dynid
{

/// When torque errors show that a model is not that of the robot. A correct model whose friction
/// changed by a tenth is below both limits; one with a wrong tool, gravity or unit is above them.
struct ModelMonitorSettings : declared::ModelMonitorSettings
{
  double time = 2.0;   ///< of motion over which torque is averaged [s]
  double share = 0.3;  ///< of the joint's usual torque, r.m.s.
  double times = 4.0;  ///< of the model's own error, where it is known

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check() const;
};

/// Compares torque errors in motion with the joint's usual torque and with the error that a model
/// had when it was identified. It needs no threshold. The usual torque is the largest that was
/// measured over such a time, and not below dry friction: gravity and friction may cancel each
/// other for longer, and then a small error is large beside the measured torque. Vectors (n,); for
/// control cycles: no allocation, lock or exception.
class ModelMonitor
{
public:
  ModelMonitor(Eigen::Index drives, const ModelMonitorSettings & settings);

  /// Begins again, for another model whose r.m.s. error is `rmse` (n,) [N*m or N], or empty.
  void restart(const Eigen::VectorXd & rmse) noexcept;

  /// A cycle of this time [s]: torque error, measured torque, the model's dry friction, and
  /// velocity. It counts where a drive moves faster than `slowest`, below which its dry friction is
  /// not known.
  void update(
    const Eigen::VectorXd & error, const Eigen::VectorXd & torque, const VectorIn & friction,
    const VectorIn & velocity, const Eigen::VectorXd & slowest, double time) noexcept;

  /// The first drive whose torque errors were too large; -1: there is none.
  [[nodiscard]] int drive() const noexcept { return drive_; }

private:
  ModelMonitorSettings settings_;
  int drive_ = -1;
  Eigen::VectorXd least_;   // error that the model may have in any case
  Eigen::VectorXd moved_;   // time in motion [s], at most settings_.time
  Eigen::VectorXd errors_;  // mean squares
  Eigen::VectorXd torques_;
  Eigen::VectorXd usual_;  // the largest of them
};

}  // namespace dynid
