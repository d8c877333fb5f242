"""Plug-ins of dynid, one in each folder: what not every robot integrator needs.

A plug-in imports the core, ``dynid``, and no other plug-in; the core finds it through the entry
points of setup.cfg, whose groups are those of ``dynid.plugins``.
"""
