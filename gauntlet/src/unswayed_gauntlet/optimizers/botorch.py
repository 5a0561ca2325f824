"""BoTorch as its documentation advises for noise.

A Gaussian process with the default priors and standardised outcomes, refitted at every play, and
LogNoisyExpectedImprovement. It recommends the played point of largest posterior mean, and claims the posterior interval
of the function there, without noise.
"""

from __future__ import annotations

import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement as Acquisition
from botorch.models import robust_relevance_pursuit_model

from unswayed.core.tampering.threat import Threat
from unswayed.spaces import Point, Space
from unswayed_gauntlet.optimizers.botorch_rows import Rows, believed, fitted, seeded


class BoTorch:
    """`SingleTaskGP`, or its robust variant by relevance pursuit, with the same acquisition."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int, *, model: str) -> None:
        self._rows, self._seed = Rows(space), seed
        self._kind = getattr(robust_relevance_pursuit_model, model)  # this module has both
        self._first = self._rows.first(seed)
        self._X, self._y, self._model = self._first[:0], self._first[:0, :1], None

    def ask(self, source: str | None) -> Point:
        """A Sobol point at first, then the maximum of the acquisition."""
        if len(self._y) < len(self._first):
            return self._rows.point(self._first[len(self._y)])
        self._fit()
        with seeded(self._seed, len(self._y)):
            return self._rows.point(self._rows.search(Acquisition(self._model, self._X)))

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Keep the value; the model is fitted again when it is needed."""
        self._X = torch.cat([self._X, self._rows.row(point)[None]])
        self._y = torch.cat([self._y, torch.tensor([[value]], dtype=torch.double)])
        self._model = None

    def recommend(self) -> Point:
        """The played point of largest posterior mean."""
        self._fit()
        return self._rows.point(self._X[believed(self._model, self._X)[0].argmax()])

    def claim(self) -> tuple[float, float]:
        """The mean there, less and plus 1.96 standard deviations."""
        self._fit()
        mean, deviation = max(believed(self._model, self._X).T.tolist())
        return mean - 1.96 * deviation, mean + 1.96 * deviation

    def _fit(self) -> None:
        if self._model is None:
            with seeded(self._seed, len(self._y)):
                self._model = fitted(self._kind, self._X, self._y, self._rows.one_hot())
