//! Aligned text tables of which only the first rows are kept, however many follow.

use crate::terminal::output::{Output, OutputError};
use crate::visible::visible;
use unicode_width::UnicodeWidthStr;

/// Rows that are looked at before the first one is printed. Their widths decide the columns.
const SAMPLE: usize = 100;
const GAP: usize = 2;

/// A table in the making: a heading, then rows, printed as they come.
///
/// Columns are as wide as the widest cell among the first rows. A later cell that is wider moves the rest of its own
/// row to the right, and nothing is ever cut: what stands in a column can be copied.
pub struct Table<'a> {
    output: Output<'a>,
    widths: Vec<usize>,
    waiting: Vec<Vec<String>>,
    aligned: bool,
}

impl<'a> Table<'a> {
    /// A table with these headings; as many cells belong into each row.
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
    /// When nobody reads the output any more, or it cannot be written.
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

    /// Prints the rows that are kept still.
    ///
    /// # Errors
    /// When nobody reads the output any more, or it cannot be written.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.align()
    }

    fn align(&mut self) -> Result<(), OutputError> {
        let waiting = std::mem::take(&mut self.waiting);
        for cells in &waiting {
            for (width, cell) in self.widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.width());
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
    fn the_first_rows_decide_the_columns_and_nothing_is_cut() {
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
    fn a_cell_stays_on_its_line() {
        let (printer, streams) = captured();
        let mut table = Table::new(printer.stdout(), ["NAME", "TITLE"]);
        table.row(["a", "two\nlines\u{1b}[2J"]).unwrap();
        table.finish().unwrap();
        printer.flush().unwrap();
        assert_eq!(streams.stdout(), "NAME  TITLE\na     two lines\\u{1b}[2J\n");
    }

    #[test]
    fn a_table_without_rows_is_its_heading() {
        let (printer, streams) = captured();
        Table::new(printer.stdout(), ["NAME"]).finish().unwrap();
        printer.flush().unwrap();
        assert_eq!(streams.stdout(), "NAME\n");
    }
}
