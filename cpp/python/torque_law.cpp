// dynid._core.TorqueLaw: the control law of torque-controlled robots for Python; documentation is
// in cpp/core/include/dynid/torque_law.hpp.

#include "dynid/torque_law.hpp"

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "declared.hpp"
#include "drive_vectors.hpp"
#include "dynid/control_report.hpp"

namespace py = pybind11;

namespace
{

using Vector = Eigen::VectorXd;

dynid::TorqueStart start_at(dynid::TorqueLaw & law, const Vector & position)
{
  dynid::check_drives(law.joint_count(), position.size());
  return law.start(position);
}

void update_law(
  dynid::TorqueLaw & law, const dynid::Reference & reference, const dynid::Feedback & feedback,
  double cycles)
{
  dynid::check_drives(law.joint_count(), reference, feedback);
  law.update(reference, feedback, cycles);
}

void bind_torque_settings(py::module_ & module)
{
  using namespace dynid;
  bind_choices<GravityBy>(module, "GravityBy");
  bind_choices<Compensation>(module, "Compensation");
  bind_values<TorquePhase>(
    module, "TorquePhase", {"inactive", "following", "guided", "stopping", "stopped"});
  bind_values<TorqueStartAnswer>(
    module, "TorqueStartAnswer", {"done", "no_position", "no_model", "torque"});
  py::class_<TorqueStart>(module, "TorqueStart")
    .def_readonly("answer", &TorqueStart::answer)
    .def_readonly("drive", &TorqueStart::drive)
    .def_readonly("holding_torque", &TorqueStart::holding_torque)
    .def_readonly("torque_max", &TorqueStart::torque_max)
    .def("__bool__", &TorqueStart::done);
  bind_values<GuideAnswer>(module, "GuideAnswer", {"done", "not_following", "moving", "disturbed"});
  py::class_<GuideStart>(module, "GuideStart")
    .def_readonly("answer", &GuideStart::answer)
    .def_readonly("drive", &GuideStart::drive)
    .def_readonly("torque", &GuideStart::torque)
    .def_readonly("limit", &GuideStart::limit)
    .def("__bool__", &GuideStart::done);
  module.def(
    "describe_guide_start",
    [](
      const GuideStart & start, const std::vector<std::string> & joints,
      const std::vector<bool> & sliding) { return describe(start, {joints, sliding}); },
    py::arg("start"), py::arg("joints"), py::arg("sliding"));
  module.attr("TORQUE_RESERVE") = torque_reserve;
  module.def(
    "describe_torque_start",
    [](
      const TorqueStart & start, const std::vector<std::string> & joints,
      const std::vector<bool> & sliding) { return describe(start, {joints, sliding}); },
    py::arg("start"), py::arg("joints"), py::arg("sliding"));
  bind_declared<TorqueLawSettings>(module, "TorqueLawSettings")
    .def_readwrite("law", &TorqueLawSettings::law);
}

}  // namespace

void dynid::bind_torque_law(py::module_ & module)
{
  bind_torque_settings(module);
  const auto copied = py::return_value_policy::copy;  // the law's own change with every cycle
  py::class_<TorqueLaw>(module, "TorqueLaw")
    .def(
      py::init<Eigen::Index, const TorqueLawSettings &>(), py::arg("drives"), py::arg("settings"))
    .def("start", &start_at)
    .def("use", &TorqueLaw::use, py::arg("model").none(true), py::keep_alive<1, 2>())
    .def("update", &update_law, py::arg("reference"), py::arg("feedback"), py::arg("cycles") = 1.0)
    .def("stop", &TorqueLaw::stop)
    .def("guide", &TorqueLaw::guide)
    .def_property_readonly("holding_torque", &TorqueLaw::holding_torque, copied)
    .def_property_readonly("torque_command", &TorqueLaw::torque_command, copied)
    .def_property_readonly("phase", &TorqueLaw::phase)
    .def_property_readonly("stop_failed", &TorqueLaw::stop_failed)
    .def_property_readonly("law", &TorqueLaw::law, py::return_value_policy::reference_internal);
}
