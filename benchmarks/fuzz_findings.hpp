#pragma once

// What the fuzz of the control law counts: violations, and how often it came to what it checks.

#include <map>
#include <string>
#include <vector>

namespace fuzz
{

/// What a law makes of a push of three times the threshold on a drive.
enum class Answer
{
  found,    ///< it stopped the robot
  stopped,  ///< the robot was stopped already, or for another reason
  said,     ///< it says that it does not evaluate the drive
  open,     ///< no push can be asked about: no finite threshold, or it would take too long
  missed
};

/// Of one mode.
struct Findings
{
  std::map<std::string, long> violations;
  std::map<std::string, long> events;
  std::map<Answer, long> answers;
  std::vector<float> times;  ///< of update() [ns]
  long cycles = 0;
  long steps = 0;      ///< other than 0, of all drives
  long evaluated = 0;  ///< cycles of all drives in which their torque was
  long stopping = 0;   ///< cycles of damped stops whose speed was compared
  long blind = 0;      ///< and those in which the law said that it was not

  /// Counts a violation where `correct` is false; the first of its kind is printed with what runs.
  void expect(bool correct, const char * violation);
  void count(const std::string & event) { ++events[event]; }
  [[nodiscard]] long bad() const;
  void print(const std::string & mode);

  std::string running;  ///< which robot of which seed
};

/// Processor time of this thread [ns].
[[nodiscard]] double thread_time();

}  // namespace fuzz
