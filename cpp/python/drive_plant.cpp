// dynid._core.DrivePlant: the simulated robot for Python; documentation is in dynid/simulation.

#include "dynid/drive_plant.hpp"
#include "dynid/delay_line.hpp"
#include "dynid/target_line.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "declared.hpp"
#include "rows.hpp"

namespace py = pybind11;

namespace
{

using dynid::Array;
using dynid::Row;
using VectorView = Eigen::Ref<const Eigen::VectorXd>;

void check_size(const dynid::DrivePlant & plant, Eigen::Index size)
{
  if (size != plant.joint_count()) {
    throw std::invalid_argument(
      "A target or torque offset has " + std::to_string(size) + " values, but must have " +
      std::to_string(plant.joint_count()) + ", one for each joint.");
  }
}

void step(dynid::DrivePlant & plant, const VectorView & target, const VectorView & torque_offset)
{
  check_size(plant, target.size());
  check_size(plant, torque_offset.size());
  plant.step(target, torque_offset);
}

void check_table(const dynid::DrivePlant & plant, const Array & table)
{
  if (table.ndim() != 2) {
    throw std::invalid_argument(
      "An array of targets or torque offsets must have two dimensions, time and joint.");
  }
  check_size(plant, table.shape(1));
}

/// Runs one cycle for each row of the targets, and returns what `read` reads after each: (parts, N,
/// n), where `read` returns that many pointers to vectors (n,).
template <typename Read>
Array run_reading(
  dynid::DrivePlant & plant, const Array & targets, const std::optional<Array> & torque_offsets,
  const Read & read)
{
  check_table(plant, targets);
  const auto n = plant.joint_count();
  const py::ssize_t count = targets.shape(0);
  if (torque_offsets) {
    check_table(plant, *torque_offsets);
    if (torque_offsets->shape(0) != count) {
      throw std::invalid_argument(
        "There are " + std::to_string(torque_offsets->shape(0)) + " torque offsets for " +
        std::to_string(count) + " targets, but there must be one for each.");
    }
  }
  const auto parts = static_cast<py::ssize_t>(read(plant).size());
  Array out({parts, count, static_cast<py::ssize_t>(n)});
  double * const data = out.mutable_data();
  const double * const input = targets.data();
  const double * const offsets = torque_offsets ? torque_offsets->data() : nullptr;
  const Eigen::VectorXd no_offset = Eigen::VectorXd::Zero(n);
  const py::gil_scoped_release unlocked;
  for (py::ssize_t k = 0; k < count; ++k) {
    plant.step(
      Row(input + k * n, n), Row(offsets == nullptr ? no_offset.data() : offsets + k * n, n));
    py::ssize_t part = 0;
    for (const auto * vector : read(plant)) {
      Eigen::Map<Eigen::VectorXd>(data + (part++ * count + k) * n, n) = *vector;
    }
  }
  return out;
}

/// Feedback (3, N, n): position, velocity, torque.
Array run(
  dynid::DrivePlant & plant, const Array & targets, const std::optional<Array> & torque_offsets)
{
  return run_reading(plant, targets, torque_offsets, [](const dynid::DrivePlant & one) {
    return std::array{&one.position(), &one.velocity(), &one.torque()};
  });
}

/// The true state of the links at the joints (4, N, n): position, velocity, acceleration, torque.
Array run_truth(
  dynid::DrivePlant & plant, const Array & targets, const std::optional<Array> & torque_offsets)
{
  return run_reading(plant, targets, torque_offsets, [](const dynid::DrivePlant & one) {
    const auto & truth = one.truth();
    return std::array{&truth.position, &truth.velocity, &truth.acceleration, &truth.torque};
  });
}

void inject(dynid::DrivePlant & plant, const dynid::Injection & injection)
{
  plant.check(injection);
  plant.inject(injection);
}

bool failed(const dynid::DrivePlant & plant, Eigen::Index drive)
{
  plant.check(dynid::DriveFault{static_cast<int>(drive)});
  return plant.failed(drive);
}

void saturate(dynid::DrivePlant & plant, const VectorView & factors)
{
  check_size(plant, factors.size());
  for (Eigen::Index i = 0; i < factors.size(); ++i) {
    plant.check(dynid::Saturation{static_cast<int>(i), factors[i]});
  }
  for (Eigen::Index i = 0; i < factors.size(); ++i) {
    plant.inject(dynid::Saturation{static_cast<int>(i), factors[i]});
  }
}

void push(
  dynid::DrivePlant & plant, const std::string & link, const Eigen::Vector3d & force,
  const Eigen::Vector3d & moment, const Eigen::Vector3d & point, double rise, double duration)
{
  inject(plant, dynid::ExternalForce{plant.link(link), force, moment, point, rise, duration});
}

void bind_plant_settings(py::module_ & module)
{
  using Settings = dynid::DrivePlantSettings;
  py::class_<Settings>(module, "DrivePlantSettings")
    .def(py::init<>())
    .def_readwrite("control_rate", &Settings::control_rate)
    .def_readwrite("integration_rate", &Settings::integration_rate)
    .def_readwrite("command_delay", &Settings::command_delay)
    .def_readwrite("feedback_delay", &Settings::feedback_delay)
    .def_readwrite("mode", &Settings::mode)
    .def_readwrite("motor_side", &Settings::motor_side)
    .def_readwrite("bandwidth_hz", &Settings::bandwidth_hz)
    .def_readwrite("damping_ratio", &Settings::damping_ratio)
    .def_readwrite("integral_time", &Settings::integral_time)
    .def_readwrite("torque_max", &Settings::torque_max)
    .def_readwrite("stop_deceleration", &Settings::stop_deceleration)
    .def_readwrite("following_error", &Settings::following_error)
    .def_readwrite("position_resolution", &Settings::position_resolution)
    .def_readwrite("rated_torque", &Settings::rated_torque)
    .def_readwrite("torque_noise", &Settings::torque_noise)
    .def_readwrite("seed", &Settings::seed)
    .def_readwrite("stribeck_torque", &Settings::stribeck_torque)
    .def_readwrite("stribeck_velocity", &Settings::stribeck_velocity)
    .def_readwrite("joint_stiffness", &Settings::joint_stiffness)
    .def_readwrite("joint_hardening", &Settings::joint_hardening)
    .def_readwrite("joint_damping", &Settings::joint_damping)
    .def_readwrite("joint_backlash", &Settings::joint_backlash)
    .def_readwrite("rotor_inertia", &Settings::rotor_inertia)
    .def_readwrite("lower", &Settings::lower)
    .def_readwrite("upper", &Settings::upper);
}

void bind_plant_enums(py::module_ & module)
{
  using namespace dynid;
  bind_values<FaultReason>(
    module, "FaultReason", {"none", "following_error", "injected", "no_command", "not_finite"});

  bind_values<DriveMode>(module, "DriveMode", {"position", "torque", "torque_and_gravity"});
}

void bind_target_line(py::module_ & module)
{
  using dynid::TargetLine;
  py::class_<TargetLine>(module, "TargetLine")
    .def(py::init<Eigen::Index>(), py::arg("joints"))
    .def_property_readonly_static(
      "longest_period", [](const py::object &) { return TargetLine::longest_period; })
    .def("rest_at", &TargetLine::rest_at)
    .def("pass_time", &TargetLine::pass, py::arg("cycles"), py::arg("even"))
    .def("give", &TargetLine::give)
    .def_property_readonly("overdue", &TargetLine::overdue)
    .def_property_readonly("due", &TargetLine::due)
    .def("next", &TargetLine::next, py::return_value_policy::copy);
}

}  // namespace

void dynid::bind_drive_plant(py::module_ & module)
{
  bind_plant_enums(module);
  bind_plant_settings(module);
  bind_target_line(module);

  py::class_<Fault>(module, "Fault")
    .def_readonly("reason", &Fault::reason)
    .def_readonly("drive", &Fault::drive)
    .def_readonly("time", &Fault::time);

  module.def("delay_cycles", &delay_cycles, py::arg("delay"), py::arg("control_rate"));
  module.def(
    "describe_fault",
    [](const Fault & fault, const std::vector<std::string> & joints) {
      return describe(fault, joints);
    },
    py::arg("fault"), py::arg("joints"));

  py::class_<PlantTruth>(module, "PlantTruth")
    .def_readonly("position", &PlantTruth::position)
    .def_readonly("velocity", &PlantTruth::velocity)
    .def_readonly("acceleration", &PlantTruth::acceleration)
    .def_readonly("torque", &PlantTruth::torque)
    .def_readonly("external_torque", &PlantTruth::external_torque)
    .def_readonly("motor_position", &PlantTruth::motor_position)
    .def_readonly("motor_velocity", &PlantTruth::motor_velocity);

  const auto copied = py::return_value_policy::copy;  // the plant's own change with every step
  py::class_<DrivePlant>(module, "DrivePlant")
    .def(
      py::init<
        const dynid::MechanismDescription &, const Eigen::VectorXd &,
        const dynid::DrivePlantSettings &>(),
      py::arg("description"), py::arg("parameters"), py::arg("settings"))
    .def("reset", &DrivePlant::reset)
    .def("step", &step)
    .def("run", &run, py::arg("targets"), py::arg("torque_offsets") = py::none())
    .def("run_truth", &run_truth, py::arg("targets"), py::arg("torque_offsets") = py::none())
    .def_property_readonly("position", &DrivePlant::position, copied)
    .def_property_readonly("velocity", &DrivePlant::velocity, copied)
    .def_property_readonly("torque", &DrivePlant::torque, copied)
    .def_property_readonly("link_position", &DrivePlant::link_position, copied)
    .def_property_readonly("rejected_inputs", &DrivePlant::rejected_inputs)
    .def_property_readonly("lost_frames", &DrivePlant::lost_frames)
    .def_property_readonly("fault", &DrivePlant::fault, copied)
    .def("trip", &DrivePlant::trip)
    .def("clear_fault", &DrivePlant::clear_fault)
    .def("failed", &failed)
    .def("fail_drive", [](DrivePlant & plant, int drive) { inject(plant, DriveFault{drive}); })
    .def("clear_drive", [](DrivePlant & plant, int drive) { inject(plant, FaultCleared{drive}); })
    .def("lose_frames", [](DrivePlant & plant, int cycles) { inject(plant, LostFrames{cycles}); })
    .def(
      "lose_frames_randomly",
      [](DrivePlant & plant, double probability) { inject(plant, FrameLoss{probability}); })
    .def("saturate", &saturate)
    .def(
      "push", &push, py::arg("link"), py::arg("force"), py::arg("moment"), py::arg("point"),
      py::arg("rise"), py::arg("duration"))
    .def("release", [](DrivePlant & plant) { inject(plant, ExternalForce{}); })
    .def_property_readonly("truth", &DrivePlant::truth, copied);
}
