"""The report: scored runs of one corpus as one self-contained HTML page.

`gather` turns scores into JSON-ready data, `words` holds every definition the page shows, `page`
puts data, style and script into one file. What a figure means is decided in `scoring`, not here.
"""
