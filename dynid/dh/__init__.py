"""Robots from Denavit-Hartenberg tables, as papers and data sheets print them."""

from dynid.dh.chain import Chain, Link, chains_of
from dynid.dh.profile_text import profile_text
from dynid.dh.table import DhTable, read_table
from dynid.dh.urdf import urdf_of

__all__ = ["Chain", "DhTable", "Link", "chains_of", "profile_text", "read_table", "urdf_of"]
