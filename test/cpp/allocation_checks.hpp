#pragma once

// Checks that the functions of a control cycle do not allocate, for GoogleTest.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "allocation_counter.hpp"

namespace
{

/// Under a sanitizer, which has a malloc of its own, the function only runs.
inline void expect_no_allocation(const char * name, const std::function<void()> & function)
{
  const int allocations = allocations_in(function);
  if (allocations_are_counted()) {
    EXPECT_EQ(allocations, 0) << name << " allocates";
  }
}

/// Otherwise all of these tests would pass.
TEST(AllocationCounter, CountsAnAllocation)
{
  if (!allocations_are_counted()) {
    GTEST_SKIP() << "malloc is the sanitizer's";
  }
  // by a volatile pointer, because the compiler may remove a direct call of malloc
  void * (*volatile allocate)(std::size_t) = std::malloc;
  void * kept = nullptr;
  EXPECT_EQ(allocations_in([&] { kept = allocate(1); }), 1);
  std::free(kept);
}

}  // namespace
