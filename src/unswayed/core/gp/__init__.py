"""Gaussian processes: kernels, posteriors, their rounding errors, fitting."""
