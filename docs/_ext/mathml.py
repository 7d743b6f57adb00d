"""Write formulas as MathML, which browsers draw without scripts or a network."""

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)


def convert(node: nodes.Node, as_block: bool) -> str:
    try:
        return latex2mathml.tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        log.warning("formula not understood: %s", error, location=node)
        return f"<code>{node.astext()}</code>"


def visit_inline(writer, node) -> None:
    writer.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_block(writer, node) -> None:
    writer.body.append(f'<div class="formula">{convert(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app) -> dict:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
