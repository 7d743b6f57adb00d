"""The policy of a page: nothing runs or loads but what the file holds."""

from __future__ import annotations

import base64
import hashlib


def policy(css: str, js: str) -> str:
    """Return the policy that allows one style sheet, one script, and inlined images.

    Parameters
    ----------
    css, js : str
        Exactly the text between the tags.
    """
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(css)}'; script-src '{_hash(js)}'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
