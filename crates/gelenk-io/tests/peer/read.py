"""What pyarrow reads of sample.parquet, into sample.txt (pip install pyarrow numpy)."""

import struct
from pathlib import Path

import pyarrow.parquet as pq

here = Path(__file__).parent
file = pq.ParquetFile(here / "sample.parquet")
table = file.read()
lines = [f"{table.num_rows} rows"]
for place, (field, column) in enumerate(zip(file.schema_arrow, table.columns)):
    assert str(field.type) == "double" and not field.nullable
    lines.append(f"{field.name} [{field.metadata[b'unit'].decode()}] {field.metadata[b'meaning'].decode()}")
    bits = column.to_numpy().view("uint64")
    for row in [0, 1, 2, 3, 65535, 65536, 65999]:
        lines.append(f"  {row} {int(bits[row]):016x}")
    total = 0
    for value in bits.tolist():
        total = (31 * total + value) % 2**64
    lines.append(f"  all {total:016x}")
    for group in range(file.num_row_groups):
        known = file.metadata.row_group(group).column(place).statistics
        assert known.null_count == 0
        ends = [struct.unpack("<Q", struct.pack("<d", end + 0.0))[0] for end in (known.min, known.max)]
        lines.append(f"  range {ends[0]:016x} {ends[1]:016x}")
meta = file.metadata.metadata
lines.append(f"title {meta[b'gelenk.meta.title'].decode()}")
for line in meta[b"gelenk.events"].decode().splitlines():
    time, element, what = line.split("\t")
    lines.append(f"event {float(time)} {element} {what}")
(here / "sample.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
