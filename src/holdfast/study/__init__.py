"""Work on measurements that people have or make."""

from holdfast.study.audit import Audit, audit
from holdfast.study.command import Command, CommandFailed, CommandStopped

__all__ = ["Audit", "Command", "CommandFailed", "CommandStopped", "audit"]
