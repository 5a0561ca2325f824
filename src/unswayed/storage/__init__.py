"""Files that are complete or absent, and journals that lose nothing they have acknowledged."""

from unswayed.storage.files import TEMPORARY, lock, remove_temporaries, write_atomically
from unswayed.storage.journal import FileJournal, Journal, JournalWarning, MemoryJournal
from unswayed.storage.journal_lines import Record

__all__ = [
    "TEMPORARY",
    "FileJournal",
    "Journal",
    "JournalWarning",
    "MemoryJournal",
    "Record",
    "lock",
    "remove_temporaries",
    "write_atomically",
]
