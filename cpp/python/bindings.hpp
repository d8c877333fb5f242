#pragma once

#include <pybind11/pybind11.h>

namespace dynid
{

/// Adds DrivePlant and its settings to the module.
void bind_drive_plant(pybind11::module_ & module);

}  // namespace dynid
