#include "allocation_counter.hpp"

#include <cstddef>

#ifdef DYNID_SANITIZED

namespace
{

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::nonblocking)
#define DYNID_NONBLOCKING [[clang::nonblocking]]
#endif
#endif
#ifndef DYNID_NONBLOCKING
#define DYNID_NONBLOCKING
#endif

/// RealtimeSanitizer ends the test at the first call in it that allocates, locks or waits.
void run_as_a_cycle(const std::function<void()> & function) noexcept DYNID_NONBLOCKING
{
  function();
}

}  // namespace

bool allocations_are_counted() { return false; }

int allocations_in(const std::function<void()> & function)
{
  run_as_a_cycle(function);
  return 0;
}

#else

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

bool allocations_are_counted() { return true; }

int allocations_in(const std::function<void()> & function)
{
  allocations = 0;
  counting = true;
  function();
  counting = false;
  return allocations;
}

#endif
