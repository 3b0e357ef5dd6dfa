use super::*;
use crate::rules;

/// The output of a captured printer so far.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Streams {
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.stdout.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.stderr.lock().unwrap().clone()).unwrap()
    }
}

struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const PLAIN: Colors = Colors {
    stdout: false,
    stderr: false,
};

/// Returns a printer without color that writes to memory.
pub(crate) fn captured() -> (Printer, Streams) {
    captured_with(Settings::default())
}

pub(crate) fn captured_with(settings: Settings) -> (Printer, Streams) {
    let streams = Streams::default();
    let stdout = Box::new(Shared(Arc::clone(&streams.stdout)));
    let stderr = Box::new(Shared(Arc::clone(&streams.stderr)));
    let printer = Printer::with_streams(settings, stdout, stderr, PLAIN, Bars::hidden());
    (printer, streams)
}

struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

fn failing(kind: io::ErrorKind) -> Printer {
    Printer::with_streams(
        Settings::default(),
        Box::new(Failing(kind)),
        Box::new(Failing(kind)),
        PLAIN,
        Bars::hidden(),
    )
}

#[test]
fn a_closed_pipe_is_distinguished_from_a_full_disk() {
    let printer = failing(io::ErrorKind::BrokenPipe);
    printer.line("x").unwrap();
    printer.flush().unwrap();
    let long = printer.stdout().written_at_once("x");
    assert!(matches!(long, Err(OutputError::Closed)));
    let printer = failing(io::ErrorKind::StorageFull);
    printer.line("x").unwrap();
    assert!(matches!(printer.flush(), Err(OutputError::Write(_))));
    printer.warning("standard error is gone, too");
}

#[test]
fn results_and_notes_use_separate_streams() {
    let (printer, streams) = captured();
    printer.line("result").unwrap();
    printer.status("pulled \u{1b}[31m");
    printer.warning("careful");
    printer.error("it broke");
    printer.detail("caused by", "a reason");
    printer.flush().unwrap();
    assert_eq!(streams.stdout(), "result\n");
    assert_eq!(
        streams.stderr(),
        "pulled \\u{1b}[31m\nwarning: careful\nerror: it broke\n  caused by: a reason\n"
    );
}

#[test]
fn further_lines_are_indented_below_the_first() {
    let (printer, streams) = captured();
    printer.error("bundle a is given twice\nbundle b has no name");
    assert_eq!(
        streams.stderr(),
        "error: bundle a is given twice\n       bundle b has no name\n"
    );
}

#[test]
fn quiet_shows_only_errors() {
    let (printer, streams) = captured_with(Settings {
        quiet: true,
        color: ColorChoice::Auto,
    });
    let error = Diagnostic::new(&rules::YAML_SYNTAX, "broken");
    let info = Diagnostic::new(&rules::YAML_EMPTY_DOCUMENT, "empty");
    printer.status("pulled");
    printer.warning("careful");
    printer.report(std::slice::from_ref(&info));
    assert_eq!(streams.stderr(), "");
    printer.report(&[info, error]);
    printer.error("it broke");
    let shown = streams.stderr();
    assert!(shown.starts_with("error[yaml-syntax]: broken\n"), "{shown}");
    assert!(shown.ends_with("\n1 error, 1 info\nerror: it broke\n"), "{shown}");
}

#[test]
fn findings_can_be_printed_in_every_format() {
    let findings = [Diagnostic::new(&rules::YAML_SYNTAX, "broken")];
    let (printer, streams) = captured();
    printer.findings(Format::Text, &findings).unwrap();
    printer.flush().unwrap();
    assert!(streams.stdout().ends_with("\n\n1 error\n"), "{}", streams.stdout());
    let (printer, streams) = captured();
    printer.findings(Format::Json, &findings).unwrap();
    printer.flush().unwrap();
    let from_json: serde_json::Value = serde_json::from_str(&streams.stdout()).unwrap();
    let (printer, streams) = captured();
    printer.findings(Format::Yaml, &findings).unwrap();
    printer.flush().unwrap();
    let from_yaml: serde_json::Value = serde_yaml::from_str(&streams.stdout()).unwrap();
    assert_eq!(from_json, from_yaml);
    assert_eq!(from_json["findings"][0]["rule"], "yaml-syntax");
}

#[test]
fn a_list_is_one_document_in_json_and_yaml() {
    #[derive(Serialize)]
    struct Row {
        name: String,
        channels: Vec<&'static str>,
    }
    for count in [0, 1, 3, 250] {
        for format in [Format::Json, Format::Yaml] {
            let (printer, streams) = captured();
            let mut list = List::new(printer.stdout(), format);
            for number in 0..count {
                let row = Row {
                    name: format!("bundle-{number}"),
                    channels: vec!["alpha", "on"],
                };
                list.item(&row).unwrap();
            }
            list.finish().unwrap();
            printer.flush().unwrap();
            let read: Vec<serde_json::Value> = match format {
                Format::Json => serde_json::from_str(&streams.stdout()).unwrap(),
                _ => serde_yaml::from_str(&streams.stdout()).unwrap(),
            };
            assert_eq!(read.len(), count);
            assert!(read.iter().all(|row| row["channels"][0] == "alpha"));
        }
    }
}

#[test]
fn yaml_is_safe_for_yaml_1_1_readers() {
    let (printer, streams) = captured();
    printer
        .document(Format::Yaml, &serde_json::json!({"channels": ["on", "1_000", "a"]}))
        .unwrap();
    printer.flush().unwrap();
    let read = text::read("out.yaml", streams.stdout().as_bytes(), &text::Limits::default());
    let channels = &read.documents[0].value()["channels"];
    assert_eq!(
        *channels,
        serde_json::json!(["on", "1_000", "a"]),
        "{}",
        streams.stdout()
    );
}

#[test]
fn a_result_is_buffered_until_the_end_or_a_note() {
    let (printer, streams) = captured();
    let mut list = List::new(printer.stdout(), Format::Json);
    for number in 0..10_000 {
        list.item(&number).unwrap();
    }
    list.finish().unwrap();
    assert_eq!(streams.stdout(), "");
    printer.status("done");
    assert_eq!(streams.stdout().lines().count(), 10_002);
    printer.lines(&"x".repeat(HELD_BACK + 1)).unwrap();
    assert!(streams.stdout().len() > HELD_BACK);
}

#[test]
fn a_long_result_is_written_directly_after_the_buffered_one() {
    let (printer, streams) = captured();
    let mut output = printer.stdout();
    output.line("first").unwrap();
    output.written_at_once("second\u{1b}\n").unwrap();
    assert_eq!(streams.stdout(), "first\nsecond\\u{1b}\n");
}

#[test]
fn a_result_in_parts_is_escaped_like_a_whole_one_and_printed_while_it_is_generated() {
    let (printer, streams) = captured();
    let mut most = 0;
    printer
        .written_in_parts(|out| {
            for part in ["a #", "#[b]\n", "\u{1b}"] {
                out.write_str(part)?;
            }
            let line = format!("{}\n", "x".repeat(1 << 10));
            for _ in 0..(HELD_BACK >> 10) + 100 {
                out.write_str(&line)?;
                most = most.max(streams.stdout().len());
            }
            Ok(())
        })
        .unwrap();
    assert!(most > HELD_BACK / 2, "{most} bytes were printed");
    printer.flush().unwrap();
    let (first, rest) = (streams.stdout(), "\\u{1b}xxx");
    assert!(first.starts_with(&format!("a #\\u{{23}}[b]\n{rest}")));
}

#[test]
fn a_result_in_parts_ends_with_the_first_failure_but_not_if_its_reader_leaves() {
    for (kind, is_closed) in [(io::ErrorKind::StorageFull, false), (io::ErrorKind::BrokenPipe, true)] {
        let printer = failing(kind);
        let line = format!("{}\n", "x".repeat(HELD_BACK));
        let mut count = 0;
        let printed = printer.written_in_parts(|out| {
            for _ in 0..5 {
                count += 1;
                out.write_str(&line)?;
            }
            Ok(())
        });
        assert_eq!((printed.is_ok(), count < 5), (is_closed, !is_closed), "{printed:?}");
    }
}

#[test]
fn everything_printed_is_escaped() {
    const STRANGE: &str = "::a\n::b\u{1b}[2J\u{202e}\r##[c]";
    let (printer, streams) = captured();
    printer.line(STRANGE).unwrap();
    printer.lines(STRANGE).unwrap();
    printer.styled(STRANGE).unwrap();
    printer.written("\u{1b}").unwrap();
    printer.flush().unwrap();
    assert_eq!(
        streams.stdout(),
        concat!(
            r"\u{3a}:a\n::b\u{1b}[2J\u{202e}\u{d}#\u{23}[c]",
            "\n",
            r"\u{3a}:a",
            "\n",
            r"\u{3a}:b\u{1b}[2J\u{202e}\u{d}#\u{23}[c]\u{3a}:a",
            "\n",
            r"\u{3a}:b\u{1b}[2J\u{202e}\u{d}#\u{23}[c]\u{1b}"
        )
    );
    printer.status(STRANGE);
    printer.warning("x\n::stop");
    printer.error("x\n::stop");
    assert_eq!(
        streams.stderr(),
        concat!(
            r"\u{3a}:a\n::b\u{1b}[2J\u{202e}\u{d}#\u{23}[c]",
            "\n",
            r"warning: x\n::stop",
            "\nerror: x\n       ",
            r"\u{3a}:stop",
            "\n"
        )
    );
}

#[test]
fn a_patch_is_printed_unchanged_or_not_at_all() {
    let (printer, streams) = captured();
    for refused in ["+a: \u{202e}\n", " ::stop-commands::x\n", "-##[group]\n", "+a\rb\n"] {
        assert!(
            matches!(printer.exact(refused), Err(OutputError::Hidden)),
            "{refused:?}"
        );
    }
    printer.exact("+a: b\r\n").unwrap();
    printer.flush().unwrap();
    assert_eq!(streams.stdout(), "+a: b\r\n");
}
