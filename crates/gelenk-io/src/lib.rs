//! Recordings on disk and tables from files.
//!
//! While a study runs, [`PartWriter`] puts parts into the folder `<run>.parts`, each a small Parquet file that is complete
//! on disk before its rows are announced. On close they become one Parquet file; after a kill, [`recover`] makes the same
//! file out of the parts. Any Parquet program reads both; the metadata carries units and meaning.
//!
//! Of the Parquet format there is here what recordings need, and no more: columns of numbers without gaps, written and read
//! back. The files `footer`, `page`, `thrift` and `arrow_fields` hold it.
//!
//! | module | content |
//! |---|---|
//! | [`error`] | [`IoError`]: what can go wrong, with the file and the way out |
//! | [`part_writer`] | [`PartWriter`]: the sink on disk |
//! | [`recovery`] | [`recover`]: from parts to a recording after a kill |
//! | [`reading`] | [`read`] and [`info`] for recordings and folders of parts |
//! | [`pieces`] | [`Pieces`]: chosen columns and rows of a long recording |
//! | [`gather`] | a few rows out of a long recording |
//! | [`contact_elements`] | [`ElementTable`]: contact elements beside a recording |
//! | [`csv_log`] | [`read_csv_log`]: measured tables in |
//! | [`csv_table`] | [`write_csv`]: columns of a recording out |
//! | [`following`] | [`Following`]: a recording that is still being written |
//! | [`format`](mod@format) | [`Format`]: what kind of file something is |
//! | [`table`] | [`read_table`]: CSV and Parquet tables of other programs as recordings |
//! | `csv_columns` | all columns of a table as text |
//! | `whole_text` | the bytes of a table |
//! | `foreign` | Parquet files of other programs |
//! | `thrift` | the protocol in which Parquet files say what they hold |
//!
//! The same rows, events and metadata give the same bytes: nothing about clock or machine goes into a file.

mod arrow_fields;
mod checksum;
pub mod contact_elements;
mod csv_columns;
pub mod csv_log;
pub mod csv_table;
mod durable;
pub mod error;
pub mod following;
mod footer;
mod foreign;
pub mod format;
pub mod gather;
mod layout;
mod page;
mod parquet_file;
mod part;
pub mod part_writer;
mod parts_folder;
pub mod pieces;
pub mod reading;
pub mod recovery;
mod scanning;
pub mod table;
mod thrift;
mod whole_text;

pub use contact_elements::{ElementTable, elements_path};
pub use csv_log::{CsvError, EmptyCell, Log, read_csv_log};
pub use csv_table::{write_csv, write_csv_to};
pub use error::IoError;
pub use following::{Following, Growth};
pub use format::Format;
pub use parquet_file::is_parquet;
pub use part_writer::{Finished, Follows, PartOptions, PartWriter, STATE};
pub use parts_folder::parts_folder;
pub use pieces::Pieces;
pub use reading::{ColumnInfo, Info, info, read};
pub use recovery::{Begun, Recovered, Recovery, begun, recover};
pub use scanning::Damage;
pub use table::{Offset, Opened, Table, TableError, TableFacts, TableOptions, open_any, read_table};
