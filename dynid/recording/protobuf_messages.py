"""Messages in Protobuf, whose definition an MCAP file contains, as nested dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from mcap.records import Schema
from mcap.well_known import MessageEncoding, SchemaEncoding

MISSING_PACKAGE = (
    " Messages in Protobuf need the package mcap-protobuf-support: pip install 'dynid[protobuf]'."
)
_PACKAGE = "mcap_protobuf"
_ENDING = f", {MessageEncoding.Protobuf}"  # of the types of such messages, as topics have them


def is_protobuf(kind: str) -> bool:
    """Return whether messages of a topic's type are in Protobuf."""
    return kind.endswith(_ENDING)


def schema_name(kind: str) -> str:
    """Return the name of the schema of a topic's type."""
    return kind.removesuffix(_ENDING)


def lacks_package() -> bool:
    """Return whether the package that decodes such messages is not installed."""
    return find_spec(_PACKAGE) is None


def protobuf_decoder(kind: str, definition: bytes) -> Callable[[bytes], Mapping[str, Any]] | None:
    """Return a function that decodes messages of a type; None without the package.

    The definition is a serialized ``FileDescriptorSet``.

    Raises:
        Exception: of any type, where the definition is damaged; so does the function.
    """
    if lacks_package():
        return None
    from mcap_protobuf.decoder import DecoderFactory  # noqa: PLC0415  optional

    schema = Schema(id=1, name=schema_name(kind), encoding=SchemaEncoding.Protobuf, data=definition)
    decode = DecoderFactory().decoder_for(MessageEncoding.Protobuf, schema)
    return None if decode is None else lambda raw: _content(decode(raw))


def _content(message: Any) -> dict[str, Any]:
    """Return all fields; one that the sender left out has the value 0, as Protobuf defines it."""
    return {one.name: _plain(getattr(message, one.name)) for one in message.DESCRIPTOR.fields}


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    if hasattr(value, "DESCRIPTOR"):
        return _content(value)
    if hasattr(value, "items"):  # a map
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value]
