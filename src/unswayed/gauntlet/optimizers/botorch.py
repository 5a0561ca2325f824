"""BoTorch as its documentation advises for noise.

A Gaussian process with the default priors, refitted at every play, and LogNoisyExpectedImprovement. Numbers and choices
(one-hot) are encoded in the unit cube. The acquisition is climbed over the relaxed cube; the optima are rounded to
points of the space and the best rounded one is played, as in BoTorch's tutorials for mixed spaces. A list is searched
completely. It recommends the played point of largest posterior mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
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
    """`SingleTaskGP` or its robust variant by relevance pursuit, with the same acquisition."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int, *, model: str) -> None:
        self._space, self._seed, self._model = space, seed, model
        first = 2 * len(space.names)
        self._first = (
            torch.quasirandom.SobolEngine(space.columns, scramble=True, seed=seed).draw(first).double().numpy()
        )
        self._X, self._y = np.empty((0, space.columns)), np.empty(0)
        self._fitted: tuple[int, Any] = (0, None)

    def ask(self, source: str | None) -> Point:
        """A Sobol point at first, then the maximum of the acquisition."""
        n = len(self._y)
        if n < len(self._first):
            return self._space.decode(self._first[[n]])[0]
        with _seeded(self._seed, n):
            acquisition = qLogNoisyExpectedImprovement(self._fit(), torch.as_tensor(self._X))
            rows = self._space.arms(1, 0) if isinstance(self._space, Options) else self._climbed(acquisition)
            with torch.no_grad():
                return self._space.decode(rows[[int(acquisition(torch.as_tensor(rows)[:, None]).argmax())]])[0]

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Keep the value."""
        self._X = np.vstack([self._X, self._space.encode([point])])
        self._y = np.append(self._y, value)

    def recommend(self) -> Point:
        """The played point of largest posterior mean."""
        model = deepcopy(self._fit())  # predictions leave traces in a model, which could change the next play
        mean = model.posterior(torch.as_tensor(self._X)).mean
        return self._space.decode(self._X[[int(mean.argmax())]])[0]

    def _fit(self) -> Any:
        """The model of all values; fitted once for each number of values, whoever asks first."""
        n = len(self._y)
        if self._fitted[0] != n:
            with _seeded(self._seed, n):
                kind = getattr(robust_relevance_pursuit_model, self._model)
                model = kind(torch.as_tensor(self._X), torch.as_tensor(self._y)[:, None])
                fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            self._fitted = n, model
        return self._fitted[1]

    def _climbed(self, acquisition: Any) -> FloatArray:
        """The optima of all restarts in the relaxed cube, rounded to points of the space."""
        bounds = torch.tensor([[0.0], [1.0]], dtype=torch.double).expand(2, self._space.columns)
        how = {"q": 1, "num_restarts": RESTARTS, "raw_samples": RAW, "return_best_only": False}
        optima = optimize_acqf(acquisition, bounds, **how)[0]
        return self._space.legal(optima.reshape(-1, self._space.columns).numpy())


@contextmanager
def _seeded(*seed: int) -> Iterator[None]:
    """Random numbers of torch that depend on the seed alone, and leave no trace; without the warnings of the fits."""
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        yield
