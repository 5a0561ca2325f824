"""Witnessed measurements: what a witness says of a run, the chain of records, and the signatures of a server."""
