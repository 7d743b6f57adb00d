"""The registry of all methods by name.

A method is registered by a module-level ``METHOD = Method(...)`` in its own file,
several methods by ``METHODS``. The arguments are literals and are read without
importing the file: importing all estimators takes more than a second.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import warnings
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from mvgraph import baselines
from mvgraph.base.loading import load_object
from mvgraph.base.method import Method, read_references
from mvgraph.ops.wording import nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


DEFAULT = "graph-consensus"
#: Group of entry points by which other packages add methods.
GROUP = "mvgraph.methods"
#: Modules with records other than the baselines, in the order of the listing.
OWN = ("mvgraph.consensus.method", "mvgraph.anchor_filter.method", "mvgraph.mgl.method")


def names() -> list[str]:
    """List the names of all methods, the default first, other packages' last."""
    return [*ours(), *_added()]


def get(name: str) -> Method:
    """Return the method of this name.

    Parameters
    ----------
    name : str
        One of :func:`names`, ``"package.module:Class"`` or ``"file.py:Class"``: a class
        with ``fit``, which gets a list of arrays, one per view, and ``labels_``.

    Raises
    ------
    ValueError
        If no method has this name; the message lists the known ones. If a method of
        another package cannot be imported.

    Examples
    --------
    >>> from mvgraph import methods
    >>> methods.get("mgl").needs_n_by_n
    False
    """
    if name in ours():
        return ours()[name]
    if name in _added():
        return _foreign(name, _added()[name].value)
    if ":" in name:
        return _foreign(name, name)
    if name.endswith(".py"):
        raise ValueError(f"no method {name!r}: name its class, as in {name}:Class")
    raise ValueError(
        f"no method is named {name!r}; {nearest(name, names())}; or write "
        "package.module:Class or file.py:Class for your own method"
    )


def table() -> list[dict[str, Any]]:
    """Return one dict per method; of those that cannot be imported, with the reason."""
    return [_listed(name).describe() for name in names()]


def bibtex(*chosen: str) -> str:
    """Return the BibTeX entries of methods, each publication once.

    Parameters
    ----------
    *chosen : str
        Names of methods; without any, all of them.

    Raises
    ------
    ValueError
        If no method has this name (the message lists the known ones), or it is of
        another package: these have no entries.

    Examples
    --------
    >>> from mvgraph import methods
    >>> print(methods.bibtex("mgl"))
    @misc{jiang2021mgl,
      author = {Jiang, Tianyu and Gao, Quanxue and Gao, Xinbo},
      title = {Multiple Graph Learning for Scalable Multi-view Clustering},
      year = {2021},
    }
    """
    keys = [get(name).reference for name in chosen or ours()]
    for name, key in zip(chosen, keys, strict=False):
        if not key:
            raise ValueError(f"{name} is of another package; it has no reference")
    entries = read_references()
    return "\n\n".join(entries[key] for key in dict.fromkeys(keys))


@cache
def ours() -> dict[str, Method]:
    """Return the methods of this library by name, the default first."""
    modules = pkgutil.iter_modules(baselines.__path__, baselines.__name__ + ".")
    others = [method for info in modules for method in read_records(info.name)]
    first = [method for module in OWN for method in read_records(module)]
    registry: dict[str, Method] = {}
    for method in [*first, *sorted(others, key=lambda m: m.name)]:
        if method.name in registry:
            raise RuntimeError(f"two methods are named {method.name!r}")
        registry[method.name] = method
    return registry


@cache
def _added() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages, without importing them."""
    from importlib.metadata import entry_points  # slow to import

    added: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value)):
        if point.name not in ours() and point.name not in added:
            added[point.name] = point
        elif point.name in ours() or added[point.name].value != point.value:
            warnings.warn(
                f"method {point.name!r} of entry point {point.value} is left out: "
                "another method has this name; it can be used as "
                f"--method {point.value}",
                stacklevel=2,
            )
    return added


def _foreign(name: str, path: str) -> Method:
    """Describe a class of another package, or return the record that it gives."""
    target = load_object(path)
    if isinstance(target, Method):
        return target
    title = (inspect.getdoc(target) or "without a description").splitlines()[0]
    return _record(name, path, title)


def _listed(name: str) -> Method:
    try:
        return get(name)
    except Exception as error:  # whatever the import of another package raises
        path = _added()[name].value
        return _record(name, path, f"cannot be used: {type(error).__name__}: {error}")


def _record(name: str, path: str, title: str) -> Method:
    unknown, paper = "not declared", f"none: {path}, of another package"
    return Method(name, title, "", unknown, unknown, path, paper, order_free=None)


def read_records(module: str) -> list[Method]:
    """Read ``METHOD`` and ``METHODS`` of a module without importing it.

    Raises
    ------
    ValueError
        If an argument of ``Method(...)`` is not a literal; the message names it.
    """
    methods: list[Method] = []
    body = ast.parse(_source(module)).body
    classes = [statement for statement in body if isinstance(statement, ast.ClassDef)]
    own = [c.name for c in classes if "Clusterer" in map(ast.unparse, c.bases)]
    for statement in body:
        if isinstance(statement, ast.Assign):
            names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
            calls = [n for n in ast.walk(statement.value) if isinstance(n, ast.Call)]
            if names & {"METHOD", "METHODS"}:
                methods += [_read_call(call, module, *own) for call in calls]
    return methods


def _source(module: str) -> str:
    """Read a module's file; asking for its spec would import its package."""
    package, *path = module.split(".")
    root, place = resources.files(package), "/".join(path)
    file = root.joinpath(f"{place}.py")
    if not file.is_file():  # a method with files of its own is a folder
        file = root.joinpath(place, "__init__.py")
    return file.read_text(encoding="utf-8")


def _read_call(call: ast.Call, module: str, own: str = "") -> Method:
    arguments: dict[str, Any] = {"estimator": own}
    for keyword in call.keywords:
        try:
            arguments[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except ValueError:
            raise ValueError(
                f"{module}, line {keyword.value.lineno}: {keyword.arg} of Method(...) "
                "is computed; write a literal"
            ) from None
    for key in ("estimator", "cost_model"):
        if arguments.get(key) and ":" not in arguments[key]:
            arguments[key] = f"{module}:{arguments[key]}"
    return Method(**arguments)
