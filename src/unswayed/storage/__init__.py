"""Files that are complete or absent, and journals that lose nothing they have acknowledged."""

from unswayed.storage.files import lock, write_atomically
from unswayed.storage.journal import FileJournal, Journal, JournalWarning, MemoryJournal, read_journal
from unswayed.storage.journal import Record, journal_bytes

__all__ = [
    "FileJournal",
    "Journal",
    "JournalWarning",
    "MemoryJournal",
    "Record",
    "journal_bytes",
    "lock",
    "read_journal",
    "write_atomically",
]
