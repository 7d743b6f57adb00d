"""Examples in docstrings are tests: they are found by reading, and imported when run.

pytest's own ``--doctest-modules`` imports every module to find them, in every process.
"""

import ast
import doctest
import gc
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from the million objects that stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collect_file(file_path, parent):
    """Collect a file of the library if its text holds an example."""
    if file_path.suffix == ".py" and file_path.is_relative_to(SOURCE):
        return Examples.from_parent(parent, path=file_path)
    return None


class Examples(pytest.File):
    """The docstrings of one file that hold examples."""

    def collect(self):
        text = self.path.read_text(encoding="utf-8")
        if ">>> " not in text:
            return
        parts = self.path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        for name, line, docstring in docstrings(ast.parse(text), module):
            if ">>> " in docstring:
                item = Example.from_parent(self, name=name)
                item.module, item.line, item.text = module, line, docstring
                yield item


def docstrings(node, name):
    """Yield name, first line and text of the docstrings of a node and inside it."""
    body = node.body
    if body and isinstance(body[0], ast.Expr) and ast.get_docstring(node) is not None:
        yield name, body[0].lineno - 1, ast.get_docstring(node, clean=False)
    for inner in body:
        if isinstance(inner, (ast.ClassDef, ast.FunctionDef)):
            yield from docstrings(inner, f"{name}.{inner.name}")


class Example(pytest.Item):
    """The examples of one docstring, run one after the other."""

    module: str
    line: int
    text: str

    def runtest(self):
        names = dict(vars(import_module(self.module)))
        parser = doctest.DocTestParser()
        where = self.name, str(self.path), self.line
        test = parser.get_doctest(self.text, names, *where)
        output = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        if runner.run(test, out=output.append).failed:
            raise AssertionError("".join(output))

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, self.line, self.name
