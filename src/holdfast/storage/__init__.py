"""Files that are whole or not there."""

from holdfast.storage.files import lock, write_atomically

__all__ = ["lock", "write_atomically"]
