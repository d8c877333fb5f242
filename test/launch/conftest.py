"""pytest leaves this folder to launch_testing, which colcon test runs; see CMakeLists.txt."""

collect_ignore_glob = ["*.py"]
