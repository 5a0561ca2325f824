"""Measurements, counts of outcomes, rows, memory and threads."""
