"""Fitted models on disk: a folder with JSON and arrays, without executable code.

The JSON names the file of its arrays, so that renaming it to ``model.json`` replaces
both at once: a reader always sees one complete model, even during a write. A file of
arrays is locked until the JSON that names it is in place; files that are neither
named by a JSON nor locked are removed by the next save.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mvgraph._version import __version__
from mvgraph.ops.memory import TooLargeError, check_room
from mvgraph.persistence.arrays import read_member
from mvgraph.persistence.document import (
    FORMAT,
    JSON_NAME,
    check_folder,
    damaged,
    decode,
    encode,
    encode_parameter,
    find,
    is_named,
    parse,
    path_of,
    read_text,
    seal,
)
from mvgraph.persistence.files import TOKEN, new_file, remove_left, replace_text

#: Names of what a fit sets.
ATTRIBUTE = re.compile(r"[a-z]\w*_", re.ASCII)
#: Files of arrays that may no longer be needed by any JSON.
LEFT = re.compile(rf"arrays-{TOKEN}\.npz")


class Stored(NamedTuple):
    """A loaded model, and what its file records about it."""

    model: Any
    format: int
    version: str  # of mvgraph, which wrote it
    n_bytes: int


def save_model(
    kind: type,
    parameters: Mapping[str, Any],
    fitted: Mapping[str, Any],
    folder: str | os.PathLike,
    compress: bool = False,
) -> Path:
    """Write a fitted model to a folder, completely or not at all.

    Parameters
    ----------
    kind : type
        Class of the estimator.
    parameters, fitted : mapping of str to value
        Parameters and attributes of the estimator.
    folder : path
        Created; its parent must exist. An older model there is replaced, any other
        content is an error.
    compress : bool, default=False
        Labels and names get much smaller; floating-point numbers only cost time.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If the folder has other content, its parent does not exist, or an attribute
        cannot be written as numbers, text or arrays.
    """
    target = check_folder(folder)
    arrays: dict[str, np.ndarray] = {}
    document = {
        "format": FORMAT,
        "mvgraph": __version__,
        "class": path_of(kind),
        "parameters": {
            k: encode_parameter(k, v, arrays) for k, v in parameters.items()
        },
        "attributes": {k: encode(k, v, arrays) for k, v in fitted.items()},
    }
    made = not target.exists()
    target.mkdir(exist_ok=True)
    try:
        _write(target, document, arrays, compress)
    except BaseException:
        if made:
            with suppress(OSError):  # another writer has put a model there
                target.rmdir()
        raise
    remove_left(target, LEFT, lambda name: is_named(target, name))
    return target


def _write(
    folder: Path, document: dict, arrays: dict[str, np.ndarray], compress: bool
) -> None:
    """Write arrays under a new name, then the JSON that names them."""

    def needed(name: str) -> bool:
        return is_named(folder, name)

    with new_file(folder, "arrays-", ".npz", needed) as file:
        write = np.savez_compressed if compress else np.savez
        write(file, allow_pickle=False, **arrays)
        file.flush()
        os.fsync(file.fileno())
        name = Path(file.name).name
        document["arrays"] = {"file": name, "sha256": _digest(file)}
        document["sha256"] = seal(document)
        replace_text(folder / JSON_NAME, json.dumps(document, indent=1))


def load_model(folder: str | os.PathLike, memory_limit: int | None = None) -> Any:
    """Load a model that ``model.save`` wrote.

    Parameters
    ----------
    folder : path
    memory_limit : int, optional
        Bytes of private memory of this process that may be in use afterwards; default:
        what the machine has.

    Returns
    -------
    estimator
        Fitted; ``predict`` gives the same results as before. A ``random_state`` that is
        not an integer is not saved: it is None.

    Raises
    ------
    ValueError
        If there is no model, or it is damaged, has another format, or would not fit in
        memory.

    Notes
    -----
    A model contains no code. Its checksum shows that it is what was saved, not by whom:
    somebody who changes a model can compute it anew. What is read is therefore checked,
    and a few samples are labelled.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from mvgraph import AnchorFilter, load_model
    >>> X = [np.random.default_rng(0).normal(size=(30, 2)) + 9 * np.eye(3, 2)
    ...      .repeat(10, axis=0)]
    >>> model = AnchorFilter(3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.save(folder + "/model")
    ...     loaded = load_model(folder + "/model")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    return read_model(folder, memory_limit).model


def read_model(folder: str | os.PathLike, memory_limit: int | None = None) -> Stored:
    """Load a model and what its file records about it; see `load_model`."""
    folder = Path(folder)
    with _opened(folder) as (document, file):
        kind = find(document["class"], _labels_samples)
        _check_sizes(folder, file, memory_limit)
        try:
            model = _build(kind, document, file)
        except (MemoryError, TooLargeError):
            raise
        except Exception as error:  # a forged or damaged file can contain anything
            raise damaged(folder, "its content does not form a model") from error
        size = os.fstat(file.fileno()).st_size + (folder / JSON_NAME).stat().st_size
    return Stored(model, document["format"], document["mvgraph"], size)


def _labels_samples(kind: type) -> bool:
    """Return whether a class is an estimator whose models label new samples."""
    from sklearn.base import ClusterMixin

    return issubclass(kind, ClusterMixin) and kind.predictor is not None  # type: ignore[attr-defined]


def _build(kind: Any, document: dict[str, Any], file: BinaryIO) -> Any:
    with zipfile.ZipFile(file) as archive:
        arrays = {
            one.filename.removesuffix(".npy"): read_member(archive, one)
            for one in archive.infolist()
        }
    parameters, attributes = (
        {k: decode(v, arrays) for k, v in document[part].items()}
        for part in ("parameters", "attributes")
    )
    if "://" in str(parameters.get("engine")):  # an address that a file names
        parameters["engine"] = "auto"
    model = kind(**parameters)
    for name, value in attributes.items():
        if not ATTRIBUTE.fullmatch(name) or name in dir(kind):
            raise ValueError(f"{name} is no attribute of a fit")
        vars(model)[name] = value
    model._check_loaded()
    return model


def _check_sizes(folder: Path, file: BinaryIO, memory_limit: int | None) -> None:
    """Reject arrays that would not fit in memory, by the sizes that they declare."""
    try:
        with zipfile.ZipFile(file) as archive:
            n_bytes = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        raise damaged(folder, "its arrays are not an archive") from error
    check_room(f"the model in {folder}", n_bytes, memory_limit, "fit it again")


@contextmanager
def _opened(folder: Path) -> Iterator[tuple[dict[str, Any], BinaryIO]]:
    """Read the JSON and open the arrays that it names; both are checked."""
    text = read_text(folder)
    while True:
        document = parse(folder, text)
        path = folder / document["arrays"]["file"]
        if path.is_file():
            with suppress(FileNotFoundError), open(path, "rb") as file:
                if _digest(file) != document["arrays"]["sha256"]:
                    raise damaged(folder, f"{path.name} is not what was saved")
                yield document, file
                return
        before, text = text, read_text(folder)
        if text == before:  # not replaced in the meantime
            raise damaged(folder, f"there is no {path.name}")


def _digest(file: Any) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()
