"""Other people's tools; each import is optional and happens only here."""
