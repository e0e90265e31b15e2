"""Parquet: the table of ``archive.rows``, by pyarrow (``pip install iogate[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

from iogate.archive.base import Item
from iogate.archive.rows import COLUMNS, from_rows, to_rows
from iogate.errors import UsageError, lacking
from iogate.files.bounds import DOCUMENT_BYTES, FOREIGN_BYTES, size

_ROWS_A_GROUP = 1000
_ROWS_AT_ONCE = 100
_NUMBERS = {"started_ns": "int64", "repetition": "int64", "value": "float64"}


def write(items: Iterable[Item], out: BinaryIO) -> None:
    """See ``archive.base.Format``."""
    pa, table = _pyarrow()
    schema = pa.schema([(name, _NUMBERS.get(name, "string")) for name in COLUMNS])
    rows = to_rows(items)
    with table.ParquetWriter(out, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_A_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


def read(source: BinaryIO, name: str) -> Iterator[Item]:
    """See ``archive.base.Format``."""
    pa, table = _pyarrow()
    try:
        file = table.ParquetFile(source)
        yield from from_rows(_rows(file))
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise UsageError(f"{name} is not Parquet: {error}") from None
    except UsageError as error:
        raise UsageError(f"{name}: {error.what}", remedy=error.remedy) from None


def _rows(file: Any) -> Iterator[dict[str, Any]]:
    """Few at a time, as each may be a large document; only what is read of them."""
    groups = range(file.metadata.num_row_groups)
    if any(file.metadata.row_group(at).total_byte_size > FOREIGN_BYTES for at in groups):
        raise UsageError(f"a group of its rows has more than {size(FOREIGN_BYTES)} bytes")
    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=["kind", "document"]):
        if batch.nbytes > 2 * DOCUMENT_BYTES:
            raise UsageError(f"its rows have more than {size(DOCUMENT_BYTES)} bytes")
        yield from batch.to_pylist()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        free = "or use --format csv or jsonl: nothing is lost in them"
        raise lacking("Parquet", error, "parquet", free) from None
    return pa, parquet
