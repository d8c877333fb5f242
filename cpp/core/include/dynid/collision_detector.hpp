#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dynid/declared_settings.hpp"
#include "dynid/mechanism.hpp"
#include "dynid/supervision.hpp"

namespace dynid
{

/// Vectors have one value for each drive (n,), in SI behind the gear. With v and a the commanded
/// velocity and acceleration, the threshold of a drive is
///
///     torque_error_max + velocity_factor |v| + acceleration_factor |a|,
///
/// plus reversal_boost while |v| <= low_speed and for boost_time after that. Near standstill dry
/// friction can have any value between its two sliding values, so the threshold is then also at
/// least the dry friction of the model. The thresholds of all drives are raised in the same way
/// where a commanded acceleration differs by more than acceleration_step from its mean over the
/// last boost_time, because abrupt starts and stops excite vibrations of the whole robot.
///
/// A value is a collision once its time above the threshold, less half the time below, reaches
/// debounce_time.
///
/// Times are in seconds, so that settings do not depend on the control rate.
struct CollisionSettings : declared::CollisionSettings
{
  double control_rate = 1000.0;  ///< [Hz]

  /// Throws std::invalid_argument, with a sentence for the user, where a value is invalid.
  void check(Eigen::Index drives) const;
};

/// Whether torque errors of a drive have a threshold.
[[nodiscard]] inline bool watches_errors(
  const CollisionSettings & settings, Eigen::Index drive) noexcept
{
  return settings.torque_error_enable[drive] > 0.5 &&
         std::isfinite(settings.torque_error_max[drive]);
}

/// 1 for drives (n,) whose torque is supervised: where torque errors are enabled and have a
/// threshold, or measured torque has; else 0.
[[nodiscard]] Eigen::VectorXd supervised(const CollisionSettings & settings);

enum class CollisionLevel
{
  none,
  warn,
  stop
};

enum class CollisionCause
{
  none,
  torque_error,       ///< the torque error exceeds its threshold
  torque_threshold,   ///< the measured torque exceeds its threshold
  no_position,        ///< the measured position was not finite for longer than max_age
  no_velocity,        ///< the same for the measured velocity
  no_torque,          ///< the same for a supervised measured torque
  frozen,             ///< feedback did not change while the drive was commanded to move
  position_error,     ///< of a torque-controlled robot: it is too far from its command
  speed,              ///< of a torque-controlled robot: it is too fast
  no_model,           ///< of a torque-controlled robot: no finite torque compensates gravity
  velocity_mismatch,  ///< of a torque-controlled robot: measured velocity contradicts position
  no_response,     ///< of a torque-controlled robot: torque does not change position and velocity
  position_limit,  ///< of a robot that is guided by hand: it is beyond a position limit
  speed_grew,      ///< of a torque-controlled robot: it became faster in a damped stop
  blind            ///< torque was not evaluated for longer than longest_blind_stop
};

/// Their names, in that order.
[[nodiscard]] constexpr std::array<const char *, 15> choices(CollisionCause /*of*/) noexcept
{
  return {"none",           "torque_error",      "torque_threshold",
          "no_position",    "no_velocity",       "no_torque",
          "frozen",         "position_error",    "speed",
          "no_model",       "velocity_mismatch", "no_response",
          "position_limit", "speed_grew",        "blind"};
}

/// The first stop, until reset().
struct Collision
{
  CollisionCause cause = CollisionCause::none;
  int drive = -1;      ///< from 0
  double value = 0.0;  ///< filtered torque error, measured torque [N*m or N], time [s], position
                       ///< error or way [rad or m], or speed [rad/s or m/s]
  double threshold = 0.0;   ///< that was exceeded, in the same unit
  std::uint64_t cycle = 0;  ///< of the detector, from 0
  BlindReason reason =
    BlindReason::none;  ///< why torque was not evaluated, where that is the cause
};

/// Supervises the torque error, which is model torque - measured torque.
class CollisionDetector
{
public:
  /// Throws std::invalid_argument with a sentence for the user.
  CollisionDetector(Eigen::Index drives, const CollisionSettings & settings);

  // For control cycles: no allocation, lock or exception.

  /// Replaces the settings by others of the same size, which must pass check().
  void set(const CollisionSettings & settings) noexcept;

  /// Dry friction of the model (n,) [N*m or N]: lower bound of the thresholds near standstill.
  void set_friction(const VectorIn & friction) noexcept { friction_ = friction; }

  /// One cycle: torque error (model - measured) and measured torque (n,), and the commanded
  /// velocity and acceleration of the same time (n,). Where there is a reason why torque errors are
  /// not available, only the measured torque is supervised. `cycles`: time since the last cycle.
  CollisionLevel update(
    const VectorIn & torque_error, const VectorIn & torque, const VectorIn & velocity,
    const VectorIn & acceleration, BlindReason unavailable = BlindReason::none,
    double cycles = 1.0) noexcept;

  /// Raises all thresholds by reversal_boost for boost_time from now on.
  void raise() noexcept;

  /// Stops for a collision detected elsewhere, unless one has been detected already.
  void stop(Collision found) noexcept;

  /// Clears the collision and the state of all filters.
  void reset() noexcept;

  [[nodiscard]] CollisionLevel level() const noexcept { return level_; }  ///< of the last cycle
  [[nodiscard]] const Collision & collision() const noexcept { return collision_; }
  /// The value nearest to its threshold where the level is warn; otherwise without a cause.
  [[nodiscard]] const Collision & warning() const noexcept { return warning_; }
  /// Why a drive's torque was not evaluated in the last cycle.
  [[nodiscard]] BlindReason blind(Eigen::Index i) const noexcept
  {
    return drives_[static_cast<std::size_t>(i)].blind;
  }
  /// Time in which the filter of a drive's torque error settles [s].
  [[nodiscard]] double settling_time(Eigen::Index i) const noexcept;
  /// 1 for drives (n,) whose torque is supervised, else 0.
  [[nodiscard]] const Eigen::VectorXd & supervised() const noexcept { return supervised_; }
  [[nodiscard]] const Eigen::VectorXd & filtered_error() const noexcept { return filtered_; }
  [[nodiscard]] const Eigen::VectorXd & threshold() const noexcept { return threshold_; }

private:
  struct Watched
  {
    bool error = false;
    bool torque = false;
  };
  struct Drive
  {
    double boost_left = 0.0;     // cycles
    double error_beyond = 0.0;   // cycles above the threshold less half of those below
    double torque_beyond = 0.0;  // likewise
    double settling = 0.0;       // remaining [cycles]
    BlindReason blind = BlindReason::none;
  };

  void prepare() noexcept;
  void raise(Drive & drive) noexcept;
  void raise_where_abrupt(const VectorIn & acceleration) noexcept;
  [[nodiscard]] BlindReason evaluate(
    Eigen::Index i, const Watched & watched, Drive & drive, double error, double torque,
    BlindReason unavailable, double cycles) noexcept;
  double threshold_of(Eigen::Index i, Drive & drive, double velocity, double acceleration) noexcept;
  void report(
    Eigen::Index i, CollisionCause cause, double value, double threshold, double beyond) noexcept;
  void watch(
    Eigen::Index i, CollisionCause cause, double value, double threshold, double & beyond) noexcept;

  CollisionSettings settings_;
  Eigen::VectorXd supervised_;
  Eigen::VectorXd kept_;      // f in e_f <- f e_f + (1 - f) e each cycle
  double steady_kept_ = 0.0;  // the same for the mean acceleration
  double debounce_ = 1.0;     // cycles
  CollisionLevel level_ = CollisionLevel::none;
  Collision collision_;
  Collision warning_;
  std::uint64_t cycle_ = 0;
  Eigen::VectorXd filtered_;
  Eigen::VectorXd threshold_;
  Eigen::VectorXd friction_;
  Eigen::VectorXd steady_acceleration_;  // its mean over boost_time, weighted exponentially
  bool moved_ = false;                   // whether that mean has been initialised
  std::vector<Watched> watched_;         // drives with a threshold, by the settings
  std::vector<Drive> drives_;
};

}  // namespace dynid
