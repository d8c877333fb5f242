// An intentional error, of the kind given as argument, that a sanitizer must report. So a missing
// or ineffective sanitizer is not mistaken for one that finds no error.

#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "allocation_counter.hpp"

namespace
{

int outside_of_memory(int at)
{
  const auto values = std::make_unique<int[]>(8);
  return values[static_cast<std::size_t>(at)];
}

int beyond_every_int(int more) { return std::numeric_limits<int>::max() + more; }

int of_two_threads()
{
  int shared = 0;
  const auto work = [&shared] {
    for (int k = 0; k < 100'000; ++k) {
      ++shared;
    }
  };
  std::thread other(work);
  work();
  other.join();
  return shared;
}

int in_a_cycle()
{
  std::vector<int> grown;
  std::ignore = allocations_in([&] { grown.resize(100); });
  return static_cast<int>(grown.size());
}

}  // namespace

int main(int count, char ** arguments)
{
  const std::string kind = count > 1 ? arguments[1] : "";
  volatile int result = 0;
  if (kind == "address") {
    result = outside_of_memory(7 + count);
  } else if (kind == "undefined") {
    result = beyond_every_int(count);
  } else if (kind == "thread") {
    result = of_two_threads();
  } else if (kind == "realtime") {
    result = in_a_cycle();
  }
  std::cout << result << "\n";
  return EXIT_SUCCESS;
}
