//! CSV: a line of names, then one value a cell.

use super::decimal;
use super::{Column, Reading, choose};
use crate::failure::{Failure, Result};
use std::io::Write;
use std::path::Path;

/// Reads columns of a CSV file.
pub fn read(path: &Path, reading: &Reading) -> Result<Vec<Column>> {
    let failed = |error: ::csv::Error| refused(path, &error);
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(::csv::Trim::All)
        .from_path(path)
        .map_err(failed)?;
    let mut records = reader.records().peekable();
    let first = match records.peek() {
        Some(Ok(first)) => first.clone(),
        Some(Err(_)) => ::csv::StringRecord::new(),
        None => return Err(Failure::file("empty", path, "the file is empty")),
    };
    let names: Vec<String> = if reading.no_header {
        (1..=first.len()).map(|i| format!("column{i}")).collect()
    } else {
        if let Some(Err(error)) = records.next() {
            return Err(failed(error));
        }
        // Some spreadsheets put a byte order mark before the first name.
        first.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_owned()).collect()
    };
    if !reading.no_header && names.iter().all(|name| decimal::is_number(name)) {
        return Err(Failure::file("no_header", path, "the first line holds numbers, not names")
            .remedy("add a line of names, or say --no-header"));
    }
    let places = choose(path, &names, &reading.columns)?;
    let mut columns: Vec<Column> =
        places.iter().map(|&i| Column { name: names[i].clone(), values: Vec::new() }).collect();
    for (row, record) in records.enumerate() {
        let record = record.map_err(failed)?;
        for (column, &i) in columns.iter_mut().zip(&places) {
            let text = record.get(i).unwrap_or_default();
            let value = decimal::parse(text, reading.scale).map_err(|refusal| {
                let line = record.position().map_or(0, ::csv::Position::line);
                let (message, remedy) = refusal.explain(text, reading.scale, "--scale ");
                let place = format!("row {} (line {line}), column `{}`", row + 1, column.name);
                Failure::file("value", path, format!("{place}: {message}")).remedy(remedy)
            })?;
            column.values.push(value);
        }
    }
    if columns.iter().any(|column| column.values.is_empty()) {
        return Err(Failure::file("empty", path, "there are names but no values"));
    }
    Ok(columns)
}

fn refused(path: &Path, error: &::csv::Error) -> Failure {
    match error.kind() {
        ::csv::ErrorKind::Io(error) => Failure::io(path, error),
        _ => Failure::file("csv", path, error).remedy("a comma-separated table in UTF-8"),
    }
}

/// Writes columns of texts, which must be of one length.
pub fn write(
    out: &mut dyn Write,
    path: &Path,
    names: &[String],
    columns: &[Vec<String>],
) -> Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let rows = columns.first().map_or(0, Vec::len);
    let mut put = || -> std::result::Result<(), ::csv::Error> {
        writer.write_record(names)?;
        for row in 0..rows {
            writer.write_record(columns.iter().map(|column| &column[row]))?;
        }
        writer.flush()?;
        Ok(())
    };
    put().map_err(|error| refused(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, reading: &Reading) -> Result<Vec<Column>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, text).unwrap();
        read(&path, reading)
    }

    #[test]
    fn reads_names_and_values_and_only_the_wanted_columns() {
        let text = "\u{feff}id,\"mean, radius\",kind\r\n1,17.99,M\r\n2,-20.5,B\r\n";
        let reading = Reading {
            columns: vec!["mean, radius".to_owned(), "id".to_owned()],
            scale: "100".parse().ok(),
            no_header: false,
        };
        let columns = read_text(text, &reading).unwrap();
        assert_eq!(
            columns[0],
            Column { name: "mean, radius".to_owned(), values: vec![1799, -2050] }
        );
        assert_eq!(columns[1].values, [100, 200]);
    }

    #[test]
    fn refusals_name_row_column_value_and_remedy() {
        let failure = read_text("a,b\n1,2\n3,4.25\n", &Reading::default()).unwrap_err();
        assert_eq!((failure.kind, failure.exit_code), ("value", 3));
        assert!(failure.message.contains("row 2 (line 3), column `b`: 4.25"), "{failure}");
        assert!(failure.remedy.unwrap().contains("--scale 10^2"));
        for (text, kind) in [
            ("", "empty"),
            ("a,b\n", "empty"),
            ("1,2\n3,4\n", "no_header"),
            ("0.5,2\n3,4\n", "no_header"),
            ("a,b\n1,2,3\n", "csv"),
            ("a\nNaN\n", "value"),
            ("a,b\n1,\n", "value"),
        ] {
            assert_eq!(read_text(text, &Reading::default()).unwrap_err().kind, kind, "{text:?}");
        }
    }

    #[test]
    fn without_header_columns_have_numbers() {
        let reading = Reading { no_header: true, ..Reading::default() };
        let columns = read_text("1,2\n3,4\n", &reading).unwrap();
        assert_eq!(columns[1], Column { name: "column2".to_owned(), values: vec![2, 4] });
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, b"a,b\n\xff,2\n").unwrap();
        assert_eq!(read(&path, &Reading::default()).unwrap_err().kind, "csv");
        std::fs::write(&path, b"a,\xff\n1,2\n").unwrap();
        assert_eq!(read(&path, &Reading::default()).unwrap_err().kind, "csv");
    }
}
