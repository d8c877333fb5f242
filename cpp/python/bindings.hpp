#pragma once

#include <pybind11/pybind11.h>

namespace dynid
{

/// Adds DrivePlant and its settings to the module.
void bind_drive_plant(pybind11::module_ & module);

/// Adds the control law, its parts and their settings.
void bind_control(pybind11::module_ & module);

}  // namespace dynid
