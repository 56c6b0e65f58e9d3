"""Numbers -> pages: result rows, the run's own report, and one writer per form.

`text` loads rich, so it is imported where a report is printed and not from here.
"""
