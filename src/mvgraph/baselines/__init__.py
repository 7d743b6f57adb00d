"""Methods to compare with: one paper, one file, no imports between them."""
