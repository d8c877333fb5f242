"""Node tests with real rclpy and Fast DDS, each in a ROS graph of its own process."""

from __future__ import annotations

import importlib.util

import pytest

from dynid_ros.discovery_range import enter_own_domain

enter_own_domain()

WITHOUT_ROS = importlib.util.find_spec("rclpy") is None
collect_ignore_glob = ["test_*.py"] if WITHOUT_ROS else []


def pytest_report_header() -> str | None:
    return "skipped: node tests, no rclpy here" if WITHOUT_ROS else None


if not WITHOUT_ROS:
    from collections.abc import Iterator

    from support.ros_graph import Graph, SteppedGraph

    @pytest.fixture
    def graph() -> Iterator[Graph]:
        with Graph() as opened:
            yield opened

    @pytest.fixture
    def stepped_graph() -> Iterator[SteppedGraph]:
        with SteppedGraph() as opened:
            yield opened
