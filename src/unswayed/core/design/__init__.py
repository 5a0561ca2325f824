"""Which arms to play, and how often."""

from unswayed.core.design.g_optimal import g_optimal_design as g_optimal_design
from unswayed.core.design.rare_switching import rare_switching_design as rare_switching_design
