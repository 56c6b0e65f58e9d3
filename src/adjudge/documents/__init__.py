"""Document -> a form: for a terminal, as Markdown, as an HTML page; and result rows as files."""
