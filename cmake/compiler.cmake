# How everything of dynid is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# tests and benchmarks side by side, whatever folder they are from
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

if(DYNID_SANITIZE)
  add_compile_options(-fsanitize=${DYNID_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DYNID_SANITIZE})
  if(DYNID_SANITIZE MATCHES undefined)
    # Eigen copies the state of a decomposition that was not computed yet
    add_compile_options(-fno-sanitize=enum)
  endif()
  # Under AddressSanitizer Eigen allocates by itself, and what pinocchio's library has allocated by
  # malloc would be freed in another way.
  add_compile_definitions(EIGEN_MALLOC_ALREADY_ALIGNED=1)
endif()

# Off where single files are worked on.
option(DYNID_UNITY_BUILD "Compile several files of a library at once: most of the time is headers" ON)

# dynid_own_code(target): the warnings that dynid's own code is free of. Include directories of
# imported targets are SYSTEM, so that the warnings of other libraries are not ours.
function(dynid_own_code target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
                      -Wold-style-cast $<$<BOOL:${DYNID_WERROR}>:-Werror>)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL EXECUTABLE)
    set_target_properties(
      ${target} PROPERTIES UNITY_BUILD ${DYNID_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()
