"""Writes Parquet files with other programs, each with the values that it should be read with beside it.

    pip install pyarrow pandas polars duckdb fastparquet
    python make.py

Beside the files NAME-*.parquet is NAME.csv with the numbers that they should be read as, empty where there is none.
"""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 90
t = np.arange(ROWS) * 0.005
angle = np.sin(t * 7) * 40
step = np.arange(ROWS) % 7
gaps = [None if k % 5 == 0 else float(a) for k, a in enumerate(angle)]


def table():
    return pa.table(
        {
            "time": pa.array(t),
            "angle [deg]": pa.array(angle),
            "single": pa.array(angle.astype("float32")),
            "count": pa.array(np.arange(ROWS) * 1000 - 5, pa.int64()),
            "small": pa.array(step, pa.int8()),
            "unsigned": pa.array(np.arange(ROWS) + 4294967000, pa.uint64()),
            "unsigned32": pa.array((np.arange(ROWS) + 4294966990) % 2**32, pa.uint32()),
            "flag": pa.array(step > 3),
            "gaps": pa.array(gaps),
            "level": pa.array([["low", "high"][k % 2] for k in range(ROWS)]),
        }
    )


def expected(name, columns):
    with open(f"{name}.csv", "w") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            cells = ["" if value is None else repr(float(value)) for value in row]
            file.write(",".join(cells) + "\n")


def numbers(source):
    columns = {}
    for name in source.column_names:
        if not pa.types.is_string(source[name].type):
            columns[name] = source[name].to_pylist()
    return columns


source = table()
for codec in ["none", "snappy", "gzip", "lz4", "zstd"]:
    pq.write_table(source, f"pyarrow-{codec}.parquet", compression=codec)
for name, options in {
    "v2": dict(data_page_version="2.0", compression="zstd"),
    "groups": dict(row_group_size=40, data_page_size=256, compression="snappy"),
    "plain": dict(use_dictionary=False, compression="snappy"),
    "delta": dict(use_dictionary=False, compression="snappy", column_encoding={
        "count": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED", "unsigned": "DELTA_BINARY_PACKED",
        "time": "BYTE_STREAM_SPLIT", "angle [deg]": "BYTE_STREAM_SPLIT", "single": "BYTE_STREAM_SPLIT", "level": "PLAIN"}),
    "v2rle": dict(use_dictionary=False, data_page_version="2.0", compression="none", version="2.6"),
}.items():
    pq.write_table(source, f"pyarrow-{name}.parquet", **options)

expected("pyarrow", numbers(source))

# Points in time of all units; they are read in seconds from the first.
start = datetime.datetime(2026, 11, 18, 12, 0, 0)
stamps = [start + datetime.timedelta(milliseconds=5 * k) for k in range(ROWS)]
for unit in ["ms", "us", "ns"]:
    stamped = pa.table({"stamp": pa.array(stamps, pa.timestamp(unit)), "x": pa.array(angle)})
    pq.write_table(stamped, f"stamps-{unit}.parquet")
stamped = pa.table({"stamp": pa.array(stamps, pa.timestamp("ns")), "x": pa.array(angle)})
pq.write_table(stamped, "stamps-int96.parquet", use_deprecated_int96_timestamps=True)
expected("stamps", {"stamp": list(t), "x": list(angle)})

# Structures are columns with dots; lists and decimals of bytes are left out.
nested = pa.table(
    {
        "t": pa.array(t),
        "pose": pa.array([{"x": float(a), "y": None if k % 3 else 1.0} for k, a in enumerate(angle)]),
        "list": pa.array([[1.0, 2.0]] * ROWS),
    }
)
pq.write_table(nested, "nested-pyarrow.parquet")
expected("nested", {"t": list(t), "pose.x": list(angle), "pose.y": [None if k % 3 else 1.0 for k in range(ROWS)]})

frame = pd.DataFrame({"time": t, "angle": angle, "step": step.astype("int64"), "name": "x"})
frame.to_parquet("pandas-pyarrow.parquet")
frame.to_parquet("pandas-fastparquet.parquet", engine="fastparquet")
polars = pl.DataFrame({"time": t, "angle": angle, "step": step, "gaps": gaps})
polars.write_parquet("polars-zstd.parquet")
expected("polars", {"time": list(t), "angle": list(angle), "step": list(step), "gaps": gaps})
expected("pandas", {"time": list(t), "angle": list(angle), "step": list(step)})
duckdb.sql("copy (select (k * 0.005)::double as t, sin(k * 0.035) * 40 as angle, k % 7 as step, (k % 7 > 3) as flag "
           "from range(90) tbl(k)) to 'duckdb-snappy.parquet' (format parquet)")
out = duckdb.sql("select * from 'duckdb-snappy.parquet'").fetchnumpy()
expected("duckdb", {name: list(map(float, out[name])) for name in ["t", "angle", "step", "flag"]})
