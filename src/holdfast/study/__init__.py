"""Work on measurements that people have or make."""

from holdfast.study.audit import Audit, audit

__all__ = ["Audit", "audit"]
