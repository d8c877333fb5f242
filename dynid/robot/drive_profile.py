"""Types of drives: the files of config/drives, and users' own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.files import share_directories

Index = Annotated[int, Field(ge=0x1000, le=0xFFFF)]
Unsigned32 = Annotated[int, Field(ge=0, le=0xFFFFFFFF)]


class StartupValue(Settings):
    """A value that is written into the drive before it runs."""

    index: Index
    sub_index: Annotated[int, Field(ge=0, le=255)]
    type: Literal["uint8", "int8", "uint16", "int16", "uint32", "int32"]
    value: int


class DriveProfile(Settings):
    """A type of drive. ``objects`` maps entries of the data sheet to objects of the drive."""

    vendor_id: Unsigned32
    product_id: Unsigned32
    assign_activate: Annotated[int, Field(ge=0, le=0xFFFF)]
    rpdo: Index
    tpdo: Index
    encoder_counts: PositiveFloat | None = None
    sdo: tuple[StartupValue, ...] = ()
    objects: dict[str, Index] = Field(default_factory=dict)


def load_drive(name: str) -> DriveProfile:
    """Load a drive profile by name (``cdhd``) or file (``my_drive.yaml``).

    Raises:
        ConfigurationError: the profile was not found, or an entry is unknown or invalid.
    """
    path = Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        folders = [root / "config" / "drives" for root in share_directories()]
        candidates = [folder / f"{name}.yaml" for folder in folders if folder.is_dir()]
        path = next((file for file in candidates if file.is_file()), path)
        if not path.suffix:
            shipped = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
            raise ConfigurationError(
                f"drive '{name}': not shipped with dynid ({', '.join(shipped)}), and not a file "
                "that ends in .yaml."
            )
    return parse(DriveProfile, read_yaml(path), path.name)
