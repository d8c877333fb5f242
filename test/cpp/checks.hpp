#pragma once

// What the C++ tests share: sentences that hold or fail, and a count of every malloc of the
// thread that runs them, also those of pinocchio and Eigen, which a replaced operator new would
// miss. To be included in one file of each test.

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

extern "C" void * __libc_malloc(std::size_t size);  // NOLINT: glibc names it

namespace
{
thread_local bool counting = false;
thread_local int allocations = 0;
}  // namespace

extern "C" void * malloc(std::size_t size)
{
  if (counting) {
    ++allocations;
  }
  return __libc_malloc(size);
}

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
  allocations = 0;
  counting = true;
  function();
  counting = false;
  expect(allocations == 0, name + " allocates nothing");
}

inline void expect_that_allocations_are_counted()
{
  allocations = 0;
  counting = true;
  std::free(std::malloc(1));
  counting = false;
  expect(allocations > 0, "an allocation is counted");
}

}  // namespace
