"""BoTorch as its documentation advises for noise.

A Gaussian process with the default priors and standardised outcomes, refitted at every play, and
LogNoisyExpectedImprovement. Numbers and choices (one-hot) are encoded in the unit cube. The acquisition is climbed over
the relaxed cube; the optima of all restarts are rounded to points of the space, and the best rounded one is played. A
list is searched completely. It recommends the played point of largest posterior mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import robust_relevance_pursuit_model
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from unswayed.core.threat import Threat
from unswayed.spaces import Options, Point, Space
from unswayed.types import FloatArray

RESTARTS, RAW = 10, 256


class BoTorch:
    """`SingleTaskGP`, or its robust variant by relevance pursuit, with the same acquisition."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int, *, model: str) -> None:
        self._space, self._seed = space, seed
        self._kind = getattr(robust_relevance_pursuit_model, model)  # this module has both
        sobol = torch.quasirandom.SobolEngine(space.columns, scramble=True, seed=seed)
        self._first = sobol.draw(2 * len(space.names)).double().numpy()
        self._X, self._y = np.empty((0, space.columns)), np.empty(0)
        self._model: Any = None

    def ask(self, source: str | None) -> Point:
        """A Sobol point at first, then the maximum of the acquisition."""
        if len(self._y) < len(self._first):
            return self._space.decode(self._first[[len(self._y)]])[0]
        with _seeded(self._seed, len(self._y)):
            acquisition = qLogNoisyExpectedImprovement(self._fitted(), torch.as_tensor(self._X))
            rows = _proposed(acquisition, self._space)
            with torch.no_grad():
                best = int(acquisition(torch.as_tensor(rows)[:, None]).argmax())
        return self._space.decode(rows[[best]])[0]

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Keep the value; the model is fitted again when it is needed."""
        self._X, self._y = np.vstack([self._X, self._space.encode([point])]), np.append(self._y, value)
        self._model = None

    def recommend(self) -> Point:
        """The played point of largest posterior mean."""
        model = self._fitted()
        with torch.no_grad():
            mean = model.posterior(torch.as_tensor(self._X)).mean
        model.train()  # this forgets what was cached for the predictions: it would change the next play a little
        model.eval()
        return self._space.decode(self._X[[int(mean.argmax())]])[0]

    def _fitted(self) -> Any:
        if self._model is None:
            with _seeded(self._seed, len(self._y)):
                self._model = self._kind(torch.as_tensor(self._X), torch.as_tensor(self._y)[:, None])
                fit_gpytorch_mll(ExactMarginalLogLikelihood(self._model.likelihood, self._model))
        return self._model


def _proposed(acquisition: Any, space: Space) -> FloatArray:
    """All options of a list; in a box the optima of all restarts in the relaxed cube, rounded to points."""
    if isinstance(space, Options):
        return space.arms(1, 0)
    bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double).expand(2, space.columns)
    optima = optimize_acqf(acquisition, bounds, 1, RESTARTS, RAW, return_best_only=False)[0]
    return space.legal(optima.reshape(-1, space.columns).numpy())


@contextmanager
def _seeded(*seed: int) -> Iterator[None]:
    """Random numbers of torch that depend on the seed alone, and leave no trace; without the warnings of the fits."""
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        yield
