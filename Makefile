# make demo [ROBOT=puma560] · make test · make bench · make lint · make clean
# Everything happens in .venv and build/; nothing of the system is changed.

PYTHON ?= python3
JOBS ?= 2
ROBOT ?= puma560
VENV := .venv
BIN := $(VENV)/bin
BUILD := build/editable
# a sourced ROS 2 would put its Python packages before those of .venv; ros-test sources it by itself
unexport PYTHONPATH LD_LIBRARY_PATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH

ROS_DISTRO ?= $(notdir $(patsubst %/setup.bash,%,$(firstword $(wildcard /opt/ros/*/setup.bash))))
ROS_SETUP := /opt/ros/$(ROS_DISTRO)/setup.bash

CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
CPP_CHECKS := $(wildcard test/cpp/*.?pp test/cpp/*/*.?pp benchmarks/*.cpp)
PYTHON_CODE := dynid dynid_ros launch test benchmarks setup.py

.PHONY: demo install test pytest ctest ros-test bench lint lint-python lint-cpp sanitize clean

demo: install
	$(BIN)/dynid demo --robot $(ROBOT)

# --- the environment --------------------------------------------------------------------------
install: $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "make: '$(PYTHON) -m venv' failed:\
	 install the system's package for it (Debian, Ubuntu: apt install python3-venv), or name\
	 another Python >= 3.10 as in 'make PYTHON=python3.12 test'." >&2; exit 1; }

# What builds dynid is installed first, because an editable build is not isolated: so it compiles
# against the very pinocchio that it will run with, and compiles only what changed.
$(VENV)/.tools: $(BIN)/python setup.cfg constraints.txt
	$(BIN)/python -c "import configparser; c = configparser.ConfigParser(); c.read('setup.cfg'); \
	  print(c['options.extras_require']['build'])" > $(VENV)/tools.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -r $(VENV)/tools.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.tools pyproject.toml setup.py CMakeLists.txt $(CPP)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(BIN)/python -m pip install --quiet -c constraints.txt \
	  --no-build-isolation -e '.[ros,view,test,lint]'
	@touch $@

# --- checks -----------------------------------------------------------------------------------
test: install lint pytest ctest ros-test

pytest: install
	$(BIN)/python -m pytest -n $(JOBS)

ctest: install
	$(BIN)/cmake --build $(BUILD) --target dynid_tests --parallel $(JOBS)
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure

# $(call colcon,verb,options)
colcon = colcon --log-base build/colcon-log $(1) --base-paths . --packages-select dynid \
  --build-base build/colcon --install-base build/colcon-install $(2)

ros-test:
	@if [ -n "$(ROS_DISTRO)" ] && [ -f "$(ROS_SETUP)" ]; then \
	  bash -c '. "$(ROS_SETUP)" && set -e; \
	    $(call colcon,build,--cmake-args -DBUILD_TESTING=ON); \
	    $(call colcon,test,--event-handlers console_direct+); \
	    colcon test-result --verbose --test-result-base build/colcon'; \
	else \
	  echo "skipped: colcon build, launch tests and ros2_control plugins, no ROS 2 under\
	 /opt/ros/\$$ROS_DISTRO"; \
	fi

bench: install
	$(BIN)/cmake --build $(BUILD) --target bench_regressor --parallel $(JOBS)
	$(BUILD)/bench_regressor
	@for script in benchmarks/bench_*.py; do \
	  if [ -f "$$script" ]; then $(BIN)/python "$$script" || exit 1; fi; done

lint: lint-python lint-cpp

lint-python: install
	$(BIN)/ruff check $(PYTHON_CODE)
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/mypy

# clang-tidy takes half a minute for a file that sees pinocchio: only files that changed, or whose
# headers did, are looked at again
# the plugins are left to the compiler of ros-test: their headers are not in .venv
TIDY := $(patsubst %.cpp,build/tidy/%.ok,$(filter-out cpp/ros2_control/%,$(filter %.cpp,$(CPP))))

lint-cpp: install $(TIDY)
	$(BIN)/clang-format --dry-run -Werror $(CPP) $(CPP_CHECKS)

build/tidy/%.ok: %.cpp $(filter %.hpp,$(CPP)) .clang-tidy | $(VENV)/.installed
	@mkdir -p $(dir $@)
	$(BIN)/clang-tidy -p $(BUILD) --quiet $<
	@touch $@

# C++ tests and a million control cycles under sanitizers, in build/sanitize; about 10 minutes
sanitize: install
	test/cpp/sanitize.sh $(BIN) $(JOBS) $(ROS_SETUP)

clean:
	rm -rf build $(VENV) *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find dynid -name '_core*.so' -delete
