"""The home of the posteriors for code outside the package; they live in `core/gp`."""

from unswayed.core.gp.posterior import JointPosterior as JointPosterior
from unswayed.core.gp.posterior import Posterior as Posterior
