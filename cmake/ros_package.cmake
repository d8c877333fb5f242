# The ROS 2 package. Included at the top, because ament collects what it exports in variables.

foreach(package dynid dynid_plugins dynid_ros)
  # the entry points of setup.cfg, which ament looks for beside this file
  ament_python_install_package(
    ${package} PACKAGE_DIR "${PROJECT_SOURCE_DIR}/${package}" SETUP_CFG
    "${PROJECT_SOURCE_DIR}/setup.cfg" SCRIPTS_DESTINATION lib/${PROJECT_NAME})
  # which names this file, and setuptools warns where it is not beside it
  configure_file(
    "${PROJECT_SOURCE_DIR}/README.md"
    "${CMAKE_CURRENT_BINARY_DIR}/ament_cmake_python/${package}/README.md" COPYONLY)
endforeach()
if(DYNID_BUILD_PYTHON)
  # pinocchio may come from a prefix that no environment variable names
  set_target_properties(dynid_python PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS dynid_python DESTINATION "${PYTHON_INSTALL_DIR}/dynid")
endif()
install(DIRECTORY config urdf launch rviz DESTINATION share/dynid)

# The command line is on the path where setup.bash of the workspace is sourced; ros2 run starts nodes.
install(
  CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../lib/${PROJECT_NAME}/dynid \"\${folder}/dynid\" SYMBOLIC)")

# Virtual environments on PYTHONPATH during the build (docs/ros2.md) are on it wherever setup.bash of
# the workspace is sourced.
string(REPLACE ":" ";" DYNID_PYTHONPATH "$ENV{PYTHONPATH}")
list(REVERSE DYNID_PYTHONPATH) # each is put before the others
set(DYNID_HOOK "")
foreach(folder ${DYNID_PYTHONPATH})
  if(folder MATCHES "^(/.+)/lib/python[0-9.]+/site-packages$")
    set(environment "${CMAKE_MATCH_1}")
    if(EXISTS "${environment}/pyvenv.cfg" AND NOT environment IN_LIST DYNID_PREFIXES)
      string(APPEND DYNID_HOOK "prepend-non-duplicate;PYTHONPATH;${folder}\n")
    endif()
  endif()
endforeach()
if(DYNID_HOOK)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/virtual_environment.dsv" "${DYNID_HOOK}")
  ament_environment_hooks("${CMAKE_CURRENT_BINARY_DIR}/virtual_environment.dsv")
endif()

if(DYNID_ROS2_CONTROL)
  pluginlib_export_plugin_description_file(
    hardware_interface cpp/ros2_control/simulated_drives.xml)
  pluginlib_export_plugin_description_file(
    controller_interface cpp/ros2_control/feedforward_controller.xml)
endif()

if(inverse_dynamics_solver_FOUND)
  pluginlib_export_plugin_description_file(
    inverse_dynamics_solver cpp/inverse_dynamics_solver/identified_solver.xml)
endif()

if(BUILD_TESTING)
  # ament's only linter of what ruff, mypy and clang-format do not check; the wheels have none
  find_package(ament_cmake_lint_cmake QUIET)
  if(ament_cmake_lint_cmake_FOUND)
    ament_lint_cmake(CMakeLists.txt benchmarks cmake cpp examples interfaces test)
  else()
    message(STATUS "dynid: no ament_cmake_lint_cmake here, so CMake's files are not checked")
  endif()
  find_package(launch_testing_ament_cmake QUIET)
  if(launch_testing_ament_cmake_FOUND)
    file(GLOB DYNID_LAUNCH_TESTS CONFIGURE_DEPENDS test/launch/test_*.py)
    foreach(package ethercat_driver fake_ethercat_bus) # docs/drives.md
      ament_index_has_resource(found packages ${package})
      if(NOT found)
        message(STATUS "dynid: no ${package} here, so the launch test of EtherCAT is skipped")
        list(FILTER DYNID_LAUNCH_TESTS EXCLUDE REGEX test_ethercat)
      endif()
    endforeach()
    # the paths of docs/ros2.md; the others have the label of Python's tests that take long
    set(DYNID_EVERYDAY_LAUNCH_TESTS test_arguments test_collision test_control test_identify)
    foreach(file ${DYNID_LAUNCH_TESTS})
      cmake_path(GET file STEM test)
      add_launch_test(
        ${file} TARGET launch_${test} TIMEOUT 1800
        APPEND_ENV PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/test/launch)
      if(NOT test IN_LIST DYNID_EVERYDAY_LAUNCH_TESTS)
        set_property(TEST launch_${test} APPEND PROPERTY LABELS thorough)
      endif()
    endforeach()
  else()
    message(STATUS "dynid: no launch_testing here, so launch tests are skipped")
  endif()
endif()

ament_export_targets(dynid HAS_LIBRARY_TARGET)
ament_package(CONFIG_EXTRAS "${PROJECT_SOURCE_DIR}/cmake/dynid-dependencies.cmake.in")
