//! Progress bars on standard error.

use indicatif::{
    BinaryBytes, HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::concurrent;
use crate::image::{Progress, Whole};
use crate::visible::one_line;

/// The time before a rate is shown. Earlier rates would be wrong, because buffered data arrives all at once.
const MEASURED: Duration = Duration::from_secs(2);

/// The number of characters of a name that are shown in front of its bar.
const NAME: usize = 28;

/// The interval between lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The bars of all active transfers, below a bar for the total. Without a terminal, a line about the total is written
/// every ten seconds, and individual transfers are not shown.
#[derive(Debug)]
pub struct Bars {
    screen: MultiProgress,
    style: Style,
    under_way: Mutex<UnderWay>,
    overall: Mutex<Option<Overall>>,
    warnings: Mutex<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Bars,
    Lines,
    Nothing,
}

#[derive(Debug, Default)]
struct UnderWay {
    next: u64,
    /// The transferred bytes and the bar of each transfer.
    transfers: BTreeMap<u64, (u64, Option<ProgressBar>)>,
}

/// The overall progress of a larger operation.
#[derive(Debug)]
struct Overall {
    began: Instant,
    /// The time of the last line.
    last_line: Instant,
    bar: Option<ProgressBar>,
}

impl Bars {
    /// Bars on standard error.
    pub fn animated() -> Self {
        Self::on(ProgressDrawTarget::stderr(), Style::Bars)
    }

    /// Lines on standard error.
    pub fn lines() -> Self {
        Self::on(ProgressDrawTarget::hidden(), Style::Lines)
    }

    /// No progress output.
    pub fn hidden() -> Self {
        Self::on(ProgressDrawTarget::hidden(), Style::Nothing)
    }

    fn on(target: ProgressDrawTarget, style: Style) -> Self {
        Self {
            screen: MultiProgress::with_draw_target(target),
            style,
            under_way: Mutex::default(),
            overall: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Runs `action` while no bar is drawn on the terminal.
    pub fn aside<T>(&self, action: impl FnOnce() -> T) -> T {
        if self.style == Style::Bars {
            self.screen.suspend(action)
        } else {
            action()
        }
    }

    /// Returns a writer to standard error that does not disturb the bars, for logs from any thread.
    pub fn writer(&self) -> impl Fn() -> BesideBars + Send + Sync + 'static {
        let screen = (self.style == Style::Bars).then(|| self.screen.clone());
        move || BesideBars(screen.clone())
    }

    /// Returns the warnings about transfers since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut concurrent::lock(&self.warnings))
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        concurrent::lock(&self.under_way)
    }
}

impl Progress for Bars {
    fn started(&self, what: &str, bytes: Option<u64>) -> u64 {
        let mut under_way = self.under_way();
        let id = under_way.next;
        under_way.next += 1;
        let bar = (self.style == Style::Bars).then(|| {
            let bar = self.screen.add(ProgressBar::no_length());
            bar.set_style(style(bytes.is_some()));
            if let Some(bytes) = bytes {
                bar.set_length(bytes);
            }
            bar.set_message(short(what));
            bar
        });
        under_way.transfers.insert(id, (0, bar));
        id
    }

    fn advanced(&self, id: u64, bytes: u64) {
        if let Some((done, bar)) = self.under_way().transfers.get_mut(&id) {
            *done += bytes;
            if let Some(bar) = bar {
                bar.inc(bytes);
            }
        }
    }

    fn finished(&self, id: u64) {
        let transfer = self.under_way().transfers.remove(&id);
        if let Some((_, Some(bar))) = transfer {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
    }

    fn whole(&self, whole: Option<Whole>) {
        let mut overall = concurrent::lock(&self.overall);
        let Some(whole) = whole else {
            if let Some(bar) = overall.take().and_then(|overall| overall.bar) {
                bar.finish_and_clear();
                self.screen.remove(&bar);
            }
            return;
        };
        let under_way: u64 = self.under_way().transfers.values().map(|(bytes, _)| bytes).sum();
        let overall = overall.get_or_insert_with(|| Overall {
            began: Instant::now(),
            last_line: Instant::now(),
            bar: (self.style == Style::Bars).then(|| {
                let bar = self.screen.insert(0, ProgressBar::new_spinner());
                bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar
            }),
        });
        let line = line(
            whole,
            (whole.bytes + under_way).min(whole.bytes_of),
            overall.began.elapsed(),
        );
        if let Some(bar) = &overall.bar {
            bar.set_message(line);
        } else if self.style == Style::Lines && overall.last_line.elapsed() >= LINE_EVERY {
            overall.last_line = Instant::now();
            // If standard error is closed, the message is lost.
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
    }

    fn warned(&self, message: &str) {
        let mut warnings = concurrent::lock(&self.warnings);
        warnings.push(message.to_owned());
    }
}

/// A writer to standard error that hides the bars during a write.
pub struct BesideBars(Option<MultiProgress>);

impl Write for BesideBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let write = || io::stderr().lock().write(bytes);
        match &self.0 {
            Some(screen) => screen.suspend(write),
            None => write(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Describes the overall progress in one line.
fn line(whole: Whole, bytes: u64, elapsed: Duration) -> String {
    let failed = if whole.failed > 0 {
        format!(", {} failed", whole.failed)
    } else {
        String::new()
    };
    let size = format!("{} of {}", BinaryBytes(bytes), BinaryBytes(whole.bytes_of));
    let mut line = format!("{} of {} done{failed}, {size}", whole.items, whole.items_of);
    let seconds = elapsed.as_secs();
    if elapsed >= MEASURED
        && let Some(rate) = bytes.checked_div(seconds).filter(|rate| *rate > 0)
    {
        line.push_str(&format!(", {}/s", BinaryBytes(rate)));
        // The last items consist mostly of requests, whose duration does not depend on the number of bytes.
        let left = Duration::from_secs(whole.bytes_of.saturating_sub(bytes) / rate);
        if !left.is_zero() {
            line.push_str(&format!(", {} left", HumanDuration(left)));
        }
    }
    line
}

fn style(sized: bool) -> ProgressStyle {
    let template = if sized {
        "{msg:28} [{bar:8}] {binary_bytes:>10} of {binary_total_bytes:10} {rate}"
    } else {
        "{msg:28} {binary_bytes:>10} {rate}"
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            if state.elapsed() >= MEASURED {
                // A rate is not negative, and no network is fast enough to overflow it.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
                let rate = state.per_sec() as u64;
                let _ = write!(out, "{}/s", BinaryBytes(rate));
            }
        })
        .progress_chars("=> ")
}

fn short(what: &str) -> String {
    let what = one_line(what);
    match what.char_indices().rev().nth(NAME - 1) {
        // The end of a reference, its repository and tag, is more informative than the beginning.
        Some((at, _)) if at > 0 => {
            let kept = what.char_indices().rev().nth(NAME - 4).map_or(0, |(at, _)| at);
            format!("...{}", &what[kept..])
        }
        _ => what.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::sync::Arc;

    /// A terminal that stores the drawn content.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn progress_shows_name_and_size_on_a_terminal() {
        let screen = Screen::default();
        let bars = Bars::on(
            ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255),
            Style::Bars,
        );
        let id = bars.started("registry.example.com/etcd:v1", Some(2048));
        bars.advanced(id, 1024);
        bars.aside(|| screen.write_line("a line beside the bars").unwrap());
        bars.finished(id);
        bars.advanced(id, 1);
        let drawn = screen.0.lock().unwrap().clone();
        assert!(drawn.contains("registry.example.com/etcd:v1"), "{drawn}");
        assert!(drawn.contains("2.00 KiB"), "{drawn}");
        assert!(drawn.contains("a line beside the bars\n"), "{drawn}");
        assert!(bars.under_way().transfers.is_empty());
    }

    #[test]
    fn a_bar_fits_eighty_columns_and_shows_no_rate_at_first() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let bars = Bars::on(target, Style::Bars);
        let gibibyte = 1 << 30;
        let id = bars.started(
            "registry.example.com/a/very/long/repository/name:v1.2.3-rc.1",
            Some(1023 * gibibyte),
        );
        bars.advanced(id, 1000 * gibibyte);
        bars.finished(id);
        let drawn = screen.0.lock().unwrap().clone();
        let longest = "...pository/name:v1.2.3-rc.1 [=======>] 1000.00 GiB of 1023.00 GiB";
        assert!(drawn.contains(longest), "{drawn}");
        assert!(!drawn.contains("/s"), "{drawn}");
        assert!(longest.len() + " 1023.99 MiB/s".len() <= 80);
    }

    #[test]
    fn hidden_bars_still_count_the_transfers() {
        let bars = Bars::hidden();
        let first = bars.started("a", None);
        let second = bars.started("b", Some(1));
        assert_ne!(first, second);
        bars.advanced(first, 5);
        bars.finished(first);
        bars.finished(second);
        assert!(bars.under_way().transfers.is_empty());
    }

    #[test]
    fn the_total_is_one_line_above_the_transfers() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let bars = Bars::on(target, Style::Bars);
        let whole = Whole {
            bytes: 1 << 20,
            bytes_of: 4 << 20,
            items: 3,
            failed: 1,
            items_of: 9,
        };
        let id = bars.started("registry.example.com/a@sha256", Some(2 << 20));
        bars.advanced(id, 1 << 20);
        bars.whole(Some(whole));
        let drawn = screen.0.lock().unwrap().clone();
        assert!(drawn.contains("3 of 9 done, 1 failed, 2.00 MiB of 4.00 MiB"), "{drawn}");
        bars.finished(id);
        bars.whole(None);
        assert!(bars.overall.lock().unwrap().is_none());
    }

    #[test]
    fn rate_and_remaining_time_are_shown_once_known() {
        let whole = Whole {
            bytes: 0,
            bytes_of: 100 << 20,
            items: 0,
            failed: 0,
            items_of: 2,
        };
        assert_eq!(line(whole, 0, Duration::from_secs(1)), "0 of 2 done, 0 B of 100.00 MiB");
        let later = line(whole, 20 << 20, Duration::from_secs(10));
        assert_eq!(
            later,
            "0 of 2 done, 20.00 MiB of 100.00 MiB, 2.00 MiB/s, 40 seconds left"
        );
        // No bytes are left, but images are.
        let last = line(whole, 100 << 20, Duration::from_secs(10));
        assert_eq!(last, "0 of 2 done, 100.00 MiB of 100.00 MiB, 10.00 MiB/s");
    }

    #[test]
    fn a_long_name_is_truncated_at_its_start() {
        let name = format!("registry.example.com/{}/operator:v1.2.3", "deep/".repeat(20));
        assert_eq!(short(&name).chars().count(), NAME);
        assert!(short(&name).ends_with("/operator:v1.2.3"));
        assert_eq!(short("etcd\u{1b}"), "etcd\\u{1b}");
        assert_eq!(short(&"ä".repeat(NAME)), "ä".repeat(NAME));
    }
}
