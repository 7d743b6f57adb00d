"""Pages: what their templates show is escaped, and nothing runs but what they hold."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from importlib import import_module, resources
from typing import Any

from mvgraph._version import __version__
from mvgraph.ops.escaping import visible
from mvgraph.ops.wording import extra


def check_extra(work: str, packages: str = "jinja2") -> None:
    """Raise ImportError if the extra ``report`` is not installed."""
    with extra(work, packages, "report"):
        for name in packages.split(" and "):
            import_module(name)


def texts(package: str, *names: str) -> list[str]:
    """Read files of the folder ``templates`` of a package."""
    folder = resources.files(package).joinpath("templates")
    return [folder.joinpath(name).read_text("utf-8") for name in names]


def render(package: str, name: str, css: str, js: str = "", **context: Any) -> str:
    """Fill a template with hidden characters seen; ``head.html`` begins every page.

    Parameters
    ----------
    package : str
        With a folder ``templates``.
    name : str
        Of the file.
    css, js : str
        The one style sheet and the one script, exactly the text between the tags.
    **context : object
        What the template shows, beside the date and the version.
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
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(css)}'; script-src '{_hash(js)}'"
    )
    context |= {"css": css, "js": js, "policy": policy, "version": __version__}
    context["date"] = datetime.now(UTC).strftime("%Y-%m-%d")
    return environment.get_template(name).render(context)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
