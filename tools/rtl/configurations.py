"""The named configurations of `rtl/configs.yaml`: block -> name -> parameters of its top.

Keys in UpperCamelCase are parameters; `full: true` marks the size of the paper, `top:
name` a module other than the block's first toplevel.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from core_files import REPOSITORY, CoreError

_OPTIONS = frozenset({"full", "top"})


@dataclass(frozen=True)
class Configuration:
    """One named configuration of a block."""

    block: str
    name: str
    parameters: dict[str, int]
    full: bool = False
    top: str | None = None


def _read(block: str, name: str, content: dict[str, Any], path: Path) -> Configuration:
    parameters = {key: value for key, value in content.items() if key[:1].isupper()}
    unknown = content.keys() - parameters.keys() - _OPTIONS
    if unknown:
        raise CoreError(
            f"{path}: {block}.{name}: unknown {sorted(unknown)}; known {sorted(_OPTIONS)}"
        )
    for key, value in parameters.items():
        if not isinstance(value, int):
            raise CoreError(f"{path}: {block}.{name}.{key}: {value!r} is not a whole number")
    return Configuration(block, name, parameters, bool(content.get("full")), content.get("top"))


def configurations(block: str | None = None, root: Path = REPOSITORY) -> list[Configuration]:
    """All configurations, or those of one block, in the order of the file."""
    path = root / "rtl" / "configs.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    return [
        _read(owner, name, content or {}, path)
        for owner, named in (data or {}).items()
        if block in (None, owner)
        for name, content in named.items()
    ]


def configuration(block: str, name: str, root: Path = REPOSITORY) -> Configuration:
    """One configuration by its name. Raises `CoreError` naming those there are."""
    known = {found.name: found for found in configurations(block, root)}
    if name not in known:
        raise CoreError(f"{block} has no configuration {name}; it has {', '.join(known) or 'none'}")
    return known[name]
