// dynid._core: the control law for Python; documentation and checks are in dynid/control.

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "declared.hpp"
#include "drive_vectors.hpp"
#include "dynid/control_report.hpp"
#include "dynid/link_feedback.hpp"
#include "dynid/momentum_observer.hpp"
#include "rows.hpp"

namespace py = pybind11;

namespace
{

using dynid::Array;
using dynid::put;
using dynid::Rows;
using Vector = Eigen::VectorXd;

Array run_feedforward(
  dynid::Feedforward & feedforward, const Array & q, const Array & dq, const Array & ddq)
{
  const auto n = feedforward.torque_offset().size();
  const Rows rows(n, {&q, &dq, &ddq});
  Array out({rows.count(), n});
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    put(out, k, feedforward.update(rows(0, k), rows(1, k), rows(2, k)));
  }
  return out;
}

/// Returns every collision; the detector is reset after each.
py::tuple run_detector(
  dynid::CollisionDetector & detector, const Array & error, const Array & torque,
  const Array & velocity, const Array & acceleration, const Array & friction)
{
  const auto n = detector.threshold().size();
  const Rows rows(n, {&error, &torque, &velocity, &acceleration, &friction});
  Array filtered({rows.count(), n});
  Array threshold({rows.count(), n});
  std::vector<dynid::Collision> collisions;
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    detector.set_friction(rows(4, k));
    const auto level = detector.update(rows(0, k), rows(1, k), rows(2, k), rows(3, k));
    put(filtered, k, detector.filtered_error());
    put(threshold, k, detector.threshold());
    if (level == dynid::CollisionLevel::stop) {
      collisions.push_back(detector.collision());
      detector.reset();
    }
  }
  return py::make_tuple(filtered, threshold, collisions);
}

Array control_torque(
  dynid::ControlModel & model, const Array & q, const Array & dq, const Array & ddq)
{
  const auto n = model.joint_count();
  const Rows rows(n, {&q, &dq, &ddq});
  Array out({rows.count(), n});
  Vector tau(n);
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    model.torque(dynid::FeedforwardMode::full, rows(0, k), rows(1, k), rows(2, k), tau);
    put(out, k, tau);
  }
  return out;
}

/// The torque of a motion, and the largest dry friction in it.
py::tuple torque_and_friction(
  dynid::ControlModel & model, const Array & q, const Array & dq, const Array & ddq)
{
  const auto n = model.joint_count();
  const Rows rows(n, {&q, &dq, &ddq});
  Array out({rows.count(), n});
  Array friction({rows.count(), n});
  Vector tau(n);
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    model.torque(dynid::FeedforwardMode::full, rows(0, k), rows(1, k), rows(2, k), tau);
    put(out, k, tau);
    model.dry_friction(tau);
    put(friction, k, tau);
  }
  return py::make_tuple(out, friction);
}

Array observe(
  dynid::ControlModel & model, const Array & q, const Array & dq, const Array & tau, double gain,
  double control_rate)
{
  const auto n = model.joint_count();
  const Rows rows(n, {&q, &dq, &tau});
  dynid::MomentumObserver observer(n, gain, control_rate);
  Array out({rows.count(), n});
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    put(out, k, observer.update(model, rows(0, k), rows(1, k), rows(2, k)));
  }
  return out;
}

/// The torque in gears from both encoders, and elsewhere 0 (N, n).
Array gear_torque(
  const dynid::ElasticSettings & settings, const Array & position, const Array & link_position,
  double control_rate)
{
  const auto n = settings.link_torque.size();
  settings.check(n);
  const Rows rows(n, {&position, &link_position});
  dynid::LinkFeedback links(n, settings, control_rate);
  dynid::Feedback feedback{Vector::Zero(n), Vector::Zero(n), Vector::Zero(n)};
  Array out({rows.count(), n});
  for (Eigen::Index k = 0; k < rows.count(); ++k) {
    feedback.position = rows(0, k);
    feedback.link_position = rows(1, k);
    put(out, k, links.update(feedback, 1.0).torque);
  }
  return out;
}

void set_collision(dynid::ControlLaw & law, const dynid::CollisionSettings & settings)
{
  settings.check(law.joint_count());
  law.set_collision(settings);
}

/// Sets the payload of a ControlLaw or a ControlModel.
template <typename Loaded>
void set_payload(
  Loaded & loaded, double mass, const Eigen::Vector3d & centre, const Eigen::Matrix3d & inertia)
{
  const dynid::Payload payload{mass, centre, inertia};
  payload.check();
  loaded.set_payload(payload);
}

void update(
  dynid::ControlLaw & law, const dynid::Reference & reference, const dynid::Feedback & feedback,
  double cycles, std::optional<int> drive_cycles)
{
  dynid::check_drives(law.joint_count(), reference, feedback);
  law.update(reference, feedback, cycles, drive_cycles);
}

std::string describe_blindness(
  const dynid::ControlLaw & law, const std::vector<std::string> & joints)
{
  return dynid::describe(law.supervision().warned(), {joints, {}});
}

void bind_settings(py::module_ & module)
{
  using namespace dynid;
  py::class_<Setting>(module, "Setting")
    .def_readonly("group", &Setting::group)
    .def_readonly("otherwise", &Setting::otherwise)
    .def_readonly("is_switch", &Setting::is_switch)
    .def_readonly("may_be_empty", &Setting::may_be_empty);
  bind_declared<FeedforwardSettings>(module, "FeedforwardSettings")
    .def_readwrite("control_rate", &FeedforwardSettings::control_rate);
  bind_declared<CollisionSettings>(module, "CollisionSettings")
    .def_readwrite("control_rate", &CollisionSettings::control_rate);
  bind_declared<CommandLimits>(module, "CommandLimits");
  bind_declared<SupervisionSettings>(module, "SupervisionSettings");
  bind_declared<ModelMonitorSettings>(module, "ModelMonitorSettings");
  bind_declared<StictionSettings>(module, "StictionSettings");
  bind_declared<ElasticSettings>(module, "ElasticSettings")
    .def_property_readonly("delay", &ElasticSettings::delay);
  bind_declared<declared::TorqueShare>(module, "TorqueShare");
  bind_declared<declared::ModelSettings>(module, "ModelSettings");
  bind_declared<ControlLawSettings>(module, "ControlLawSettings")
    .def_readwrite("feedforward", &ControlLawSettings::feedforward)
    .def_readwrite("collision", &ControlLawSettings::collision)
    .def_readwrite("limits", &ControlLawSettings::limits)
    .def_readwrite("supervision", &ControlLawSettings::supervision)
    .def_readwrite("stiction", &ControlLawSettings::stiction)
    .def_readwrite("elastic", &ControlLawSettings::elastic)
    .def_readwrite("model_monitor", &ControlLawSettings::model_monitor);
}

void bind_states(py::module_ & module)
{
  using namespace dynid;
  bind_values<LawState>(module, "LawState", {"following", "waiting", "stopping", "stopped"});
  bind_values<BlindReason>(
    module, "BlindReason",
    {"none", "off", "guided", "no_model", "model_torque", "bad_sample", "suspended", "settling",
     "constant_torque"});
}

void bind_enums(py::module_ & module)
{
  using namespace dynid;
  bind_choices<FeedforwardMode>(module, "FeedforwardMode");
  bind_values<InactiveReason>(
    module, "InactiveReason",
    {"none", "no_model", "not_finite", "unreachable", "command_jump", "acceleration",
     "reference_away", "position_limit", "too_fast", "uneven", "latched", "guided", "model_wrong"});
  bind_values<CollisionLevel>(module, "CollisionLevel", {"none", "warn", "stop"});
  bind_choices<CollisionCause>(module, "CollisionCause");
  bind_choices<CollisionReaction>(module, "CollisionReaction");
  bind_choices<DetectionMethod>(module, "DetectionMethod");
  bind_values<ResetAnswer>(
    module, "ResetAnswer", {"done", "nothing_latched", "moving", "reference_away"});
}

void bind_law(py::module_ & module)
{
  using dynid::ControlLaw;
  using dynid::Feedback;
  using dynid::Reference;
  py::class_<Reference>(module, "Reference")
    .def(
      py::init<Vector, Vector, Vector>(), py::arg("position"), py::arg("velocity"),
      py::arg("acceleration"))
    .def_readwrite("position", &Reference::position)
    .def_readwrite("velocity", &Reference::velocity)
    .def_readwrite("acceleration", &Reference::acceleration);
  py::class_<Feedback>(module, "Feedback")
    .def(
      py::init<Vector, Vector, Vector>(), py::arg("position"), py::arg("velocity"),
      py::arg("torque"))
    .def_readwrite("position", &Feedback::position)
    .def_readwrite("velocity", &Feedback::velocity)
    .def_readwrite("torque", &Feedback::torque)
    .def_readwrite("link_position", &Feedback::link_position)
    .def_readwrite("link_torque", &Feedback::link_torque);

  const auto copied = py::return_value_policy::copy;  // the law's own change with every cycle
  py::class_<dynid::ResetReport>(module, "ResetReport")
    .def_readonly("answer", &dynid::ResetReport::answer)
    .def_readonly("drive", &dynid::ResetReport::drive)
    .def_readonly("distance", &dynid::ResetReport::distance);
  py::class_<ControlLaw>(module, "ControlLaw")
    .def(
      py::init<Eigen::Index, const dynid::ControlLawSettings &>(), py::arg("drives"),
      py::arg("settings"))
    .def("start", &ControlLaw::start)
    .def("use", &ControlLaw::use, py::arg("model").none(true), py::keep_alive<1, 2>())
    .def(
      "set_payload", &set_payload<ControlLaw>, py::arg("mass"), py::arg("centre"),
      py::arg("inertia"))
    .def("set_collision", &set_collision, py::arg("settings"))
    .def("set_gain", &ControlLaw::set_gain)
    .def("set_mode", &ControlLaw::set_mode)
    .def(
      "update", &update, py::arg("reference"), py::arg("feedback"), py::arg("cycles") = 1.0,
      py::arg("drive_cycles") = py::none())
    .def("reset", &ControlLaw::reset)
    .def_property_readonly("position_command", &ControlLaw::position_command, copied)
    .def_property_readonly("torque_offset", &ControlLaw::torque_offset, copied)
    .def_property_readonly("torque_error", &ControlLaw::torque_error, copied)
    .def_property_readonly("detector", &ControlLaw::detector)
    .def_property_readonly("inactive_reason", &ControlLaw::inactive_reason)
    .def_property_readonly("gain", &ControlLaw::gain)
    .def_property_readonly("state", &ControlLaw::state)
    .def_property_readonly("latched", &ControlLaw::latched)
    .def_property_readonly(
      "blind_time", [](const ControlLaw & law) { return law.supervision().blind_time(); })
    .def("describe_blindness", &describe_blindness, py::arg("joints"))
    .def_property_readonly("limited_drive", &ControlLaw::limited_drive)
    .def_property_readonly("supervised", &ControlLaw::supervised, copied);
}

void bind_sentences(py::module_ & module)
{
  using Names = std::vector<std::string>;
  using Sliding = std::vector<bool>;
  module.def(
    "describe_collision",
    [](
      const dynid::Collision & collision, const Names & joints, const Sliding & sliding,
      const std::string & until) { return dynid::describe(collision, {joints, sliding}, until); },
    py::arg("collision"), py::arg("joints"), py::arg("sliding"), py::arg("until") = "~/reset");
  module.def(
    "describe_warning",
    [](const dynid::Collision & warning, const Names & joints) {
      return dynid::describe_warning(warning, {joints, {}});
    },
    py::arg("warning"), py::arg("joints"));
  module.def(
    "describe_reset",
    [](const dynid::ResetReport & report, const Names & joints, const Sliding & sliding) {
      return dynid::describe(report, {joints, sliding});
    },
    py::arg("report"), py::arg("joints"), py::arg("sliding"));
  module.def(
    "describe_supervision",
    [](const Vector & supervised, const Names & joints) {
      return dynid::describe_supervision(supervised, {joints, {}});
    },
    py::arg("supervised"), py::arg("joints"));
  module.def(
    "describe_inactive_reason",
    [](dynid::InactiveReason reason, int limited_drive, const Names & joints) {
      return dynid::describe(reason, limited_drive, {joints, {}});
    },
    py::arg("reason"), py::arg("limited_drive") = -1, py::arg("joints") = Names());
}

}  // namespace

void dynid::bind_control(py::module_ & module)
{
  bind_states(module);
  bind_enums(module);
  bind_settings(module);

  py::class_<ControlModel>(module, "ControlModel")
    .def(
      py::init<const MechanismDescription &, const Vector &, const Vector &, bool>(),
      py::arg("description"), py::arg("parameters"), py::arg("smoothing"), py::arg("motor_side"))
    .def("torque", &control_torque)
    .def("torque_and_friction", &torque_and_friction)
    .def(
      "set_payload", &set_payload<ControlModel>, py::arg("mass"), py::arg("centre"),
      py::arg("inertia"))
    .def("set_error", &ControlModel::set_error, py::arg("rmse"))
    .def("observe", &observe);

  py::class_<Feedforward>(module, "Feedforward")
    .def(
      py::init<Eigen::Index, const FeedforwardSettings &>(), py::arg("drives"), py::arg("settings"))
    .def("use", &Feedforward::use, py::arg("model").none(true), py::keep_alive<1, 2>())
    .def("set_gain", &Feedforward::set_gain)
    .def("set_mode", &Feedforward::set_mode)
    .def("run", &run_feedforward)
    .def_property_readonly("inactive_reason", &Feedforward::inactive_reason);

  const auto copied = py::return_value_policy::copy;
  py::class_<Collision>(module, "Collision")
    .def_readonly("cause", &Collision::cause)
    .def_readonly("drive", &Collision::drive)
    .def_readonly("value", &Collision::value)
    .def_readonly("threshold", &Collision::threshold)
    .def_readonly("cycle", &Collision::cycle);
  py::class_<CollisionDetector>(module, "CollisionDetector")
    .def(
      py::init<Eigen::Index, const CollisionSettings &>(), py::arg("drives"), py::arg("settings"))
    .def("run", &run_detector)
    .def_property_readonly("level", &CollisionDetector::level)
    .def_property_readonly("collision", &CollisionDetector::collision, copied)
    .def_property_readonly("warning", &CollisionDetector::warning, copied)
    .def_property_readonly("filtered_error", &CollisionDetector::filtered_error, copied)
    .def_property_readonly("threshold", &CollisionDetector::threshold, copied);

  bind_law(module);
  module.def(
    "gear_torque", &gear_torque, py::arg("settings"), py::arg("position"), py::arg("link_position"),
    py::arg("control_rate"));
  bind_sentences(module);
}
