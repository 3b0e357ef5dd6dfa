//! Reads the libyaml events of a document. This is the only module of the reader that needs unsafe code.
//!
//! The positions that `libyaml-rs` returns are byte offsets from the beginning of the parsed text.

#![allow(unsafe_code)]

use libyaml_rs as sys;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// A parser event. Strings belong to the parser and are valid until the next event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event<'event> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    /// `explicit` is `true` if `...` was written.
    DocumentEnd {
        explicit: bool,
    },
    Alias(&'event str),
    Scalar {
        anchor: Option<&'event str>,
        tag: Option<&'event str>,
        value: &'event str,
        /// Whether only the text decides the type: `true` for a plain scalar without a tag, and for a scalar with the
        /// tag `!`.
        implicit: bool,
        style: Style,
    },
    ListStart {
        anchor: Option<&'event str>,
        flow: bool,
    },
    ListEnd,
    MapStart {
        anchor: Option<&'event str>,
        flow: bool,
    },
    MapEnd,
}

/// A syntax error, in libyaml's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) problem: &'static str,
    /// Byte offset of the problem.
    pub(super) at: usize,
    /// The construct that was being read, and its start offset.
    pub(super) context: Option<(&'static str, usize)>,
}

/// Refuses text with many `%TAG` directives: libyaml compares each of them with all earlier ones.
fn excess_of_tags(text: &str) -> Option<Fault> {
    const MOST: usize = 64;
    let (at, _) = text.match_indices("\n%TAG").nth(MOST)?;
    Some(Fault {
        problem: "found too many %TAG directives",
        at: at + 1,
        context: None,
    })
}

/// A parser for one string.
pub(super) struct Events<'text> {
    parser: NonNull<sys::yaml_parser_t>,
    event: Option<sys::yaml_event_t>,
    /// The reason why the text is not parsed.
    refused: Option<Fault>,
    finished: bool,
    length: usize,
    text: PhantomData<&'text str>,
}

impl<'text> Events<'text> {
    /// Creates a parser; returns `None` if libyaml cannot allocate its buffers.
    pub(super) fn new(text: &'text str) -> Option<Self> {
        let parser = NonNull::from(Box::leak(Box::new(MaybeUninit::<sys::yaml_parser_t>::uninit())));
        // SAFETY: the pointer refers to newly allocated memory of the right size, which is not moved until `drop`,
        // because the parser keeps a pointer to itself. The lifetime of this struct ensures that the text outlives the
        // parser.
        unsafe {
            if !sys::yaml_parser_initialize(parser.as_ptr().cast()).ok {
                drop(Box::from_raw(parser.as_ptr()));
                return None;
            }
            let parser = parser.as_ptr().cast::<sys::yaml_parser_t>();
            sys::yaml_parser_set_encoding(parser, sys::YAML_UTF8_ENCODING);
            sys::yaml_parser_set_input_string(parser, text.as_ptr(), text.len() as u64);
        }
        Some(Self {
            parser: parser.cast(),
            event: None,
            refused: excess_of_tags(text),
            finished: false,
            length: text.len(),
            text: PhantomData,
        })
    }

    /// Returns the next event and the bytes it covers. After `StreamEnd` or a fault, only `StreamEnd` follows.
    pub(super) fn next(&mut self) -> Result<(Event<'_>, Range<usize>), Fault> {
        self.release();
        if let Some(fault) = self.refused.take() {
            self.finished = true;
            return Err(fault);
        }
        if self.finished {
            return Ok((Event::StreamEnd, self.length..self.length));
        }
        let mut raw = MaybeUninit::<sys::yaml_event_t>::uninit();
        // SAFETY: the parser was initialized in `new`; on success it fills the event.
        let raw = unsafe {
            if !sys::yaml_parser_parse(self.parser.as_ptr(), raw.as_mut_ptr()).ok {
                self.finished = true;
                return Err(self.fault());
            }
            raw.assume_init()
        };
        let raw: &sys::yaml_event_t = self.event.insert(raw);
        let span = offset(raw.start_mark)..offset(raw.end_mark);
        // SAFETY: the event was filled by the parser, and its texts live until `release` deletes the event. `release`
        // needs `&mut self`, so it cannot run while the returned event is borrowed.
        let event = unsafe { convert(raw) };
        if matches!(event, Some(Event::StreamEnd)) {
            self.finished = true;
        }
        match event {
            Some(event) => Ok((event, span)),
            None => Err(Fault {
                problem: "found text that is not UTF-8",
                at: span.start,
                context: None,
            }),
        }
    }

    fn release(&mut self) {
        if let Some(mut event) = self.event.take() {
            // SAFETY: the event was filled by the parser and is deleted once, because `take` removed it.
            unsafe { sys::yaml_event_delete(&raw mut event) };
        }
    }

    fn fault(&self) -> Fault {
        // SAFETY: the parser is initialized, and its problem and context are null or static C strings.
        unsafe {
            let parser = self.parser.as_ref();
            let problem = static_text(parser.problem).unwrap_or("could not be read");
            let context = static_text(parser.context).map(|context| (context, offset(parser.context_mark)));
            let reader = problem == "control characters are not allowed";
            Fault {
                problem,
                at: if reader {
                    usize::try_from(parser.problem_offset).unwrap_or(usize::MAX)
                } else {
                    offset(parser.problem_mark)
                },
                context: context.filter(|_| !reader),
            }
        }
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.release();
        // SAFETY: the parser was initialized in `new` and is deleted once; the memory came from a box of the same
        // layout.
        unsafe {
            sys::yaml_parser_delete(self.parser.as_ptr());
            drop(Box::from_raw(
                self.parser.as_ptr().cast::<MaybeUninit<sys::yaml_parser_t>>(),
            ));
        }
    }
}

fn offset(mark: sys::yaml_mark_t) -> usize {
    usize::try_from(mark.index).unwrap_or(usize::MAX)
}

/// SAFETY: `event` must have been filled by the parser and not yet deleted; returns `None` if a string is not UTF-8.
unsafe fn convert(event: &sys::yaml_event_t) -> Option<Event<'_>> {
    // SAFETY: each branch reads the member of the union that the type of the event names, and the texts of an event are
    // null or zero-terminated. A scalar's value is `length` bytes long and never null.
    unsafe {
        Some(match event.type_ {
            sys::YAML_STREAM_START_EVENT => Event::StreamStart,
            sys::YAML_STREAM_END_EVENT => Event::StreamEnd,
            sys::YAML_DOCUMENT_START_EVENT => Event::DocumentStart,
            sys::YAML_DOCUMENT_END_EVENT => Event::DocumentEnd {
                explicit: !event.data.document_end.implicit,
            },
            sys::YAML_ALIAS_EVENT => Event::Alias(text(event.data.alias.anchor)?.unwrap_or_default()),
            sys::YAML_SCALAR_EVENT => {
                let scalar = &event.data.scalar;
                let length = usize::try_from(scalar.length).ok()?;
                Event::Scalar {
                    anchor: text(scalar.anchor)?,
                    tag: text(scalar.tag)?,
                    value: std::str::from_utf8(std::slice::from_raw_parts(scalar.value, length)).ok()?,
                    implicit: scalar.plain_implicit,
                    style: match scalar.style {
                        sys::YAML_SINGLE_QUOTED_SCALAR_STYLE => Style::SingleQuoted,
                        sys::YAML_DOUBLE_QUOTED_SCALAR_STYLE => Style::DoubleQuoted,
                        sys::YAML_LITERAL_SCALAR_STYLE => Style::Literal,
                        sys::YAML_FOLDED_SCALAR_STYLE => Style::Folded,
                        _ => Style::Plain,
                    },
                }
            }
            sys::YAML_SEQUENCE_START_EVENT => Event::ListStart {
                anchor: text(event.data.sequence_start.anchor)?,
                flow: event.data.sequence_start.style == sys::YAML_FLOW_SEQUENCE_STYLE,
            },
            sys::YAML_SEQUENCE_END_EVENT => Event::ListEnd,
            sys::YAML_MAPPING_START_EVENT => Event::MapStart {
                anchor: text(event.data.mapping_start.anchor)?,
                flow: event.data.mapping_start.style == sys::YAML_FLOW_MAPPING_STYLE,
            },
            sys::YAML_MAPPING_END_EVENT => Event::MapEnd,
            _ => return None,
        })
    }
}

/// Returns the string at a pointer that may be null; `None` if it is not UTF-8.
///
/// SAFETY: the pointer must be null or point to a zero-terminated string that lives for `'event`.
#[expect(
    clippy::option_option,
    reason = "a null pointer and invalid UTF-8 are different results"
)]
unsafe fn text<'event>(pointer: *const u8) -> Option<Option<&'event str>> {
    if pointer.is_null() {
        return Some(None);
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(pointer.cast()) }.to_str().ok().map(Some)
}

/// SAFETY: the pointer must be null or point to a static C string.
unsafe fn static_text(pointer: *const i8) -> Option<&'static str> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller; libyaml's messages are byte string constants.
    unsafe { CStr::from_ptr(pointer.cast()) }.to_str().ok()
}
