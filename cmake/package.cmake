# find_package(dynid) without ROS 2, where ament writes the same.

include(CMakePackageConfigHelpers)
set(DYNID_CMAKE_DIR lib/cmake/dynid)
configure_file(cmake/dynid-dependencies.cmake.in dynid-dependencies.cmake @ONLY)
file(
  WRITE "${PROJECT_BINARY_DIR}/dynidConfig.cmake"
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/dynid-dependencies.cmake\")\n"
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/dynidTargets.cmake\")\n")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/dynidConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/dynidConfig.cmake" "${PROJECT_BINARY_DIR}/dynidConfigVersion.cmake"
        "${PROJECT_BINARY_DIR}/dynid-dependencies.cmake"
  DESTINATION ${DYNID_CMAKE_DIR})
install(
  EXPORT dynid
  NAMESPACE dynid::
  FILE dynidTargets.cmake
  DESTINATION ${DYNID_CMAKE_DIR})
