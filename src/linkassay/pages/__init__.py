"""The report: scored runs as one self-contained HTML page.

Each module of `sections` turns the runs of a corpus (a `Cohort`) into one part of the page as JSON-ready
`blocks`, `charts` draws in Vega-Lite, `mentions` picks what the error browser shows, `words` holds every definition,
`gather` collects it all, `carried` adds the text of every table, and `page` puts data, style and script into one file.
What a figure means is decided in `scoring`, not here.
"""
