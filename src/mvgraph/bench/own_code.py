"""The source of a method of one's own: a part of what determines its results."""

from __future__ import annotations

import hashlib
import inspect
import sys
from pathlib import Path
from typing import Any

from mvgraph import methods
from mvgraph.base.method import load_object

__all__ = ["code_sha256"]

OWN = "mvgraph"


def code_sha256(name: str) -> str | None:
    """Hash the source file in which the class of a method is defined.

    Parameters
    ----------
    name : str
        Name of a method, or ``"module:Class"``.

    Returns
    -------
    str or None
        None for the methods of this library, whose version is in every record, and
        for a class without a file. Modules that the file imports are not hashed.
    """
    try:
        path = methods.get(name).estimator
        if _is_own(path.partition(":")[0]):
            return None  # not imported: that takes seconds
        module = _module_of(load_object(path), path)
    except Exception:  # whatever the import raises: the trial shows it
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    if _is_own(module) or file is None or not Path(file).is_file():
        return None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _module_of(found: Any, path: str) -> str:
    if isinstance(found, type) or inspect.isfunction(found):
        return str(found.__module__)
    return path.partition(":")[0]


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == OWN
