"""Small ESI files (ETG.2000) of invented drives, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

VENDOR, PRODUCT = 0x0ABC, 0x1234
SENT = {0x6040: 16, 0x607A: 32, 0x60B2: 16, 0x6060: 8, 0x6071: 16}
RECEIVED = {0x6041: 16, 0x6064: 32, 0x606C: 32, 0x6077: 16, 0x6078: 16, 0x603F: 16, 0x6061: 8}
OTHERS = {0x60C2: 24, 0x60F4: 32, 0x6075: 32}
OBJECTS = SENT | RECEIVED | OTHERS


def device(
    name: str = "Servo A",
    *,
    product: int = PRODUCT,
    revision: int = 1,
    objects: Mapping[int, int] = OBJECTS,
    dictionary: bool = True,
    fixed: str = "0",
    coe: str = 'PdoConfig="1"',
    assign_activate: str | None = "#x0300",
) -> str:
    """Return a ``<Device>`` with objects (bits by index) and a PDO of either direction."""
    written = "".join(_object(index, bits) for index, bits in objects.items()) * dictionary
    clocks = f"<AssignActivate>{assign_activate}</AssignActivate>"
    modes = "<OpMode><AssignActivate>#x0</AssignActivate></OpMode><OpMode>" + clocks + "</OpMode>"
    return (
        f'<Device><Type ProductCode="#x{product:08x}" RevisionNo="{revision}">{escape(name)}</Type>'
        f"<Profile><Dictionary><Objects>{written}</Objects></Dictionary></Profile>"
        + _pdo("RxPdo", 0x1600, fixed, [0x6040, 0x607A], "")
        + _pdo("RxPdo", 0x1601, fixed, [0x6040], 'Sm="2"')
        + _pdo("TxPdo", 0x1A00, "1", [0x6041], 'Sm="3"')
        + _pdo("TxPdo", 0x1A01, fixed, [0x6041, 0x6064, 0], "")
        + f"<Mailbox><CoE {coe}/></Mailbox>"
        + (f"<Dc>{modes}</Dc>" if assign_activate else "")
        + "</Device>"
    )


def esi(*devices: str) -> str:
    """Return an ESI file with these devices."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><EtherCATInfo Version="1.6"><Vendor>'
        f"<Id>{VENDOR}</Id><Name>Acme</Name></Vendor><Descriptions><Devices>"
        + "".join(devices or [device()])
        + "</Devices></Descriptions></EtherCATInfo>\n"
    )


def _object(index: int, bits: int) -> str:
    letter = "r" if index in SENT else "T" if index in RECEIVED else "rt"
    return (
        f"<Object><Index>#x{index:04X}</Index><BitSize>{bits}</BitSize>"
        f"<Flags><PdoMapping>{letter}</PdoMapping></Flags></Object>"
    )


def _pdo(tag: str, index: int, fixed: str, entries: list[int], more: str) -> str:
    inside = "".join(
        f"<Entry><Index>#x{one:x}</Index><SubIndex>0</SubIndex>"
        f"<BitLen>{OBJECTS.get(one, 8)}</BitLen></Entry>"
        for one in entries
    )
    return f'<{tag} Fixed="{fixed}" {more}><Index>#x{index:x}</Index>{inside}</{tag}>'
