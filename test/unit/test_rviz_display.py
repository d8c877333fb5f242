"""The RViz display names only classes, properties and values that RViz 2 has.

RViz ignores what it does not know without a message. The tables are read from the constructors of
the classes in ros2/rviz, branch jazzy: for a new name in the display, look there and add a row.
"""

from __future__ import annotations

import pytest
import yaml

from dynid.files import share_directories

DISPLAY = share_directories()[0] / "rviz" / "dynid.rviz"

_FLAG = {True, False}
_QOS = {  # rviz_common/properties/qos_profile_property.cpp, as children of a topic
    "Depth": int,
    "History Policy": {"System Default", "Keep Last", "Keep All"},
    "Reliability Policy": {"System Default", "Reliable", "Best Effort"},
    "Durability Policy": {"System Default", "Transient Local", "Volatile"},
}
_TOPIC = {"Value": str, **_QOS}
_DISPLAY = {"Class": str, "Name": str, "Enabled": _FLAG, "Value": _FLAG}  # display.cpp
_VECTOR = {"X": float, "Y": float, "Z": float}
_VIEW = {  # view_controller.cpp, frame_position_tracking_view_controller.cpp
    "Class": str,
    "Name": str,
    "Value": str,
    "Target Frame": str,
    "Near Clip Distance": float,
    "Enable Stereo Rendering": dict,
    "Invert Z Axis": _FLAG,
}
CLASSES = {
    "rviz_default_plugins/Grid": _DISPLAY
    | {
        "Reference Frame": str,
        "Plane Cell Count": int,
        "Normal Cell Count": int,
        "Cell Size": float,
        "Line Style": {"Value": {"Lines", "Billboards"}, "Line Width": float},
        "Color": str,
        "Alpha": float,
        "Plane": {"XY", "XZ", "YZ"},
        "Offset": _VECTOR,
    },
    "rviz_default_plugins/RobotModel": _DISPLAY
    | {
        "Visual Enabled": _FLAG,
        "Collision Enabled": _FLAG,
        "Update Interval": float,
        "Alpha": float,
        "Description Source": {"Topic", "File"},
        "Description File": str,
        "Description Topic": _TOPIC,
        "TF Prefix": str,
    },
    "rviz_default_plugins/TF": _DISPLAY
    | {
        "Show Names": _FLAG,
        "Show Axes": _FLAG,
        "Show Arrows": _FLAG,
        "Marker Scale": float,
        "Update Interval": float,
        "Frame Timeout": float,
    },
    "rviz_default_plugins/MarkerArray": _DISPLAY | {"Topic": _TOPIC, "Namespaces": dict},
    "rviz_default_plugins/Orbit": _VIEW
    | {
        "Distance": float,
        "Focal Shape Size": float,
        "Focal Shape Fixed Size": _FLAG,
        "Yaw": float,
        "Pitch": float,
        "Focal Point": _VECTOR,
    },
}
PANELS = {
    "rviz_common/Displays": {
        "Help Height": int,
        "Tree Height": int,
        "Property Tree Widget": {"Expanded": list, "Splitter Ratio": float},
    },
    "rviz_common/Views": {"Expanded": list, "Splitter Ratio": float},
}
TOOLS = {
    f"rviz_default_plugins/{name}"
    for name in (
        "FocusCamera",
        "Interact",
        "Measure",
        "MoveCamera",
        "PublishPoint",
        "Select",
        "SetGoal",
        "SetInitialPose",
    )
}
GLOBAL = {"Fixed Frame": str, "Background Color": str, "Frame Rate": int}
MANAGER = {
    "Class",
    "Name",
    "Enabled",
    "Value",
    "Displays",
    "Global Options",
    "Tools",
    "Transformation",
    "Views",
}


@pytest.fixture(scope="module")
def display():
    return yaml.safe_load(DISPLAY.read_text())


def unknown(content, allowed, where: str) -> list[str]:
    """Return a line for each name or value that RViz does not have."""
    if isinstance(allowed, dict):
        if not isinstance(content, dict):
            return [f"{where}: {content!r} instead of properties"]
        found = [f"{where}/{name}" for name in content if name not in allowed]
        for name in content.keys() & allowed.keys():
            found += unknown(content[name], allowed[name], f"{where}/{name}")
        return found
    if isinstance(allowed, set):
        return [] if content in allowed else [f"{where}: {content!r}"]
    numbers = isinstance(content, int | float) and not isinstance(content, bool)
    right = numbers if allowed is float else isinstance(content, allowed)
    return [] if right else [f"{where}: {content!r} is no {allowed.__name__}"]


def unknown_of(content) -> list[str]:
    """Return a line for everything in a display that RViz does not have."""
    manager = content["Visualization Manager"]
    found = [f"manager/{name}" for name in manager if name not in MANAGER]
    found += unknown(manager["Global Options"], GLOBAL, "Global Options")
    for one in (*manager["Displays"], manager["Views"]["Current"]):
        known = CLASSES.get(one["Class"])
        found += [one["Class"]] if known is None else unknown(one, known, one["Class"])
    for panel in content["Panels"]:
        known = PANELS.get(panel["Class"])
        found += (
            [panel["Class"]]
            if known is None
            else unknown(panel, {"Class": str, "Name": str, **known}, panel["Class"])
        )
    found += [one["Class"] for one in manager["Tools"] if one["Class"] not in TOOLS]
    transformer = manager["Transformation"]["Current"]["Class"]
    if transformer not in {"rviz_default_plugins/TF", "rviz_common/Identity"}:
        found.append(transformer)
    return found


def test_rviz_knows_every_class_property_and_value_of_the_display(display):
    assert unknown_of(display) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda d: d["Displays"][0].update({"Cell Width": 1.0}), "Cell Width"),
        (lambda d: d["Displays"][0].update({"Plane": "YX"}), "'YX'"),
        (lambda d: d["Displays"][1].update({"Description Topic": "/a"}), "'/a'"),
        (lambda d: d["Displays"][3]["Topic"].update({"Durability": "Volatile"}), "Durability"),
        (lambda d: d["Displays"][2].update({"Class": "rviz/TF"}), "rviz/TF"),
        (lambda d: d["Tools"].append({"Class": "rviz_default_plugins/Walk"}), "Walk"),
        (lambda d: d["Views"]["Current"].update({"Angle": 0.1}), "Angle"),
    ],
)
def test_an_unknown_name_or_value_is_found(display, change, found):
    content = yaml.safe_load(DISPLAY.read_text())
    change(content["Visualization Manager"])
    (line,) = unknown_of(content)
    assert found in line


def test_topics_that_are_published_once_are_transient_local(display):
    shown = {
        topic["Value"]: (topic["Reliability Policy"], topic["Durability Policy"])
        for one in display["Visualization Manager"]["Displays"]
        if (topic := one.get("Topic") or one.get("Description Topic"))
    }
    assert shown == {
        "/robot_description": ("Reliable", "Transient Local"),
        "/visualizer/path": ("Reliable", "Transient Local"),
        "/visualizer/markers": ("Reliable", "Volatile"),
    }
