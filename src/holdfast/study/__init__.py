"""Work on measurements that people have or make."""

from holdfast.study.answer import Answer
from holdfast.study.audit import Audit, audit
from holdfast.study.command import Command, CommandFailed, CommandStopped
from holdfast.study.maximize import Result, maximize, minimize
from holdfast.study.optimizer import Optimizer
from holdfast.study.plays import Play, Ticket

__all__ = [
    "Answer",
    "Audit",
    "Command",
    "CommandFailed",
    "CommandStopped",
    "Optimizer",
    "Play",
    "Result",
    "Ticket",
    "audit",
    "maximize",
    "minimize",
]
