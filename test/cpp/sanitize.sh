#!/bin/sh
# make sanitize: C++ tests under sanitizers, each in a folder of its own below build/sanitize.
# Arguments: folder with cmake and python, parallel jobs, setup.bash of ROS 2 (need not exist), and
# the parts to run, of memory, threads, realtime and plugins; default: all.
# What cannot run here is skipped by name.
set -eu
bin=$1
jobs=$2
ros=$3
shift 3
begin=$(date +%s)

# sanitized FOLDER SANITIZERS TARGETS CMAKE-OPTIONS…: configures and builds
sanitized() {
  folder=build/sanitize/$1
  sanitizers=$2
  targets=$3
  shift 3
  "$bin/cmake" -S . -B "$folder" -G Ninja -DPython3_EXECUTABLE="$PWD/$bin/python" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="-O1 -g1 -D_GLIBCXX_ASSERTIONS" \
    -DDYNID_SANITIZE="$sanitizers" -DDYNID_BUILD_PYTHON=OFF -DDYNID_BUILD_TESTS=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_ament_cmake=ON "$@" >"$folder.log" 2>&1 ||
    { cat "$folder.log"; exit 1; }
  # shellcheck disable=SC2086  several targets
  "$bin/cmake" --build "$folder" --parallel "$jobs" --target $targets
}

took() { echo "sanitize: $1, $(($(date +%s) - begin)) s after the beginning"; }

memory() {
  sanitized memory address,undefined dynid_tests
  "$bin/ctest" --test-dir build/sanitize/memory --output-on-failure --exclude-regex '^fuzz'
  seeds=$(seq "$jobs")
  echo "$seeds" | xargs -P "$jobs" -I SEED sh -c \
    "build/sanitize/memory/fuzz_control_law $((250000 / jobs)) SEED >build/sanitize/fuzz-SEED.txt ||
     { cat build/sanitize/fuzz-SEED.txt; exit 1; }"
  took "memory and undefined behaviour passed"
}

threads() {
  sanitized threads thread "test_model_handover sanitizer_check"
  # ThreadSanitizer supports fewer memory layouts than Linux uses
  setarch "$(uname -m)" -R "$bin/ctest" --test-dir build/sanitize/threads --output-on-failure \
    --tests-regex 'test_model_handover|thread_is_noticed'
  took "threads passed"
}

realtime() {
  for compiler in clang++ clang++-20 clang++-21 clang++-22 clang++-23 clang++-24; do
    if echo 'int main() {}' |
      "$compiler" -fsanitize=realtime -fopenmp -x c++ - -o build/sanitize/has-realtime 2>/dev/null; then
      sanitized realtime realtime dynid_tests -DCMAKE_CXX_COMPILER="$(command -v "$compiler")"
      "$bin/ctest" --test-dir build/sanitize/realtime --output-on-failure
      took "control cycles in real time passed"
      return
    fi
  done
  # pinocchio's CMake package requires OpenMP
  echo "skipped: RealtimeSanitizer, no clang++ from 20 on with its runtime and OpenMP" \
    "(Debian: clang-22 libomp-22-dev)"
}

plugins() {
  if [ ! -f "$ros" ]; then
    echo "skipped: plugins of ros2_control under ThreadSanitizer, no ROS 2 at $ros"
    return
  fi
  # libraries that are not built with it cannot be checked
  options="ignore_noninstrumented_modules=1 halt_on_error=1"
  bash -c '. "$1" && set -e && colcon --log-base build/sanitize/ros-log build --base-paths . \
    --packages-select dynid --build-base build/sanitize/ros --install-base build/sanitize/install \
    --cmake-args -DBUILD_TESTING=ON -DDYNID_SANITIZE=thread -DDYNID_BUILD_PYTHON=OFF \
      -DCMAKE_BUILD_TYPE=RelWithDebInfo &&
    . build/sanitize/install/local_setup.bash &&
    TSAN_OPTIONS="$2" setarch "$(uname -m)" -R ctest --test-dir build/sanitize/ros/dynid \
      --output-on-failure --tests-regex \
      "test_(drive_link|feedforward_controller|injections|simulated_drives|state_publisher)"' \
    plugins "$ros" "$options"
  took "plugins of ros2_control passed"
}

mkdir -p build/sanitize
for part in ${@:-memory threads realtime plugins}; do
  "$part"
done
