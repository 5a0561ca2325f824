"""Votes between options: scores, and the exact number of false votes that decide who is first."""

from unswayed.core.votes.bradley_terry import Votes, fit
from unswayed.core.votes.changes import Bracket, Move, dropped, flipped
from unswayed.core.votes.leads import Lead, lead, leads
from unswayed.core.votes.voters import voters

__all__ = ["Bracket", "Lead", "Move", "Votes", "dropped", "fit", "flipped", "lead", "leads", "voters"]
