"""Policies against problems and adversaries: the protocol of Section 2 of the paper."""

from holdfast.simulation.corrupted import Corrupted
from holdfast.simulation.run import Run
from holdfast.simulation.simulate import simulate
from holdfast.simulation.store import load_runs

__all__ = ["Corrupted", "Run", "load_runs", "simulate"]
