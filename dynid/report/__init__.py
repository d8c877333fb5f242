"""The report: one HTML file that tells a person what was identified, and how far to trust it."""

from dynid.report.report import report_html, write_report, write_validation_report

__all__ = ["report_html", "write_report", "write_validation_report"]
