#pragma once

#include <pybind11/pybind11.h>

namespace dynid
{

/// Adds joint terms and the table of their kinds.
void bind_joint_terms(pybind11::module_ & module);

/// Adds DrivePlant and its settings to the module.
void bind_drive_plant(pybind11::module_ & module);

/// Adds the control law, its parts and their settings.
void bind_control(pybind11::module_ & module);

/// Adds the control law of torque-controlled robots, after bind_control().
void bind_torque_law(pybind11::module_ & module);

/// Adds updates of the model of a running control law, after bind_control().
void bind_model_updates(pybind11::module_ & module);

/// Adds the estimation of external torque and wrenches, after bind_control().
void bind_external_wrench(pybind11::module_ & module);

/// Adds the seal of a model.yaml, and the controller's reading of one.
void bind_stored_model(pybind11::module_ & module);

}  // namespace dynid
