"""The shared study over HTTP: many sources report to one place."""
