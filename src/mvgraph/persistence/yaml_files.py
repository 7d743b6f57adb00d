"""YAML files that people write: text, not code, and of a size that fits its purpose."""

from __future__ import annotations

from typing import Any

#: Longer files are not written by hand; PyYAML takes 10 s for each MB.
MOST_BYTES = 1 << 20
#: An alias (``*name``) costs three bytes and stands for a whole value: ten lines of
#: aliases of aliases are a billion values.
MOST_VALUES = 1 << 20
MOST_BITS = 4096  # of a whole number; Python prints none of four times as many


def parse_yaml(content: str | bytes) -> Any:
    """Parse YAML.

    Raises
    ------
    ValueError
        If it is no YAML in UTF-8, too long, nested too deeply or in itself, or holds
        a key twice, or more values or digits than a person writes; the message says
        where.
    """
    import yaml

    if len(content) > MOST_BYTES:
        raise ValueError(f"longer than {MOST_BYTES} bytes")
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        _refuse_twice(node, set())
        found = None if node is None else loader.construct_document(node)
        n_values = _count(found, {})
    except _TwiceError as error:
        raise ValueError(str(error)) from error
    except UnicodeDecodeError as error:
        raise ValueError("not text in UTF-8") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{where}{error.problem}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except Exception as error:  # 2020-99-99; of wrong tags, almost any
        raise ValueError(f"not YAML: {' '.join(str(error).split())}") from error
    if n_values > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values, as aliases of aliases are")
    return found


class _TwiceError(ValueError):
    """A key is in one place twice; YAML would take the last value without a word."""


def _refuse_twice(node: Any, seen: set[int]) -> None:
    """Raise an error if two keys of one mapping are the same text."""
    if id(node) in seen or node is None or isinstance(node.value, str):
        return
    seen.add(id(node))
    lines: dict[tuple[str, str], int] = {}
    for part in node.value:
        for each in part if isinstance(part, tuple) else [part]:
            _refuse_twice(each, seen)
        if not isinstance(part, tuple) or not isinstance(part[0].value, str):
            continue
        key, line = (part[0].tag, part[0].value), part[0].start_mark.line + 1
        if key in lines:
            where = f"line {line}: {key[1]!r} is in line {lines[key]} already"
            raise _TwiceError(f"{where}; write it once")
        lines[key] = line


def _count(value: Any, seen: dict[int, int]) -> int:
    """Count values, those of an alias as often as they are named."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"a whole number of {value.bit_length()} bits")
    if not isinstance(value, dict | list):
        return 1
    if seen.get(id(value)) == 0:
        raise RecursionError  # it is in itself
    if id(value) not in seen:
        seen[id(value)] = 0
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        seen[id(value)] = 1 + sum(_count(part, seen) for part in parts)
    return seen[id(value)]
