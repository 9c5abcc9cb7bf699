"""Python's values as the text of a configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, Optional, Union

import numpy as np

from ._errors import ConfigError, UsageError


def text_of(key: str, value: Any) -> str:
    """The text of a value: yes and no, numbers with all their digits, lists with commas, points as "x y, x y"."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, Iterable) and not isinstance(value, (Mapping, bytes)):
        return ", ".join(_item(key, item) for item in value)
    raise ConfigError(
        f"{key}: {value!r} is of the type {type(value).__name__}; "
        "give text, a number, True or False, or a list of numbers or points."
    )


def _item(key: str, item: Any) -> str:
    """A number of a list, or a point."""
    if isinstance(item, Iterable) and not isinstance(item, str):
        return " ".join(text_of(key, part) for part in item)
    return text_of(key, item)


Sections = dict[str, dict[str, str]]


def merge(sections: Sections, settings: Mapping[str, Any]) -> None:
    """Adds the texts of {"grid": {"nx": 5}} or {"grid.nx": 5}; None takes a key away."""
    for section, key, text in _flat(settings):
        keys = sections.setdefault(section, {})
        keys.pop(key, None)
        if text is not None:
            keys[key] = text


def as_text(sections: Sections) -> tuple[str, Sections]:
    """The sections as the text of a file, and what such a text cannot carry."""
    lines: list[str] = []
    rest: Sections = {}
    for section, keys in sections.items():
        lines.append(f"[{section}]")
        for key, text in keys.items():
            if re.search(r"\s[;#]|[\r\n\0]|^\s|\s$", text) or len(text) > 60000:
                rest.setdefault(section, {})[key] = text
            else:
                lines.append(f"{key} = {text}")
    return "".join(line + "\n" for line in lines), rest


def _flat(settings: Mapping[str, Any]) -> Iterator[tuple[str, str, Optional[str]]]:
    for name, value in settings.items():
        parts = value.items() if isinstance(value, Mapping) else [(None, value)]
        for key, part in parts:
            section, point, last = (name, ".", key) if key is not None else str(name).rpartition(".")
            if not point or not section or not last:
                raise ConfigError(f'"{name}" is no key; write "section.key", such as "grid.nx" or "source NAME.power".')
            text = None if part is None else text_of(f"{section}.{last}", part)
            yield str(section).strip(), str(last).strip(), text


def encoded(text: str) -> bytes:
    """Text for the library."""
    if "\0" in text:
        raise ConfigError(f"{text!r} has a NUL character, which no configuration may have.")
    return text.encode("utf-8", "surrogateescape")


def path_encoded(path: Union[str, bytes, "os.PathLike[Any]"]) -> bytes:
    """The name of a file or folder for the library."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise UsageError(f"{path!r} has a NUL character, which no name of a file may have.")
    return name
