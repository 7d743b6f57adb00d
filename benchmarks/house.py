"""Measure how large the library is and how much of it a fit passes through.

    python benchmarks/house.py [ROOT]

ROOT is a checkout, by default the one that holds this file. Its ``src`` is measured,
whatever version is installed. Nothing in ROOT is changed. The measures:

lines of code, files
    Lines of ``src/mvgraph`` that hold a token of Python and are not part of a
    docstring; ``.py`` files. Comments and blank lines do not count.
modules behind the base class, the default
    Modules that the one named imports, directly or through others, inside functions as
    well; packages (their ``__init__``) and imports for types only do not count. In
    brackets: modules that a fresh interpreter has loaded after the import, without and
    with packages.
way of X: stays
    Functions of the package that are handed the data or a part of it, from the call of
    ``fit`` to that of the method's ``_fit``, both included, when ``GraphConsensus``
    fits two dense arrays for the second time. An argument is data if it is `Views`, an
    array with one of the lengths of X, or holds one. A function that is entered
    twice is one stay; comprehensions and lambdas belong to the function that holds
    them; of compiled kernels the arguments cannot be seen, they always count.
way of X: climbs
    Steps from one stay to the next, in the order in which they are first entered, that
    go to a higher layer of the first import-linter contract.
getattr + hasattr
    Lines of ``src/mvgraph`` with the text ``getattr(``, plus those with ``hasattr(``.
circles
    Groups of modules that import each other in a circle; imports inside functions and
    for types only count, too.
patched constants
    Names in capitals of the library that tests or benchmarks replace with ``setattr``.
"""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def main() -> None:
    """Print a table of all measures of one checkout."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    root = root.resolve()
    files = sorted((root / "src" / "mvgraph").rglob("*.py"))
    stays, climbs = way_of_x(root)
    base, default = (
        modules_behind(root, name)
        for name in ("mvgraph.base.clusterer", "mvgraph.consensus.estimator")
    )
    rows = [
        ("lines of code", sum(lines_of_code(path) for path in files)),
        ("files", len(files)),
        ("modules behind base.clusterer", base),
        ("modules behind GraphConsensus", default),
        ("way of X: stays", len(stays)),
        ("way of X: climbs", len(climbs)),
        ("getattr + hasattr", lines_that_ask(files)),
        ("circles", len(circles(root))),
        ("patched constants", len(patched_constants(root))),
    ]
    for name, value in rows:
        print(f"{name:32}{value}")
    details = {
        "stays": stays,
        "climbs": climbs,
        "circles": circles(root),
        "patched constants": patched_constants(root),
    }
    for name, found in details.items():
        print(f"\n{name}")
        print("\n".join(f"  {line}" for line in found))


def lines_of_code(path: Path) -> int:
    """Count lines that hold code: no docstrings, comments or blanks."""
    text = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(ast.parse(text)))


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of all docstrings of a module."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    lines: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, owners)
            and ast.get_docstring(node, clean=False) is not None
        ):
            first = node.body[0]
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def lines_that_ask(files: list[Path]) -> int:
    """Count lines with getattr( and lines with hasattr(."""
    lines = [line for path in files for line in path.read_text().splitlines()]
    return sum((word in line) for line in lines for word in ("getattr(", "hasattr("))


def run(root: Path, code: str) -> Any:
    """Run code in a fresh interpreter on the sources of root; parse what it prints."""
    env = os.environ | {"PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-W", "ignore", "-c", code]
    output = subprocess.run(command, env=env, capture_output=True, text=True)
    if output.returncode:
        sys.exit(output.stderr)
    return json.loads(output.stdout)


GRAPH = """
import grimp, json
graph = grimp.build_graph('mvgraph', cache_dir=None, exclude_type_checking_imports={})
imports = graph.find_modules_directly_imported_by
print(json.dumps([(m, sorted(imports(m))) for m in sorted(graph.modules)]))
"""

LOADED = """
import json, sys, {}
print(json.dumps([hasattr(module, '__path__') for name, module in sys.modules.items()
                  if name.split('.')[0] == 'mvgraph']))
"""


def modules_behind(root: Path, name: str) -> str:
    """Return how many modules one imports, and how many are loaded with it."""
    imports = dict(run(root, GRAPH.format(True)))
    packages = {module.rpartition(".")[0] for module in imports}
    behind = set(reachable(imports, name)) - packages
    loaded = run(root, LOADED.format(name))
    return f"{len(behind)} ({loaded.count(False)}, {len(loaded)})"


FOLLOW = """
import json, sys
import numpy as np
from pathlib import Path
import mvgraph
from mvgraph import GraphConsensus, Views

folder = str(Path(mvgraph.__file__).parent.parent)
N, WIDTHS = 61, (4, 6)
rng = np.random.default_rng(0)
X = [rng.normal(size=(N, d)) + 9 * (np.arange(N) % 3)[:, None] for d in WIDTHS]
GraphConsensus(3, random_state=0).fit(X)  # imports inside functions are done
goal = GraphConsensus._fit.__code__
stays = []

def is_data(value, depth=0):
    if isinstance(value, Views):
        return True
    if isinstance(value, np.ndarray):
        return N in value.shape
    if isinstance(value, (list, tuple)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    elif type(value).__module__.startswith("mvgraph"):
        parts = getattr(value, "__dict__", {}).values()
    else:
        parts = ()
    return depth < 2 and any(is_data(part, depth + 1) for part in parts)

def follow(frame, event, arg):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(folder):
        return
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name, X) for name in names]  # X: cannot be seen
    if code.co_name[0] != "<" and any(map(is_data, values)):
        file = code.co_filename[len(folder) + 1 : -len(".py")]
        stays.append((file.replace("/", "."), code.co_qualname))
    if code is goal:
        sys.setprofile(None)

model = GraphConsensus(3, random_state=0)
sys.setprofile(follow)
model.fit(X)
sys.setprofile(None)
print(json.dumps(stays))
"""


def way_of_x(root: Path) -> tuple[list[str], list[str]]:
    """Return the functions that get the data up to ``_fit``, and the climbs."""
    stays = list(dict.fromkeys(map(tuple, run(root, FOLLOW))))
    contract = contracts(root)[0]
    lines = [rank(contract, module) for module, _ in stays]
    names = [":".join(stay) for stay in stays]
    climbs = [
        f"{names[i]} -> {names[i + 1]}"
        for i in range(len(stays) - 1)
        if lines[i + 1] < lines[i]
    ]
    return names, climbs


def contracts(root: Path) -> list[dict[str, Any]]:
    """Return the import-linter contracts about layers."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    every = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    return [c for c in every if c["type"] == "layers"]


def rank(contract: dict[str, Any], module: str) -> int:
    """Return the line of a contract that holds a module; 0 is the highest layer."""
    part = module.split(".")[1]
    lines = [line.replace(" ", "").split("|") for line in contract["layers"]]
    return next((i for i, line in enumerate(lines) if part in line), 0)


def circles(root: Path) -> list[str]:
    """Return groups of modules that import each other in a circle."""
    imports = dict(run(root, GRAPH.format(False)))
    reach = {module: set(reachable(imports, module)) for module in imports}
    groups = {
        tuple(sorted(other for other in reach[m] if m in reach[other]))
        for m in imports
        if m in reach[m]
    }
    return [" <-> ".join(group) for group in sorted(groups)]


def reachable(imports: dict[str, list[str]], module: str) -> Iterator[str]:
    """Yield every module that one imports, directly or through others."""
    seen, stack = set(), list(imports[module])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            yield other
            stack += imports[other]


def patched_constants(root: Path) -> list[str]:
    """Return the constants that tests and benchmarks replace."""
    found: dict[str, None] = {}
    for folder in ("tests", "benchmarks"):
        for path in sorted((root / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (name := patched(node)):
                    found.setdefault(name)
    return list(found)


def patched(call: ast.Call) -> str | None:
    """Name the constant that a call of setattr replaces, if it is one."""
    name = ast.unparse(call.func)
    new = any(keyword.arg == "raising" for keyword in call.keywords)
    if new or name.split(".")[-1] != "setattr" or len(call.args) < 2:
        return None
    texts = [a.value for a in call.args if isinstance(a, ast.Constant)]
    target = next((t for t in texts if isinstance(t, str)), "")
    module, _, constant = target.rpartition(".")
    if not constant.isupper() or len(constant) < 2:
        return None
    return f"{module.split('.')[-1] or ast.unparse(call.args[0])}.{constant}"


if __name__ == "__main__":
    main()
