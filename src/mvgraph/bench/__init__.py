"""Benchmarks: a plan becomes trials, trials become JSON lines, lines become a report.

Read in this order: ``plan`` (what to run), ``sets`` (on which data), ``trial`` (one
fit, in a process of its own), ``run`` (all of them, resumable), ``records`` (the file
of results), ``compare`` and ``tables`` (what is read off it), ``report`` (one page).
"""
