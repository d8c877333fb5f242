#pragma once

// What the C++ tests share: sentences that hold or fail. To be included in one file of each test.

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <tuple>

#include "allocation_counter.hpp"

namespace
{

int failures = 0;

inline void expect(bool condition, const std::string & sentence)
{
  std::cout << (condition ? "ok    " : "FAIL  ") << sentence << "\n";
  failures += condition ? 0 : 1;
}

inline void expect_no_allocation(const std::string & name, const std::function<void()> & function)
{
  if (!allocations_are_counted()) {
    std::ignore = allocations_in(function);  // under the sanitizer's eyes
    std::cout << "skip  " << name << " allocates nothing: malloc is the sanitizer's\n";
    return;
  }
  expect(allocations_in(function) == 0, name + " allocates nothing");
}

inline void expect_that_allocations_are_counted()
{
  if (allocations_are_counted()) {
    const auto allocate = [] {
      void * volatile kept = std::malloc(1);  // or the compiler leaves out both calls
      std::free(kept);
    };
    expect(allocations_in(allocate) > 0, "an allocation is counted");
  }
}

}  // namespace
