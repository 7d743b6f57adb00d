"""Settings of the documentation; built by ``make docs``."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from sphinx_gallery.sorting import ExplicitOrder, FileNameSortKey

import mvgraph

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "mvgraph"
author = "the mvgraph developers"
copyright = "the mvgraph developers, BSD 3-clause"
version = release = mvgraph.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "mathml",
    "method_table",
]
html_math_renderer = "mathml"
bibtex_bibfiles = ["../src/mvgraph/base/references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "**/*.py", "**/sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"

myst_enable_extensions = ["attrs_inline", "dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
extlinks_detect_hardcoded_links = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": FileNameSortKey,
    "subsection_order": ExplicitOrder(
        [f"../examples/{name}" for name in ("1_clusters", "2_data", "3_methods")]
    ),
    "nested_sections": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "plot_gallery": "True",
    "doc_module": ("mvgraph",),
    # the figure is shown already
    "ignore_repr_types": r"mvgraph\.display",
    "backreferences_dir": "gallery/backreferences",
    "reference_url": {"mvgraph": None},
    "thumbnail_size": (400, 280),
}
suppress_warnings = ["config.cache"]  # the gallery's settings hold objects

html_theme = "pydata_sphinx_theme"
html_title = "mvgraph"
html_static_path = ["_static"]
html_css_files = ["extra.css"]
html_js_files = ["tables.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
