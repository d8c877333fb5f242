#pragma once

// What the benchmarks of a control cycle share: a robot of six joints, its motion, pinocchio's bare
// recursive Newton-Euler algorithm as the reference, and how times are taken and printed.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "dynid/mechanism.hpp"

namespace control_cycles
{

constexpr Eigen::Index joint_count = 6;

inline std::vector<std::string> joint_names()
{
  std::vector<std::string> names;
  for (Eigen::Index i = 1; i <= joint_count; ++i) {
    names.push_back("joint_" + std::to_string(i));
  }
  return names;
}

inline std::string read(const char * path)
{
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What a benchmark is called with: a robot and a number of cycles.
struct Arguments
{
  std::string urdf;
  int cycles;
};

/// Reads the arguments; without a number of cycles, the usual one. Nothing after an error message.
inline std::optional<Arguments> read_arguments(int count, char ** given, int usual, int least)
{
  if (count < 2) {
    std::cerr << "Give the path of a URDF with joint_1 to joint_6, such as urdf/puma560.urdf.\n";
    return {};
  }
  const int cycles = count > 2 ? std::atoi(given[2]) : usual;
  if (cycles < least) {
    std::cerr << "The number of cycles must be at least " << least << ".\n";
    return {};
  }
  return Arguments{read(given[1]), cycles};
}

/// The robot with viscous and Coulomb friction, offsets and rotor inertias.
inline dynid::MechanismDescription description(const std::string & urdf)
{
  dynid::MechanismDescription robot;
  robot.urdf_xml = urdf;
  robot.joints = joint_names();
  for (const char * kind : {"viscous", "coulomb", "offset", "rotor_inertia"}) {
    for (Eigen::Index i = 0; i < joint_count; ++i) {
      robot.terms.push_back({&dynid::term_kind(kind), static_cast<int>(i)});
    }
  }
  return robot;
}

inline Eigen::VectorXd parameters(const dynid::MechanismDescription & robot)
{
  Eigen::VectorXd values = dynid::Mechanism(robot).urdf_parameters();
  values.tail(static_cast<Eigen::Index>(robot.terms.size())).setConstant(0.5);
  return values;
}

/// All joints on the same slow sine.
struct Motion
{
  void move(int cycle)
  {
    q.setConstant(0.3 * std::sin(1e-3 * cycle));
    dq.setConstant(0.3 * std::cos(1e-3 * cycle));
    ddq = -q;
  }

  Eigen::VectorXd q{joint_count};
  Eigen::VectorXd dq{joint_count};
  Eigen::VectorXd ddq{joint_count};
};

/// pinocchio's torque of the same robot without joint terms.
class BareDynamics
{
public:
  explicit BareDynamics(const std::string & urdf)
  {
    pinocchio::urdf::buildModelFromXML(urdf, model_);
    data_ = pinocchio::Data(model_);
  }
  double first_torque(const Motion & motion)
  {
    return pinocchio::rnea(model_, data_, motion.q, motion.dq, motion.ddq)[0];
  }

private:
  pinocchio::Model model_;
  pinocchio::Data data_;
};

/// Nanoseconds of a clock of the system: CLOCK_MONOTONIC, or CLOCK_THREAD_CPUTIME_ID, which does
/// not run while other processes do.
inline double now(clockid_t clock)
{
  timespec time{};
  clock_gettime(clock, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

/// Time of each call after its preparation [ns], sorted; the clock's own included.
template <typename Prepare, typename Function>
std::vector<double> times(clockid_t clock, int cycles, Prepare && prepare, Function && function)
{
  std::vector<double> found(static_cast<std::size_t>(cycles));
  for (int k = 0; k < cycles; ++k) {
    prepare(k);
    const double begin = now(clock);
    function();
    found[static_cast<std::size_t>(k)] = now(clock) - begin;
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline double quantile(const std::vector<double> & sorted, double share)
{
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// `own`: the clock's own median time; `reference`: of the ratio, none where it is 0.
inline void print(
  const char * what, const std::vector<double> & sorted, double own, double reference)
{
  const double median = quantile(sorted, 0.5) - own;
  const double rare = quantile(sorted, 0.999) - own;
  std::cout << what << ": median " << median << " ns, 99 % " << quantile(sorted, 0.99) - own
            << ", 99.9 % " << rare << ", 99.99 % " << quantile(sorted, 0.9999) - own << ", max "
            << sorted.back() - own << ", 99.9 % / median " << rare / median;
  if (reference > 0.0) {
    std::cout << ", ratio of medians " << median / reference;
  }
  std::cout << "\n";
}

/// Measures pinocchio and one cycle of a controller by one clock, and prints both. `pause` comes
/// before each of either, because after a pause both find their memory in slower caches. Returns a
/// sum of results, so that no computation is optimised away.
template <typename Prepare, typename Cycle, typename Pause>
double compare(
  clockid_t clock, int cycles, const std::string & urdf, const char * what, Prepare && prepare,
  Cycle && cycle, Pause && pause)
{
  BareDynamics dynamics(urdf);
  Motion motion;
  double checksum = 0.0;
  const double own = quantile(times(clock, cycles, [](int) {}, [] {}), 0.5);
  const auto bare = times(
    clock, cycles,
    [&](int k) {
      motion.move(k);
      pause();
    },
    [&] { checksum += dynamics.first_torque(motion); });
  const auto whole = times(
    clock, cycles,
    [&](int k) {
      prepare(k);
      pause();
    },
    cycle);
  std::cout << (clock == CLOCK_MONOTONIC ? "system's clock: " : "time of the thread: ");
  std::cout << cycles << " cycles, " << joint_count << " joints, without the clock's own " << own
            << " ns\n";
  print("pinocchio rnea", bare, own, 0.0);
  print(what, whole, own, quantile(bare, 0.5) - own);
  return checksum;
}

}  // namespace control_cycles
