"""Spaces, models and random numbers of BoTorch.

A row has one number for each parameter: a position in [0, 1], or the number of a choice, which the model sees one-hot.
Real numbers are climbed, mixed spaces are searched by BoTorch's alternating search, and a list is searched completely.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.relevance_pursuit import forward_relevance_pursuit
from botorch.models.transforms.input import NumericToCategoricalEncoding
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.nn.functional import one_hot

from unswayed.spaces import Box, Categorical, Integer, Options, Point, Space

RESTARTS = 10  # climbs of the acquisition
RAW = 256  # random points, from which the starts of the climbs are chosen
# Shares of the plays that may be outliers. Forward pursuit up to 30% found the same outliers as BoTorch's default
# (backward pursuit from 100%) in three of three cases, in a third of the time; a play still takes several seconds.
OUTLIERS = (0, 0.05, 0.1, 0.15, 0.2, 0.3)


class Rows:
    """The rows of a space: of a list its encoded ones, of a box one number for each parameter."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._listed = isinstance(space, Options)
        parameters: dict[int, Any] = dict(enumerate(space.parameters.values())) if isinstance(space, Box) else {}
        self._parameters = parameters
        self._choices = {i: one.size for i, one in parameters.items() if isinstance(one, Categorical)}
        integers = {i: one for i, one in parameters.items() if isinstance(one, Integer)}
        self._integers = {i: one.encode(range(one.low, one.high + 1))[:, 0].tolist() for i, one in integers.items()}
        ends = [self._choices.get(i, 2) - 1 for i in range(len(space.names))]
        self._bounds = torch.tensor([[0] * len(ends), ends], dtype=torch.double)

    def first(self, seed: int) -> Any:
        """Rows to begin with, two for each number of a row: Sobol's points."""
        d = self._space.columns if self._listed else len(self._parameters)
        sobol = torch.quasirandom.SobolEngine(d, scramble=True, seed=seed)
        return self.legal(sobol.draw(2 * d).double())

    def legal(self, unit: Any) -> Any:
        """Points of the unit cube as rows of points of the space."""
        columns = [(u * self._choices[i]).floor() if i in self._choices else u for i, u in enumerate(unit.T)]
        return torch.stack([self.row(self.point(row)) for row in torch.stack(columns, dim=1)])

    def point(self, row: Any) -> Point:
        """The point of a row."""
        if self._listed:
            return self._space.decode(row[None].numpy())[0]
        values = [
            one.choices[round(float(z))] if i in self._choices else one.decode(np.array([[float(z)]]))[0]
            for (i, one), z in zip(self._parameters.items(), row, strict=True)
        ]
        return dict(zip(self._space.names, values, strict=True))

    def row(self, point: Point) -> Any:
        """The row of a point."""
        if self._listed:
            return torch.as_tensor(self._space.encode([point])[0])
        pairs = zip(self._parameters.items(), point.values(), strict=True)
        numbers = [one.choices.index(x) if i in self._choices else one.encode([x])[0, 0] for (i, one), x in pairs]
        return torch.tensor(numbers, dtype=torch.double)

    def one_hot(self) -> Any:
        """The transform that shows the numbers of choices to the model as one-hot columns."""
        encoders = {i: partial(one_hot, num_classes=k) for i, k in self._choices.items()}
        return NumericToCategoricalEncoding(len(self._parameters), self._choices, encoders) if encoders else None

    def search(self, acquisition: Any) -> Any:
        """The row of the maximum of the acquisition."""
        if self._listed:
            return optimize_acqf_discrete(acquisition, 1, torch.as_tensor(self._space.arms(1, 0)))[0][0]
        if not self._choices and not self._integers:
            return optimize_acqf(acquisition, self._bounds, 1, RESTARTS, RAW)[0][0]
        kinds = {"discrete_dims": self._integers, "cat_dims": {i: list(range(k)) for i, k in self._choices.items()}}
        how = {"num_restarts": RESTARTS, "raw_samples": RAW, **kinds}
        return optimize_acqf_mixed_alternating(acquisition, self._bounds, **how)[0][0]


def fitted(kind: Any, X: Any, y: Any, transform: Any) -> Any:
    """A model of this kind, fitted to the values y at the rows X."""
    model = kind(X, y, input_transform=transform)
    options = {}
    if hasattr(model, "prior_mean_of_support"):  # BoTorch takes its logarithm, but with less than five plays it is 0
        model.prior_mean_of_support = max(model.prior_mean_of_support, 1)
        numbers = sorted({int(share * len(y)) for share in OUTLIERS})
        options = {"relevance_pursuit_optimizer": forward_relevance_pursuit, "numbers_of_outliers": numbers}
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model), **options)
    return model


def believed(model: Any, X: Any) -> Any:
    """The posterior means and the standard deviations at the rows X, without noise. The model stays as it was."""
    with torch.no_grad():
        posterior = model.posterior(X)
        found = torch.stack([posterior.mean[:, 0], posterior.variance[:, 0].sqrt()])
    model.train()  # clears the cache of the predictions, which would change the next play a little
    model.eval()
    return found


@contextmanager
def seeded(*seed: int) -> Iterator[None]:
    """Random numbers of torch that depend on the seed only and change no other ones; without warnings of the fits."""
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        yield
