#include "fuzz_findings.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <numeric>

namespace fuzz
{
namespace
{

void line(const std::string & name, long count)
{
  std::cout << std::setw(12) << count << "  " << name << "\n";
}

double quantile(std::vector<float> & values, double share)
{
  const auto at =
    values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Processor time of update(), without the clock's own.
void print_times(std::vector<float> & times)
{
  std::vector<float> clock(10'000);
  for (float & time : clock) {
    const double before = thread_time();
    time = static_cast<float>(thread_time() - before);
  }
  const double own = quantile(clock, 0.5);
  std::cout << std::fixed << std::setprecision(0) << "update(), thread CPU time [ns], without the "
            << "clock's own " << own << ":";
  for (const double share : {0.5, 0.99, 0.999, 1.0}) {
    std::cout << std::setprecision(1) << "  p" << 100.0 * share << " " << std::setprecision(0)
              << quantile(times, share) - own;
  }
  std::cout << "\n";
}

}  // namespace

double thread_time()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

void Findings::expect(bool correct, const char * violation)
{
  if (correct) {
    return;
  }
  if (++violations[violation] == 1) {
    std::cout << "first of '" << violation << "': " << running << ", cycle " << cycles << "\n";
  }
}

long Findings::bad() const
{
  return std::accumulate(violations.begin(), violations.end(), 0L, [](long sum, const auto & one) {
    return sum + one.second;
  });
}

void Findings::print(const std::string & mode)
{
  constexpr std::array<const char *, 5> names{
    "found", "stopped before", "said to be blind", "not to be asked about", "missed"};
  std::cout << mode << ": " << cycles << " cycles, " << bad() << " violations\n";
  for (const auto & [name, count] : violations) {
    line("violations: " + name, count);
  }
  line("steps of a drive other than 0", steps);
  line("cycles of a drive that were evaluated", evaluated);
  line("cycles of a drive that were said not to be", blind);
  line("cycles of damped stops whose speed was compared", stopping);
  for (const auto & [answer, count] : answers) {
    line(std::string("pushes ") + names.at(static_cast<std::size_t>(answer)), count);
  }
  for (const auto & [name, count] : events) {
    line(name, count);
  }
  if (!times.empty()) {
    print_times(times);
  }
}

}  // namespace fuzz
