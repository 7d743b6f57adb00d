"""The directive ``method-table``: all methods, from their records."""

from sphinx.util.docutils import SphinxDirective

from mvgraph import methods

HEAD = ["name", "what it does", "time", "memory", "notes"]


class MethodTable(SphinxDirective):
    """Write the registry as a Markdown table."""

    def run(self) -> list:
        rows = [HEAD, ["---"] * len(HEAD)]
        rows += [cells(methods.get(name)) for name in methods.names()]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return self.parse_text_to_nodes("\n".join(lines))


def cells(method) -> list[str]:
    notes = ["N x N matrices"] if method.needs_n_by_n else []
    notes += [] if method.order_free else ["depends on row order"]
    notes += ["preset `paper`"] if method.published else []
    about = f"{method.title} {{cite:p}}`{method.reference}`"
    costs = [plain(cost) for cost in (method.cost, method.memory)]
    return [link(method), about, *costs, ", ".join(notes)]


def link(method) -> str:
    """Link the name to the page of the class."""
    module, _, name = method.estimator.partition(":")
    place = module if ".baselines." in module else "mvgraph"
    return f"{{py:class}}`{method.name} <{place}.{name}>`"


def plain(cost: str) -> str:
    return cost.replace("^2", "²").replace("^3", "³")


def setup(app) -> dict:
    app.add_directive("method-table", MethodTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
