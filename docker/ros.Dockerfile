# ROS 2 Jazzy with dynid, from the repository's folder:
#   docker build -f docker/ros.Dockerfile -t dynid:jazzy .
#   docker run --rm -v "$PWD/out:/home/ubuntu/out" dynid:jazzy
FROM ros:jazzy AS dependencies
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# the package lists change daily, so versions of apt packages are not pinned
COPY package.xml ros-requirements.txt /dynid/src/dynid/
COPY interfaces/package.xml /dynid/src/dynid/interfaces/
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rosdep update --rosdistro "$ROS_DISTRO" \
 && rosdep install --from-paths /dynid/src --ignore-src -y \
 && rm -rf /var/lib/apt/lists/*
# Ubuntu's Python takes no packages from PyPI; these go before those of apt (docs/ros2.md)
RUN python3 -m venv --system-site-packages /dynid/libraries \
 && touch /dynid/libraries/COLCON_IGNORE \
 && /dynid/libraries/bin/pip install --no-cache-dir -r /dynid/src/dynid/ros-requirements.txt

FROM dependencies
COPY . /dynid/src/dynid
WORKDIR /dynid
RUN PYTHONPATH=$(echo /dynid/libraries/lib/python3*/site-packages) \
 && export PYTHONPATH \
 && . "/opt/ros/$ROS_DISTRO/setup.sh" \
 && colcon build --merge-install --cmake-args -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
 && rm -rf build log
# the user ubuntu
USER 1000
WORKDIR /home/ubuntu
ENTRYPOINT ["/bin/bash", "-c", ". /dynid/install/setup.bash && exec \"$@\"", "--"]
CMD ["ros2", "launch", "dynid", "identify.launch.py"]
