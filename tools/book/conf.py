# SPDX-License-Identifier: MIT
"""Sphinx's configuration of the book: tools/make-book.py calls it, and gives the version."""
project = "Breakwater"
author = "The Breakwater authors"
copyright = "The Breakwater authors, MIT licence"  # noqa: A001 (Sphinx's name)
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 5
html_theme = "furo"
html_title = "Breakwater"
html_copy_source = False
html_show_sphinx = False
# The summaries of search results are fetched, which a browser refuses to pages of file://.
html_show_search_summary = False
# Blocks of code have prompts, output and assembly in one, which no lexer knows.
highlight_language = "none"
html_static_path = ["book.css"]
html_css_files = ["book.css"]


def setup(app):
    from pygments.lexers.c_cpp import CLexer
    app.add_lexer("opencl", CLexer)  # Pygments does not know it
