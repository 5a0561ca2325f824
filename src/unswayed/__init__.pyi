"""The public names of the package, for static tools and for `__init__.py`."""

from unswayed.audits.audit import audit as audit
from unswayed.audits.result import Audit as Audit
from unswayed.audits.labels.audit import LabelAudit as LabelAudit
from unswayed.core.assumptions import Assumptions as Assumptions
from unswayed.core.certificate import Breakdown as Breakdown
from unswayed.core.certificate import Certificate as Certificate
from unswayed.core.certificate import breakdown as breakdown
from unswayed.core.certificate import certificate as certificate
from unswayed.core.kernels import Linear as Linear
from unswayed.core.kernels import Matern as Matern
from unswayed.core.kernels import SquaredExponential as SquaredExponential
from unswayed.core.measurement import Measurement as Measurement
from unswayed.core.posterior import JointPosterior as JointPosterior
from unswayed.core.posterior import Posterior as Posterior
from unswayed.core.threat import Threat as Threat
from unswayed.errors import CannotStart as CannotStart
from unswayed.errors import CommandFailed as CommandFailed
from unswayed.errors import CommandStopped as CommandStopped
from unswayed.errors import InvalidInput as InvalidInput
from unswayed.errors import JournalError as JournalError
from unswayed.errors import SystemFault as SystemFault
from unswayed.errors import UnswayedError as UnswayedError
from unswayed.experiments.store import load_runs as load_runs
from unswayed.policies.gp_ucb import GPUCB as GPUCB
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination as InfluencePhasedElimination
from unswayed.policies.influence_ucb import InfluenceUCB as InfluenceUCB
from unswayed.policies.linear_phased_elimination import LinearPhasedElimination as LinearPhasedElimination
from unswayed.policies.robust_gp_ucb import RobustGPUCB as RobustGPUCB
from unswayed.policies.robust_phased_elimination import RobustPhasedElimination as RobustPhasedElimination
from unswayed.policies.trimmed_phased_elimination import TrimmedPhasedElimination as TrimmedPhasedElimination
from unswayed.policies.vigilant_ucb import VigilantUCB as VigilantUCB
from unswayed.problems.problem import Problem as Problem
from unswayed.programs.command import Command as Command
from unswayed.search.answer import Answer as Answer
from unswayed.search.play import Play as Play
from unswayed.search.play import Status as Status
from unswayed.search.play import Why as Why
from unswayed.simulation.corrupted import Corrupted as Corrupted
from unswayed.simulation.run import Run as Run
from unswayed.simulation.simulate import simulate as simulate
from unswayed.spaces.box import Box as Box
from unswayed.spaces.intervals import Integer as Integer
from unswayed.spaces.options import Options as Options
from unswayed.spaces.parameters import Categorical as Categorical
from unswayed.spaces.reals import Real as Real
from unswayed.study.maximize import maximize as maximize
from unswayed.study.maximize import minimize as minimize
from unswayed.study.optimizer import Optimizer as Optimizer
from unswayed.study.reading import Study as Study
from unswayed.study.result import Result as Result
from unswayed.types import Feedback as Feedback
from unswayed.types import Query as Query
from unswayed.types import View as View

__version__: str
__all__: list[str]
