"""Routes: parse, call, answer. Each module has the API's routes and the pages' over the same calls."""
