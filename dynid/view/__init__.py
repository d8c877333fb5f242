"""Scenes as an interactive page in a browser, and as a picture for a report."""

from dynid.view.html import render_html, write_html
from dynid.view.png import write_png
from dynid.view.serve import serve

__all__ = ["render_html", "serve", "write_html", "write_png"]
