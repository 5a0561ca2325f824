"""The shared study: one place that many sources report to over HTTP, its client and its worker."""
