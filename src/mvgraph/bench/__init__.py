"""Benchmarks: a plan gives trials, trials give JSON lines, lines give a report.

Read in this order: ``plan`` (what to run), ``sets`` (on which data), ``trial`` (one
fit, in its own process), ``states`` (how it ended), ``run`` (all of them, resumable),
``records`` (the file of results), ``naming`` and ``results`` (names, the reference,
several logs), ``compare`` and ``significance`` (means, ranks and tests), ``tables``
(cells and formats), ``content`` and ``figures`` (tables and displays of records),
``export`` (one table), ``report`` (one page).
"""
