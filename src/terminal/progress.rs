//! Progress bars on standard error, for a person who watches.

use indicatif::{BinaryBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::image::Progress;
use crate::visible::one_line;

/// How long a transfer is measured before its rate is shown: what has waited in buffers comes at once.
const MEASURED: Duration = Duration::from_secs(2);

/// Characters of a name in front of its bar.
const NAME: usize = 28;

/// The bars of all transfers under way. Where nobody watches they are hidden and cost nothing.
#[derive(Debug)]
pub struct Bars {
    screen: MultiProgress,
    hidden: bool,
    under_way: Mutex<UnderWay>,
    warnings: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct UnderWay {
    next: u64,
    bars: BTreeMap<u64, ProgressBar>,
}

impl Bars {
    /// Bars on standard error.
    pub fn shown() -> Self {
        Self::on(ProgressDrawTarget::stderr(), false)
    }

    /// Bars that nobody sees.
    pub fn hidden() -> Self {
        Self::on(ProgressDrawTarget::hidden(), true)
    }

    fn on(target: ProgressDrawTarget, hidden: bool) -> Self {
        Self {
            screen: MultiProgress::with_draw_target(target),
            hidden,
            under_way: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Does something with the terminal while no bar is drawn over it.
    pub fn aside<T>(&self, action: impl FnOnce() -> T) -> T {
        if self.hidden {
            action()
        } else {
            self.screen.suspend(action)
        }
    }

    /// A writer to standard error that does not disturb the bars, for logs from any thread.
    pub fn writer(&self) -> impl Fn() -> BesideBars + Send + Sync + 'static {
        let screen = (!self.hidden).then(|| self.screen.clone());
        move || BesideBars(screen.clone())
    }

    /// What transfers warned of since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bars {
    fn started(&self, what: &str, bytes: Option<u64>) -> u64 {
        let mut under_way = self.under_way();
        let id = under_way.next;
        under_way.next += 1;
        if !self.hidden {
            let bar = self.screen.add(ProgressBar::no_length());
            bar.set_style(style(bytes.is_some()));
            if let Some(bytes) = bytes {
                bar.set_length(bytes);
            }
            bar.set_message(short(what));
            under_way.bars.insert(id, bar);
        }
        id
    }

    fn advanced(&self, id: u64, bytes: u64) {
        if let Some(bar) = self.under_way().bars.get(&id) {
            bar.inc(bytes);
        }
    }

    fn finished(&self, id: u64) {
        let bar = self.under_way().bars.remove(&id);
        if let Some(bar) = bar {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
    }

    fn warned(&self, message: &str) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push(message.to_owned());
    }
}

/// Standard error, with the bars out of the way while something is written.
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
                // A rate is not negative, and no network reaches its bounds.
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
        // The end of a reference, its repository and tag, tells more than its beginning.
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

    /// A terminal that remembers what is drawn on it.
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
    fn a_person_who_watches_sees_name_and_size() {
        let screen = Screen::default();
        let bars = Bars::on(
            ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255),
            false,
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
        assert!(bars.under_way().bars.is_empty());
    }

    #[test]
    fn a_bar_fits_into_eighty_columns_and_shows_no_rate_at_first() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let bars = Bars::on(target, false);
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
    fn hidden_bars_still_number_the_transfers() {
        let bars = Bars::hidden();
        let first = bars.started("a", None);
        let second = bars.started("b", Some(1));
        assert_ne!(first, second);
        bars.advanced(first, 5);
        bars.finished(first);
        assert!(bars.under_way().bars.is_empty());
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        let name = format!("registry.example.com/{}/operator:v1.2.3", "deep/".repeat(20));
        assert_eq!(short(&name).chars().count(), NAME);
        assert!(short(&name).ends_with("/operator:v1.2.3"));
        assert_eq!(short("etcd\u{1b}"), "etcd\\u{1b}");
        assert_eq!(short(&"ä".repeat(NAME)), "ä".repeat(NAME));
    }
}
