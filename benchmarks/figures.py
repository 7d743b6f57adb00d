"""Figures of the documentation, for light and for dark pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

__all__ = ["STATIC", "image", "save"]

STATIC = Path(__file__).parents[1] / "docs" / "_static"
INK = {"light": "#20242a", "dark": "#dfe3e8"}


def save(draw: Callable[[], Any], name: str) -> None:
    """Write NAME.light.SUFFIX and NAME.dark.SUFFIX of the figure that ``draw`` returns.

    Parameters
    ----------
    draw : callable
        Called without arguments, once per kind of page.
    name : str
        File in docs/_static, for example ``"growth.svg"``.
    """
    stem, _, suffix = name.rpartition(".")
    for page, ink in INK.items():
        with mpl.rc_context(_style(ink)):
            fig = draw()
            more = {"metadata": {"Date": None}} if suffix == "svg" else {"dpi": 130}
            target = STATIC / f"{stem}.{page}.{suffix}"
            fig.savefig(target, transparent=True, **more)
            plt.close(fig)


def image(name: str, about: str) -> list[str]:
    """Return the lines of Markdown that show the figure on both kinds of pages."""
    stem, _, suffix = name.rpartition(".")
    return [
        f"![{about}](_static/{stem}.{page}.{suffix}){{.only-{page}}}" for page in INK
    ]


def _style(ink: str) -> dict[str, Any]:
    keys = ("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor")
    return {
        **dict.fromkeys((*keys, "xtick.color", "ytick.color"), ink),
        "legend.frameon": False,
        "svg.hashsalt": "mvgraph",
        "svg.fonttype": "none",
    }
