"""The journal of a study on a server that signs what witnesses say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unswayed.storage import Record
from unswayed.storage.database import Database, DatabaseJournal
from unswayed.storage.writing import Writing
from unswayed.witness.chain import Chain, hashed, needs_signature, signed
from unswayed.witness.keys import SigningKey


class SignedJournal(DatabaseJournal):
    """A journal in a database, in which records of witnesses are signed as they are written.

    Args:
        database: Where.
        study: The name of the study.
        key: Signs; None: nothing is signed, and no signature is believed.
    """

    def __init__(self, database: Database, study: str, key: SigningKey | None) -> None:
        self._key = key
        self._chain = Chain()
        super().__init__(database, study)

    @property
    def checked(self) -> bool:
        """Whether all signatures were checked with the key, and are right."""
        return self._key is not None and self._chain.whole

    def read(self) -> list[Record]:
        """All records, oldest first."""
        records = super().read()
        self._chain = self._followed(Chain(), records)
        return records

    def news(self) -> list[Record]:
        """The records that others have written since the last reading."""
        records = super().news()
        self._chain = self._followed(self._chain, records)
        return records

    @contextmanager
    def writing(self) -> Iterator[tuple[Writing, list[Record]]]:
        """A transaction, at whose end what witnesses say is signed."""
        before = self._chain
        try:
            with super().writing() as (writing, news):
                self._chain = self._followed(self._chain, news)
                yield writing, news
                self._sign()
        except BaseException:
            self._chain = before
            raise

    def sealed(self, records: list[Record], at: float) -> list[Record]:
        """Records with one more, which is signed and so speaks for all of them.

        Args:
            records: All records of the study.
            at: The time, in seconds since 1970.
        """
        chain = self._followed(Chain(), records)
        if self._key is None or not chain.whole:
            return records
        return [*records, signed({"kind": "seal", "study": self._study, "at": at}, chain.head, self._key)]

    def _followed(self, chain: Chain, records: list[Record]) -> Chain:
        return chain if self._key is None else chain.then(records, self._key.public)

    def _sign(self) -> None:
        """Sign what the transaction has gathered, each record after the one before it."""
        if self._key is None:
            return
        head, new = self._chain.head, self.appended
        for place, record in enumerate(new):
            if needs_signature(record):
                new[place] = record = signed(record, head, self._key)
            head = hashed(head, record)
        self._chain = Chain(head, self._chain.whole)
