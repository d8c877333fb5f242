# Library and command line without ROS 2, from the repository's folder:
#   docker build -f docker/slim.Dockerfile -t dynid:slim .
#   docker run --rm -v "$PWD:/work" dynid:slim identify recording.mcap --profile my_robot.yaml
FROM python:3.12-slim AS build
# the package lists change daily, so versions of apt packages are not pinned
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
COPY . /dynid
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /dynid

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    --mount=type=bind,source=constraints.txt,target=/constraints.txt \
    pip install --no-cache-dir --only-binary :all: -c /constraints.txt /wheels/*.whl \
 && useradd --uid 1000 --create-home dynid
USER 1000
WORKDIR /work
ENTRYPOINT ["dynid"]
CMD ["--help"]
