"""Policies against problems and adversaries: the protocol of Section 2 of the paper."""
