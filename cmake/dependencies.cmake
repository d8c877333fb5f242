# Where the libraries are that dynid needs.

# pinocchio's configuration looks for Boost the old way
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 OLD)
endif()
set(Boost_NO_WARN_NEW_VERSIONS ON) # newer than this CMake, as that of pinocchio's wheels

# ROS 2, where it is sourced. Without it the core and the Python module are built all the same.
find_package(ament_cmake QUIET)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Pinocchio from the environment (ROS 2, a distribution, a prefix of one's own) goes first; then
# from the wheels of the Python environment, which share one prefix called cmeel.prefix.
find_package(pinocchio QUIET)
if(NOT pinocchio_FOUND)
  execute_process(
    COMMAND
      "${Python3_EXECUTABLE}" -c
      "import os, sys; print(';'.join(p for e in sys.path if os.path.isdir(p := os.path.join(e, 'cmeel.prefix'))))"
    OUTPUT_VARIABLE DYNID_CMEEL_PREFIXES
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(PREPEND CMAKE_PREFIX_PATH ${DYNID_CMEEL_PREFIXES})
  find_package(pinocchio REQUIRED)
endif()
message(STATUS "dynid: pinocchio ${pinocchio_VERSION} in ${pinocchio_DIR}")
get_filename_component(DYNID_PINOCCHIO_PREFIX "${pinocchio_DIR}/../../.." ABSOLUTE)

# ros2_control, for the plugins
if(ament_cmake_FOUND)
  find_package(ament_cmake_python REQUIRED)
  find_package(rosidl_default_generators QUIET)
  if(NOT rosidl_default_generators_FOUND)
    message(STATUS "dynid: no rosidl here, so the actions are not built")
  endif()
  string(REPLACE ":" ";" DYNID_PREFIXES "$ENV{AMENT_PREFIX_PATH}")
  foreach(prefix ${DYNID_PREFIXES})
    if(EXISTS "${prefix}/share/dynid_interfaces/built_apart")
      set(DYNID_INTERFACES_APART ON)
      message(STATUS "dynid: the actions are those of dynid_interfaces in ${prefix}")
    endif()
  endforeach()
  find_package(hardware_interface QUIET)
  find_package(pluginlib QUIET)
  if(hardware_interface_FOUND AND pluginlib_FOUND)
    set(DYNID_ROS2_CONTROL ON)
    foreach(
      package
      controller_interface
      diagnostic_msgs
      generate_parameter_library
      geometry_msgs
      rclcpp
      realtime_tools
      sensor_msgs
      std_msgs
      std_srvs
      trajectory_msgs)
      find_package(${package} REQUIRED)
    endforeach()
  else()
    message(STATUS "dynid: no ros2_control here, so its plugins are not built")
  endif()
  find_package(inverse_dynamics_solver QUIET)
  if(inverse_dynamics_solver_FOUND)
    find_package(pluginlib REQUIRED)
    find_package(rclcpp REQUIRED)
  else()
    message(STATUS "dynid: no inverse_dynamics_solver here, so its plugin is not built")
  endif()
endif()

# GoogleTest, for the C++ tests: as ROS 2 ships it, in sources, which the wheel in the Python
# environment has too (ROS 2 from wheels has none, and takes that of 'make install'); or built. Some
# of those wheels, as those for CPython 3.10 and 3.13, have its CMake files without the sources.
if(DYNID_BUILD_TESTS OR BUILD_TESTING)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.prefix)"
    OUTPUT_VARIABLE DYNID_PYTHON_PREFIX
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_package(gtest_vendor QUIET HINTS "${DYNID_PYTHON_PREFIX}" "${PROJECT_SOURCE_DIR}/.venv")
  if(gtest_vendor_FOUND AND NOT EXISTS "${gtest_vendor_BASE_DIR}/src/gtest-all.cc")
    message(STATUS "dynid: ${gtest_vendor_DIR} has no sources of GoogleTest")
    set(gtest_vendor_FOUND FALSE)
  endif()
  if(NOT gtest_vendor_FOUND)
    find_package(GTest QUIET)
  endif()
  if(gtest_vendor_FOUND OR GTest_FOUND)
    set(DYNID_TESTS ON)
  else()
    message(STATUS "dynid: no GoogleTest here, so the C++ tests are skipped")
    add_custom_target(
      dynid_tests COMMAND ${CMAKE_COMMAND} -E echo "skipped: C++ tests, no GoogleTest here")
  endif()
endif()
