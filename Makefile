# make demo [ROBOT=puma560] · make test · make test-all · make docs · make bench · make lint · make clean
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
CPP_CHECKS := $(wildcard test/cpp/*.?pp test/cpp/*/*.?pp benchmarks/*.cpp examples/cpp/*.cpp)
CMAKE_FILES := CMakeLists.txt $(wildcard cmake/* */CMakeLists.txt */*/CMakeLists.txt)
PYTHON_CODE := dynid dynid_plugins dynid_ros launch test benchmarks setup.py interfaces/setup.py \
  docs/conf.py docs/dynid_docs
INTERFACES := $(wildcard interfaces/action/* interfaces/msg/* interfaces/*.py interfaces/*.toml)

.PHONY: demo install test test-all pytest ctest ros-test bench bench-full fuzz sanitize mutants coverage \
  lint lint-python lint-cpp format-cpp docs docs-links release-check wheel-check clean

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
	  extras = c['options.extras_require']; \
	  print(extras['build'], extras['cpp-test'])" > $(VENV)/tools.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -r $(VENV)/tools.txt
	@touch $@

# Actions and messages are generated and compiled with the wheels of ROS 2, where these exist.
$(VENV)/.installed: $(VENV)/.tools pyproject.toml setup.py $(CMAKE_FILES) $(CPP) $(INTERFACES)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(BIN)/python -m pip install --quiet -c constraints.txt \
	  --no-build-isolation -e '.[ros,view,test,lint]'
	@if $(BIN)/python -c "import rosidl_generator_py" 2> /dev/null; then \
	  $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation ./interfaces; \
	else echo "skipped: actions and typed messages, no wheels of ROS 2 here"; fi
	@touch $@

# --- checks -----------------------------------------------------------------------------------
# lint and docs side by side: most of their programs use one processor. With ROS 2 its build runs
# the C++ tests too
CPP_TESTS := $(if $(wildcard $(ROS_SETUP)),ros-test,ctest ros-test)
test: install $(VENV)/.docs
	$(MAKE) --jobs=$(JOBS) lint-python format-cpp docs
	$(MAKE) pytest $(CPP_TESTS)

# and clang-tidy, which takes minutes, and the tests that are marked as thorough
test-all: install $(VENV)/.docs
	$(MAKE) --jobs=$(JOBS) lint docs
	$(MAKE) TESTS=all pytest ctest ros-test

# a file's tests in one process, which makes what they share once
TESTS ?=
pytest: install
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder \
	  $(if $(TESTS),-m "" --hypothesis-profile dynid)

ctest: install
	$(BIN)/cmake --build $(BUILD) --target dynid_tests --parallel $(JOBS)
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

# $(call colcon,verb,options)
colcon = colcon --log-base build/colcon-log $(1) --base-paths . --packages-select dynid \
  --build-base build/colcon --install-base build/colcon-install $(2)

ros-test:
	@if [ -n "$(ROS_DISTRO)" ] && [ -f "$(ROS_SETUP)" ]; then \
	  bash -c '. "$(ROS_SETUP)" && set -e; \
	    $(call colcon,build,--cmake-args -DBUILD_TESTING=ON); \
	    $(call colcon,test,--event-handlers console_direct+ \
	      $(if $(TESTS),,--ctest-args -LE thorough)); \
	    colcon test-result --verbose --test-result-base build/colcon'; \
	else \
	  echo "skipped: colcon build, launch tests and ros2_control plugins, no ROS 2 under\
	 /opt/ros/\$$ROS_DISTRO"; \
	fi

# Together about a quarter of an hour, without recordings of real robots.
BENCH := closed_chain derivatives identification memory microcontroller model_code reading \
  recorder report yumi
# The others. Every bench_*.py is in one of the two lists.
BENCH_FULL := bias collisions_ur10e estimators friction online real_data sice unsigned

bench: install
	$(BIN)/cmake --build $(BUILD) --target bench_regressor --parallel $(JOBS)
	$(BUILD)/bench_regressor
	@for name in $(BENCH); do $(BIN)/python "benchmarks/bench_$$name.py" || exit 1; done

bench-full: install
	@for name in $(BENCH_FULL); do $(BIN)/python "benchmarks/bench_$$name.py" || exit 1; done

# AREA=signals, or another of the areas that `python -m mutation --help` lists; default: all
COUNT ?= 100
SEED ?= 1
AGAIN ?=
mutants: install
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=.:test $(BIN)/python -m mutation --count $(COUNT) \
	  --seed $(SEED) --jobs $(JOBS) $(addprefix --area ,$(AREA)) $(if $(AGAIN),--again)

# COVERED=test/unit/signals: by these tests alone
COVERED ?= test
coverage: install
	rm -rf build/coverage
	$(BIN)/coverage run -m pytest -n $(JOBS) -m "" $(COVERED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet -o build/coverage/coverage.json
	$(BIN)/python benchmarks/coverage_table.py build/coverage/coverage.json

lint: lint-python lint-cpp

lint-python: install
	$(BIN)/ruff check $(PYTHON_CODE)
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/mypy

# clang-tidy takes half a minute for a file that sees pinocchio: only files that changed, or whose
# headers did, are checked again
# the plugins are left to the compiler of ros-test: their headers are not in .venv
PLUGINS := cpp/ros2_control/% cpp/inverse_dynamics_solver/%
TIDY := $(patsubst %.cpp,build/tidy/%.ok,$(filter-out $(PLUGINS),$(filter %.cpp,$(CPP))))

lint-cpp: format-cpp $(TIDY)

format-cpp: install
	$(BIN)/clang-format --dry-run -Werror $(CPP) $(CPP_CHECKS)

build/tidy/%.ok: %.cpp $(filter %.hpp,$(CPP)) .clang-tidy | $(VENV)/.installed
	@mkdir -p $(dir $@)
	$(BIN)/clang-tidy -p $(BUILD) --quiet $<
	@touch $@

# --- documentation ----------------------------------------------------------------------------
# what setup.cfg lists for an extra, installed without dynid itself
$(VENV)/.docs: $(VENV)/.installed setup.cfg constraints.txt
	$(BIN)/python -c "import configparser; c = configparser.ConfigParser(); c.read('setup.cfg'); \
	  print(c['options.extras_require']['docs'])" > $(VENV)/docs.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -r $(VENV)/docs.txt
	@touch $@

# the site in build/docs: its tables first, then pages, of which a warning is an error, then links
docs: $(VENV)/.docs
	PYTHONPATH=docs $(BIN)/python -m dynid_docs.parameter_tables
	rm -rf build/docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs
	PYTHONPATH=docs $(BIN)/python -m dynid_docs.check_links build/docs

# links to other sites; needs the network
docs-links: $(VENV)/.docs
	$(BIN)/sphinx-build -b linkcheck --quiet docs build/docs-links

# what a release states about itself; TAG=vX.Y.Z
TAG ?=
release-check:
	PYTHONPATH=docs $(PYTHON) -m dynid_docs.release_check $(addprefix --tag ,$(TAG))

# the wheel of PYTHON as a user gets it, built and tried in temporary folders: minutes of compiling.
# WHEEL=FILE: of one that is built; WHEELS=FOLDER: where the tagged wheel and the sdist go
WHEEL ?=
WHEELS ?=
wheel-check: $(BIN)/python
	$(BIN)/python -c "import configparser; c = configparser.ConfigParser(); c.read('setup.cfg'); \
	  print(c['options.extras_require']['wheel'])" > $(VENV)/wheel.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -r $(VENV)/wheel.txt
	PYTHONPATH=test $(BIN)/python -m wheel_check $(addprefix --wheel ,$(abspath $(WHEEL))) \
	  $(addprefix --output ,$(abspath $(WHEELS)))

# half of the time mutations alone, which bound memory and survive crashes; half with coverage as
# the guide, where atheris is
SECONDS ?= 600

fuzz: install
	$(BIN)/python -c "import configparser; c = configparser.ConfigParser(); c.read('setup.cfg'); \
	  print(c['options.extras_require']['fuzz'])" > $(VENV)/fuzz.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -r $(VENV)/fuzz.txt
	PYTHONPATH=test $(BIN)/python -m fuzz --seconds $$(( $(SECONDS) / 2 )) \
	  --seed $$(date +%s) --jobs $(JOBS)
	@if $(BIN)/python -c "import atheris" 2>/dev/null; then \
	  PYTHONPATH=test $(BIN)/python -m fuzz.guided $$(( $(SECONDS) / 2 )); \
	else \
	  echo "skipped: cases guided by coverage, atheris has no wheel for this Python"; \
	fi

# C++ tests and a million control cycles under sanitizers, in build/sanitize. The core is compiled up
# to four times; each part prints when it ended. PARTS=realtime: only that part
PARTS ?=
sanitize: install
	test/cpp/sanitize.sh $(BIN) $(JOBS) $(ROS_SETUP) $(PARTS)

clean:
	rm -rf build $(VENV) *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find dynid -name '_core*.so' -delete
