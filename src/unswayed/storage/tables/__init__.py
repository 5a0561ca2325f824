"""The one reader of tables: every format that people have, cells as they mean them, and errors that name the place."""

from unswayed.storage.tables.numbers import Decimal as Decimal
from unswayed.storage.tables.reading import read_numbers as read_numbers
from unswayed.storage.tables.reading import read_parquet as read_parquet
from unswayed.storage.tables.reading import read_table as read_table
from unswayed.storage.tables.table import Table as Table
