//! Aligned text tables that keep only the first rows in memory, regardless of the number of rows.

use crate::terminal::output::{Output, OutputError};
use crate::visible::visible;
use unicode_width::UnicodeWidthStr;

/// The number of rows that are collected before the first one is printed. Their widths determine the column widths.
const SAMPLE: usize = 100;
const GAP: usize = 2;
/// The maximum width of a column. A single cell of any length must not pad all rows.
const WIDEST: usize = 250;

/// A table that is being printed: a heading, then rows as they arrive.
///
/// Columns are as wide as the widest cell among the first rows, up to a limit. A wider cell moves the rest of its row
/// to the right, and no cell is ever cut, so that its content can be copied.
pub struct Table<'a> {
    output: Output<'a>,
    widths: Vec<usize>,
    waiting: Vec<Vec<String>>,
    aligned: bool,
}

impl<'a> Table<'a> {
    /// Creates a table with these headings; each row must have the same number of cells.
    pub fn new<const COLUMNS: usize>(output: Output<'a>, headings: [&str; COLUMNS]) -> Self {
        Self {
            output,
            widths: vec![0; COLUMNS],
            waiting: vec![headings.map(str::to_owned).to_vec()],
            aligned: false,
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn row<const COLUMNS: usize>(&mut self, cells: [&str; COLUMNS]) -> Result<(), OutputError> {
        let cells = cells.map(|cell| visible(cell).replace(['\n', '\t'], " "));
        if self.aligned {
            return self.print(&cells);
        }
        self.waiting.push(cells.to_vec());
        if self.waiting.len() > SAMPLE {
            self.align()?;
        }
        Ok(())
    }

    /// Prints the rows that are still held back.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.align()
    }

    fn align(&mut self) -> Result<(), OutputError> {
        let waiting = std::mem::take(&mut self.waiting);
        for cells in &waiting {
            for (width, cell) in self.widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.width()).min(WIDEST);
            }
        }
        self.aligned = true;
        waiting.iter().try_for_each(|cells| self.print(cells))
    }

    fn print(&mut self, cells: &[String]) -> Result<(), OutputError> {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&self.widths) {
            line.push_str(cell);
            let missing = (width + GAP).saturating_sub(cell.width()).max(GAP);
            line.extend(std::iter::repeat_n(' ', missing));
        }
        self.output.line(line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::output::tests::captured;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let (printer, streams) = captured();
        let mut table = Table::new(printer.stdout(), ["PACKAGE", "CHANNEL", "HEAD"]);
        table.row(["etcd", "alpha", "etcdoperator.v0.9.4"]).unwrap();
        table.row(["a-long-package", "", "x"]).unwrap();
        table.finish().unwrap();
        printer.flush().unwrap();
        insta::assert_snapshot!(streams.stdout(), @"
        PACKAGE         CHANNEL  HEAD
        etcd            alpha    etcdoperator.v0.9.4
        a-long-package           x
        ");
    }

    #[test]
    fn the_first_rows_determine_the_columns_and_nothing_is_truncated() {
        let (printer, streams) = captured();
        let mut table = Table::new(printer.stdout(), ["NAME", "VERSION"]);
        for number in 0..SAMPLE {
            table.row([&format!("bundle-{number}"), "1.0.0"]).unwrap();
        }
        table.row(["a-name-wider-than-all-before", "2.0.0"]).unwrap();
        table.finish().unwrap();
        printer.flush().unwrap();
        assert!(
            streams
                .stdout()
                .ends_with("bundle-99  1.0.0\na-name-wider-than-all-before  2.0.0\n")
        );
    }

    #[test]
    fn a_very_wide_cell_does_not_pad_all_rows() {
        let (printer, streams) = captured();
        let mut table = Table::new(printer.stdout(), ["NAME", "RANGE"]);
        table.row(["a", "1"]).unwrap();
        table.row([&"b".repeat(10_000), "2"]).unwrap();
        table.finish().unwrap();
        printer.flush().unwrap();
        let shown = streams.stdout();
        let widths: Vec<usize> = shown.lines().map(str::len).collect();
        assert_eq!(
            widths,
            [WIDEST + GAP + "RANGE".len(), WIDEST + GAP + 1, 10_000 + GAP + 1]
        );
    }

    #[test]
    fn a_cell_is_a_single_line() {
        let (printer, streams) = captured();
        let mut table = Table::new(printer.stdout(), ["NAME", "TITLE"]);
        table.row(["a", "two\nlines\u{1b}[2J"]).unwrap();
        table.finish().unwrap();
        printer.flush().unwrap();
        assert_eq!(streams.stdout(), "NAME  TITLE\na     two lines\\u{1b}[2J\n");
    }

    #[test]
    fn a_table_without_rows_has_only_a_heading() {
        let (printer, streams) = captured();
        Table::new(printer.stdout(), ["NAME"]).finish().unwrap();
        printer.flush().unwrap();
        assert_eq!(streams.stdout(), "NAME\n");
    }
}
