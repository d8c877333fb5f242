#pragma once

#include <functional>

/// False under a sanitizer, which has a malloc of its own.
bool allocations_are_counted();

/// How often the function calls malloc in this thread, also in pinocchio and Eigen, which a
/// replaced operator new would miss.
int allocations_in(const std::function<void()> & function);
