"""A stand-in for the driver's side of a slave file: process data as ethercat_driver_ros2 makes it.

Written from the behaviour of its ``EcCiA402Drive`` (branches main, humble and jazzy, 52be2c2):

- the image of a PDO is the objects in the order of the file, little-endian, without gaps;
- a command is sent as ``factor * command + offset``, cast to the object's type: digits after the
  point are cut off, towards zero, and there is no saturation;
- a command that is NaN, or has no interface, is replaced by ``default``; if that is NaN too, the
  bytes stay as they are;
- 0x607A is the measured position unless 0x6061 reads 8, and its default is the measured position
  as soon as 0x6061 is not 0;
- the parameter ``mode_of_operation`` replaces the default of 0x6060;
- a state is ``factor * raw + offset``; 0x6040 follows 0x6041, and a step of ``reset_fault`` away
  from 0 sets its bit 7.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import yaml

FORMATS = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i"}
CONTROL_WORD, TARGET_POSITION, MODE = 0x6040, 0x607A, 0x6060
STATUS_WORD, POSITION, MODE_DISPLAY = 0x6041, 0x6064, 0x6061
SYNCHRONOUS_POSITION = 8
RESET_FAULT = "reset_fault"
_OUT_OF_RANGE = -(2**31)  # of an int32, as x86-64 converts


def cast(value: float, kind: str) -> int:
    """Return a double cast to an integer type, as C++ does on x86-64.

    C++ does not define values out of range: smaller types are the lowest bits of an int32.
    """
    inside = math.isfinite(value) and -(2.0**31) <= math.trunc(value) < 2.0**31
    raw = math.trunc(value) if inside else _OUT_OF_RANGE
    bits = struct.calcsize(FORMATS[kind]) * 8
    raw &= (1 << bits) - 1
    return raw - (1 << bits) if kind.startswith("int") and raw >> (bits - 1) else raw


class SlaveStandIn:
    """The driver's side of one drive.

    Args:
        text: of the slave file.
        mode: the parameter ``mode_of_operation`` of the ``<ec_module>``.

    Attributes:
        written: value of each object in the RxPDO, by index.
        states: last value of each state interface.
    """

    def __init__(self, text: str, mode: int = SYNCHRONOUS_POSITION) -> None:
        content: dict[str, Any] = yaml.safe_load(text)
        self.startup = [
            (one["index"], one["sub_index"], encoded(one["value"], one["type"]))
            for one in content["sdo"]
        ]
        self._rx = [channel for pdo in content["rpdo"] for channel in pdo["channels"]]
        self._tx = [channel for pdo in content["tpdo"] for channel in pdo["channels"]]
        self._mode = mode
        self._display = 0
        self._position = math.nan
        self._status = 0
        self._last_reset = 0.0
        self.written = {channel["index"]: 0 for channel in self._rx}
        self.states: dict[str, float] = {}

    def layout(self, side: str) -> list[tuple[int, int]]:
        """Return index and bits of the objects of the ``rpdo`` or the ``tpdo``."""
        channels = self._rx if side == "rpdo" else self._tx
        return [(one["index"], 8 * struct.calcsize(FORMATS[one["type"]])) for one in channels]

    def send(self, commands: dict[str, float]) -> bytes:
        """Return the RxPDO after one cycle with these commands; absent ones are NaN."""
        for channel in self._rx:
            value = self._value(channel, commands)
            if not math.isnan(value):
                self.written[channel["index"]] = cast(value, channel["type"])
        return b"".join(encoded(self.written[one["index"]], one["type"]) for one in self._rx)

    def receive(self, image: bytes) -> dict[str, float]:
        """Return the state interfaces from a TxPDO."""
        kinds = "".join(FORMATS[channel["type"]] for channel in self._tx)
        for channel, raw in zip(self._tx, struct.unpack("<" + kinds, image), strict=True):
            value = channel.get("factor", 1.0) * float(raw) + channel.get("offset", 0.0)
            if channel["index"] == MODE_DISPLAY:
                self._display = int(value)
            if channel["index"] == POSITION:
                self._position = value
            if channel["index"] == STATUS_WORD:
                self._status = int(value)
            if "state_interface" in channel:
                self.states[channel["state_interface"]] = value
        return self.states

    def _value(self, channel: dict[str, Any], commands: dict[str, float]) -> float:
        index = channel["index"]
        factor, offset = channel.get("factor", 1.0), channel.get("offset", 0.0)
        default = float(channel.get("default", math.nan))
        overridden = index == TARGET_POSITION and self._display != SYNCHRONOUS_POSITION
        if index == CONTROL_WORD:
            return float(self._control_word(commands.get(RESET_FAULT, math.nan)))
        if index == TARGET_POSITION and self._display != 0:
            default = factor * self._position + offset
        if index == MODE:
            default = float(self._mode)
        command = commands.get(channel.get("command_interface", ""), math.nan)
        if math.isnan(command) or overridden:
            return default
        return float(factor * command + offset)

    def _control_word(self, reset: float) -> int:
        """Return the control word that leads from the drive's state to the next one."""
        word = self.written[CONTROL_WORD]
        rises = not math.isnan(reset) and reset != 0.0 and self._last_reset == 0.0
        self._last_reset = self._last_reset if math.isnan(reset) else reset
        state = self._status
        if state & 0x4F == 0x08:
            return word | 0x80 if rises else word
        if state & 0x4F == 0x40:
            return (word & 0x7E) | 0x06
        if state & 0x6F == 0x21:
            return (word & 0x77) | 0x07
        return (word & 0x7F) | 0x0F if state & 0x6F in (0x23, 0x07) else word


def encoded(value: int, kind: str) -> bytes:
    """Return an integer as the bytes of its type."""
    return struct.pack("<" + FORMATS[kind], value)
