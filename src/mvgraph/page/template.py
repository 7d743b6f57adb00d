"""Templates of pages: what they show is escaped, and hidden characters are seen."""

from __future__ import annotations

from typing import Any

from mvgraph.ops.escaping import visible


def template(package: str, name: str) -> Any:
    """Return a template of a package, for jinja2; ``head.html`` begins every page.

    Parameters
    ----------
    package : str
        With a folder ``templates``.
    name : str
        Of the file.
    """
    import jinja2

    packages = dict.fromkeys([package, "mvgraph.page"])
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([*map(jinja2.PackageLoader, packages)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    return environment.get_template(name)
