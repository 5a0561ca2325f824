"""The expected improvement by a play, on a logarithmic scale, where it has a slope everywhere (Ament et al., 2023).

g     a normal number with mean m and deviation t        u     m/t

ln E max(g, 0) = ln t + ln h(u),     h(u) = phi(u) + u Phi(u)
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, ndtr

from unswayed.types import FloatArray

ASYMPTOTIC = -1e3  # below this u, h is phi(u)/u^2 up to a factor of 1 - 3e-6
LOG_ROOT = 0.5 * np.log(2 * np.pi)


def log_improvement(mean: FloatArray, deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln E max(g, 0) of a normal g, and d ln h/du, where u = mean/deviation and h = phi(u) + u Phi(u)."""
    u = mean / deviation
    near, low = np.maximum(u, -1.0), np.clip(u, ASYMPTOTIC, -1.0)
    bell, below = np.exp(-0.5 * np.square(near) - LOG_ROOT), ndtr(near)
    h = bell + near * below
    ratio = np.sqrt(np.pi / 2) * erfcx(-low / np.sqrt(2))  # Phi/phi
    rest = 1 + low * ratio
    log_h = np.where(u > -1, np.log(h), -0.5 * np.square(u) - LOG_ROOT + np.log(rest))
    log_h = np.where(u < ASYMPTOTIC, log_h - 2 * np.log(np.minimum(u, ASYMPTOTIC) / ASYMPTOTIC), log_h)
    slope = np.where(u > -1, below / h, np.where(u < ASYMPTOTIC, -u, ratio / rest))
    return np.log(deviation) + log_h, slope
