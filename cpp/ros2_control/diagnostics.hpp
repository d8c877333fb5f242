#pragma once

#include <chrono>
#include <diagnostic_msgs/msg/key_value.hpp>
#include <string>

namespace dynid
{

constexpr std::chrono::milliseconds status_period{50};  // between reports of a control cycle
constexpr int ticks_per_second = 20;                    // of that period

/// A row of a diagnostic status.
inline diagnostic_msgs::msg::KeyValue pair(const std::string & key, const std::string & value)
{
  diagnostic_msgs::msg::KeyValue made;
  made.key = key;
  made.value = value;
  return made;
}

}  // namespace dynid
