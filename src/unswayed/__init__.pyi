"""What static tools see of the package; a test compares it with `__init__.py`."""

from unswayed.audits.audit import Audit as Audit, audit as audit
from unswayed.core.assumptions import Assumptions as Assumptions
from unswayed.core.certificate import Breakdown as Breakdown, Certificate as Certificate, breakdown as breakdown, certificate as certificate
from unswayed.core.kernels import Linear as Linear, Matern as Matern, SquaredExponential as SquaredExponential
from unswayed.core.posterior import JointPosterior as JointPosterior, Posterior as Posterior
from unswayed.errors import CommandFailed as CommandFailed, CommandStopped as CommandStopped, InvalidInput as InvalidInput, JournalError as JournalError, SystemFault as SystemFault, UnswayedError as UnswayedError
from unswayed.experiments.store import load_runs as load_runs
from unswayed.policies.gp_ucb import GPUCB as GPUCB
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination as InfluencePhasedElimination
from unswayed.policies.influence_ucb import InfluenceUCB as InfluenceUCB
from unswayed.policies.linear_phased_elimination import LinearPhasedElimination as LinearPhasedElimination
from unswayed.policies.robust_gp_ucb import RobustGPUCB as RobustGPUCB
from unswayed.policies.robust_phased_elimination import RobustPhasedElimination as RobustPhasedElimination
from unswayed.policies.vigilant_ucb import VigilantUCB as VigilantUCB
from unswayed.problems.problem import Problem as Problem
from unswayed.programs.command import Command as Command
from unswayed.search.answer import Answer as Answer
from unswayed.search.play import Play as Play, Status as Status
from unswayed.simulation.corrupted import Corrupted as Corrupted
from unswayed.simulation.run import Run as Run
from unswayed.simulation.simulate import simulate as simulate
from unswayed.spaces.box import Box as Box
from unswayed.spaces.intervals import Integer as Integer, Real as Real
from unswayed.spaces.options import Options as Options
from unswayed.spaces.parameters import Categorical as Categorical
from unswayed.study.maximize import maximize as maximize, minimize as minimize
from unswayed.study.optimizer import Optimizer as Optimizer
from unswayed.study.result import Result as Result
from unswayed.types import Feedback as Feedback, Query as Query, View as View

__version__: str
__all__: list[str]
