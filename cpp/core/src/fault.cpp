#include <array>
#include <cstdio>

#include "dynid/drive_plant.hpp"

namespace dynid
{

std::string describe(const Fault & fault, const std::vector<std::string> & joints)
{
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "at %.3f s of simulated time", fault.time);
  const std::string when = text.data();
  switch (fault.reason) {
    case FaultReason::following_error:
      return "The drive of joint '" + joints.at(static_cast<std::size_t>(fault.drive)) +
             "' lost its target " + when + "; the drives brake and hold.";
    case FaultReason::injected:
      if (fault.drive >= 0) {
        return "A fault of the drive of joint '" +
               joints.at(static_cast<std::size_t>(fault.drive)) + "' was injected " + when +
               "; it brakes and holds.";
      }
      return "A drive fault was injected " + when + "; the drives brake and hold.";
    case FaultReason::no_command:
      return "No torque command arrived for more than ten cycles " + when +
             "; the drives brake and hold.";
    case FaultReason::not_finite:
      return "The simulated motion became infinite " + when + "; the robot was stopped.";
    case FaultReason::none:
      break;
  }
  return {};
}

}  // namespace dynid
