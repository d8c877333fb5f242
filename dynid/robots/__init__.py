"""The robots that come with dynid: what they are, what they are ready for, how they look."""

from dynid.robots.drawing import braille
from dynid.robots.pictures import bare_scene, contact_sheet
from dynid.robots.summary import RobotSummary, summarize

__all__ = ["RobotSummary", "bare_scene", "braille", "contact_sheet", "summarize"]
