// The main function of tests with nodes: apart from nodes of other machines and processes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <rclcpp/rclcpp.hpp>
#include <string>

int main(int count, char ** arguments)
{
  testing::InitGoogleTest(&count, arguments);
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  setenv("ROS_DOMAIN_ID", std::to_string(1 + getpid() % 200).c_str(), 1);
  rclcpp::init(count, arguments);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}
