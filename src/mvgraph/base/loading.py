"""Objects by their place: ``package.module:name`` or ``folder/file.py:name``."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

HOW = (
    "write package.module:Class or folder/file.py:Class, and check that Python can "
    "import it from here"
)


def load_object(path: str) -> Any:
    """Import the object named by ``"module:name"`` or ``"folder/file.py:name"``.

    Raises
    ------
    ValueError
        There is no such module, file or object, or its import fails; the message says
        what failed, and in which line.
    """
    module, _, name = path.rpartition(":")
    if not module or (module.startswith(".") and not _is_file(module)):
        raise ValueError(f"no method {path!r}; {HOW}")
    try:
        found = _import_file(module) if _is_file(module) else import_module(module)
    except ImportError as error:
        where = place_of(error)
        raise ValueError(f"no method {path!r}: {error}{where}; {HOW}") from error
    except (Exception, SystemExit) as error:  # of the user's code
        what = f"{type(error).__name__}: {error}{place_of(error)}"
        raise ValueError(f"no method {path!r}: its import fails: {what}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"no method {path!r}: {module} has no {name!r}; {HOW}")
        found = getattr(found, part)
    return found


def place_of(error: BaseException) -> str:
    """Name file and line where an error was raised, unless by the call itself."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    frames = [f for f in frames if "importlib" not in f.filename]
    if not frames or Path(frames[-1].filename) == Path(__file__):
        return ""
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _is_file(module: str) -> bool:
    return "/" in module or module.endswith(".py")


def _import_file(module: str) -> Any:
    """Import a file, or a folder with ``__init__.py``, under the name of its path.

    The path is one of the working folder, or else of a folder of ``sys.path``.
    """
    path = Path(module)
    files = [path] if path.suffix == ".py" else [path.parent / f"{path.name}.py"]
    files.append(path / "__init__.py")
    there = (Path(place) / each for place in ("", *sys.path) for each in files)
    file = next((each.resolve() for each in there if each.is_file()), None)
    if file is None:
        raise ImportError(f"there is no file {files[0]}")
    parts = path.parent / path.stem if path.suffix == ".py" else path
    name = ".".join(part for part in parts.parts if part.isidentifier())
    known = sys.modules.get(name)
    if known is not None and Path(str(known.__file__)).resolve() == file:
        return known
    if known is not None:  # of another file
        name = f"{name}_of_{len(sys.modules)}"
    folder = str(file.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # for its own imports, and it hides no package
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a file of Python")
    found = module_from_spec(spec)
    sys.modules[name] = found
    try:
        spec.loader.exec_module(found)
    except BaseException:
        del sys.modules[name]
        raise
    return found
