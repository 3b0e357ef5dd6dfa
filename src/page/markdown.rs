//! Renders untrusted descriptions as harmless HTML that requests nothing from other hosts.

use super::link::web_address;
use super::nesting::nesting;
use crate::visible::visible;
use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The elements that a rendered description may contain.
const ELEMENTS: [&str; 38] = [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
];

/// The maximum nesting depth of markup. Browsers and this program handle this depth without trouble.
const DEEPEST: usize = 200;
/// The maximum size of a description that is read as Markdown, in bytes. The parser of HTML needs quadratic time for
/// some texts, such as many `&`.
const LONGEST: usize = 64 * 1024;

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(ELEMENTS.into_iter().chain(["ul"]).collect())
        .clean_content_tags(HashSet::from([
            "script", "style", "title", "textarea", "svg", "math", "iframe", "noscript",
        ]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .set_tag_attribute_values(HashMap::from([("pre", HashMap::from([("tabindex", "0")]))]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// The beginning of a code block in sanitized HTML. Text in it escapes `<`, and values of attributes escape `"`, so
/// this is always a tag.
const SANITIZED_CODE: &str = "<pre tabindex=\"0\">";
/// The beginning of a code block on a page. Users can scroll wide code by keyboard.
const CODE: &str = "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\">";

/// The level of the highest heading in a rendered description.
const HIGHEST: usize = 3;
/// The lowest level of headings.
const LOWEST: usize = 6;

/// Renders Markdown as HTML. Headings begin at the third level and skip no level; pictures and addresses become links.
/// Shows the source of descriptions that are too long or too deep.
pub(super) fn html(markdown: &str) -> String {
    let markdown = visible(markdown);
    let rendered = (markdown.len() <= LONGEST).then(|| rendered(&markdown)).flatten();
    rendered.unwrap_or_else(|| format!("{CODE}{}</pre>", super::escape::escaped(&markdown)))
}

/// Renders Markdown, unless it is too deep.
fn rendered(markdown: &str) -> Option<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut out = String::new();
    html::push_html(&mut out, Rewritten::new(Parser::new_ext(markdown, options)).flatten());
    if nesting(&out) > DEEPEST {
        return None;
    }
    // The sanitizer writes several attributes of an element in random order.
    let sanitized = SANITIZER.clean(&out).to_string().replace(SANITIZED_CODE, CODE);
    Some(levelled(&sanitized))
}

/// Lowers the headings in sanitized HTML below those of the page, and closes gaps between their levels. In text, `<` is
/// escaped, so an unescaped `<` always begins a tag.
fn levelled(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    // The original levels of the last heading and of the headings above it.
    let mut above: Vec<usize> = Vec::new();
    let mut rest = html;
    while let Some((at, name)) = first_of(rest, "<", ["<h", "</h"]) {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let is_end = tag.starts_with("</");
        let behind = tag.get(name.len()..).unwrap_or_default();
        out.push_str(name);
        rest = behind;
        // An `hr` is not a heading.
        let level = behind
            .split_once('>')
            .and_then(|(level, _)| level.parse::<usize>().ok());
        let Some(level) = level else { continue };
        if !is_end {
            above.retain(|other| *other < level);
            above.push(level);
        }
        let depth = HIGHEST + above.len().saturating_sub(1);
        out.push_str(&depth.min(LOWEST).to_string());
        rest = behind.get(1..).unwrap_or_default();
    }
    out + rest
}

/// Returns the position of the first of several strings, which all begin with `start`, and the string found there.
/// Reads the text only up to that position: a search for each of the strings would read on to the end of the text for a
/// string that does not occur, and all searches together would take quadratic time.
fn first_of(text: &str, start: &str, wanted: [&'static str; 2]) -> Option<(usize, &'static str)> {
    text.match_indices(start).find_map(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        let found = wanted.into_iter().find(|wanted| rest.starts_with(wanted));
        found.map(|found| (at, found))
    })
}

/// Returns the first sentences of a description, without markup, with at most `most` characters.
pub(super) fn beginning(markdown: &str, most: usize) -> String {
    let mut text = String::new();
    let mut in_heading = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Text(part) | Event::Code(part) if !in_heading => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Item) if !text.trim().is_empty() => break,
            _ => {}
        }
        if text.len() > most * 8 {
            break;
        }
    }
    shortened(&text, most)
}

/// Returns a string on one line with at most `most` characters, cut between words.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text;
    };
    let cut = text.get(..end).unwrap_or_default();
    let cut = cut.rsplit_once(' ').map_or(cut, |(before, _)| before);
    format!("{}…", cut.trim_end_matches([',', ';', ':', '.']))
}

/// Rewrites the events of a Markdown parser.
struct Rewritten<'a> {
    parser: Parser<'a>,
    /// The number of open links, pictures and code blocks. Addresses inside them stay unchanged.
    verbatim: usize,
}

impl<'a> Rewritten<'a> {
    fn new(parser: Parser<'a>) -> Self {
        Self { parser, verbatim: 0 }
    }
}

impl<'a> Iterator for Rewritten<'a> {
    type Item = Vec<Event<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let event = self.parser.next()?;
        match &event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => self.verbatim += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => {
                self.verbatim = self.verbatim.saturating_sub(1);
            }
            _ => {}
        }
        Some(match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                // A picture inside a link is part of that link.
                if self.verbatim > 1 {
                    Vec::new()
                } else {
                    vec![Event::Start(link(dest_url)), Event::Text("picture: ".into())]
                }
            }
            Event::End(TagEnd::Image) => {
                if self.verbatim > 0 {
                    Vec::new()
                } else {
                    vec![Event::End(TagEnd::Link)]
                }
            }
            Event::Text(text) if self.verbatim == 0 => linked(text),
            event => vec![event],
        })
    }
}

fn link(address: CowStr<'_>) -> Tag<'_> {
    Tag::Link {
        link_type: LinkType::Inline,
        dest_url: address,
        title: "".into(),
        id: "".into(),
    }
}

/// Turns the addresses in a string into links.
fn linked(text: CowStr<'_>) -> Vec<Event<'_>> {
    let begins = |rest: &str| first_of(rest, "http", ["https://", "http://"]).map(|(at, _)| at);
    if begins(&text).is_none() {
        return vec![Event::Text(text)];
    }
    let (mut events, mut rest) = (Vec::new(), &*text);
    while let Some(at) = begins(rest) {
        let (before, behind) = rest.split_at(at);
        let end = behind
            .find(|letter: char| letter.is_whitespace() || "<>\"'`|".contains(letter))
            .unwrap_or(behind.len());
        let address = behind.get(..end).unwrap_or_default();
        let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*']);
        events.push(Event::Text(before.to_owned().into()));
        match web_address(address) {
            Some(address) => {
                events.push(Event::Start(link(address.to_owned().into())));
                events.push(Event::Text(address.to_owned().into()));
                events.push(Event::End(TagEnd::Link));
            }
            None => events.push(Event::Text(address.to_owned().into())),
        }
        rest = behind.get(address.len().max(1)..).unwrap_or_default();
        if address.is_empty() {
            events.push(Event::Text(behind.get(..1).unwrap_or_default().to_owned().into()));
        }
    }
    events.push(Event::Text(rest.to_owned().into()));
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markdown_is_rendered_below_the_headings_of_the_page() {
        assert_eq!(
            html("# A\n\nSee https://example.com/x.\n\n| a |\n|---|\n| **b** |\n"),
            "<h3>A</h3>\n<p>See <a href=\"https://example.com/x\" rel=\"noopener noreferrer nofollow\">https://example.com/x</a>.</p>\n\
             <table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td><strong>b</strong></td></tr>\n</tbody></table>\n"
        );
    }

    #[test]
    fn headings_skip_no_level_and_code_is_scrollable_by_keyboard() {
        assert_eq!(
            html("### A\n\n###### B\n\n<h1>C</h1>\n\n## D\n\n---\n\n# E\n"),
            "<h3>A</h3>\n<h4>B</h4>\n<h3>C</h3>\n<h4>D</h4>\n<hr>\n<h3>E</h3>\n"
        );
        let code = html("    wide\n");
        assert!(code.contains("tabindex=\"0\"") && code.contains("<code>wide"), "{code}");
    }

    #[test]
    fn images_become_links_and_nothing_is_fetched() {
        let made =
            html("![logo](https://example.com/a.png) [![badge](https://example.com/b.svg)](https://example.com/c)");
        assert!(!made.contains("<img"), "{made}");
        assert!(
            made.contains("href=\"https://example.com/a.png\"") && made.contains("picture: logo"),
            "{made}"
        );
        assert!(
            made.contains("href=\"https://example.com/c\"") && made.contains(">badge</a>"),
            "{made}"
        );
    }

    #[test]
    fn scripts_and_embedded_content_are_removed() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "[x](javascript:alert%281%29)",
            "[x](data:text/html,<script>alert(1)</script>)",
            "<iframe src=\"https://example.com\"></iframe>",
            "<style>@import 'https://example.com/x.css'</style>",
            "<p style=\"background:url(https://example.com)\" onclick=alert(1) id=main class=x>y</p>",
            "<svg onload=alert(1)><script>alert(1)</script></svg>",
            "<form action=https://example.com><input autofocus onfocus=alert(1)></form>",
            "<math><mi xlink:href=\"javascript:alert(1)\">x</mi></math>",
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            "<base href=https://example.com/>",
            "<a href=\"//example.com\">x</a>",
            "<a href=\"/etc\">x</a>",
        ] {
            let made = html(hostile);
            let has = |what: &str| made.to_lowercase().contains(what);
            let harmful = [
                "<script",
                "<img",
                "<iframe",
                "<style",
                "<svg",
                "<form",
                "<input",
                "<base",
                " on",
                "style=",
                "javascript:",
                "id=",
                "class=",
                "href=\"/",
                "data:text",
            ];
            // Harmful words that are shown as text are ignored.
            let found: Vec<_> = harmful.iter().filter(|what| has(what)).collect();
            assert!(found.is_empty(), "{hostile}: {found:?} in {made}");
        }
    }

    #[test]
    fn deep_and_long_descriptions_are_rendered() {
        for deep in [
            "> ".repeat(20_000),
            "<div>".repeat(20_000),
            "- ".repeat(5_000),
            "[".repeat(50_000),
            "*a ".repeat(50_000),
            "***\n\n".repeat(50_000),
            "http://a ".repeat(50_000),
            "<span></x>".repeat(100_000),
            "<table>x</x>".repeat(100_000),
        ] {
            rendered(&deep);
        }
    }

    #[test]
    fn descriptions_that_are_too_long_or_too_deep_are_shown_as_source() {
        let is_source = |markdown: &str| {
            let (made, source) = (html(markdown), super::super::escape::escaped(markdown));
            made == format!("{CODE}{source}</pre>")
        };
        assert!(!is_source(&"&".repeat(LONGEST)) && is_source(&"&".repeat(LONGEST + 1)));
        assert!(is_source(&"<span></x>".repeat(DEEPEST + 1)));
        assert!(!is_source(&"<span>x</span>".repeat(DEEPEST + 1)));
    }

    #[test]
    fn every_code_block_has_the_same_attributes_in_the_same_order() {
        let made = html("    one\n\ntext\n\n```sh\ntwo\n```\n\n<pre class=\"x\" tabindex=\"9\">three</pre>\n");
        let begins = r#"<pre tabindex="0" role="group" aria-label="Code">"#;
        assert_eq!(
            (made.matches(begins).count(), made.matches("<pre").count()),
            (3, 3),
            "{made}"
        );
        let quoted = html("<a href='https://example.com/<pre tabindex=\"0\">'>x</a>");
        assert!(!quoted.contains("role"), "{quoted}");
    }

    #[test]
    fn the_summary_is_the_first_paragraph_as_text() {
        assert_eq!(
            beginning("# Title\n\nRuns *etcd* on\nclusters. More.\n\nNext", 160),
            "Runs etcd on clusters. More."
        );
        assert_eq!(beginning("one two three", 8), "one two…");
        assert_eq!(beginning("", 8), "");
    }

    proptest! {
        #[test]
        fn the_first_of_several_strings_is_found_without_scanning_further(
            text in "(<|/|h|http|s|:|//|a){0,20}",
            rest in "(<h|</h|http://|https://){0,3}",
        ) {
            for (start, wanted) in [("<", ["<h", "</h"]), ("http", ["https://", "http://"])] {
                let found = first_of(&text, start, wanted);
                let places = wanted.map(|wanted| text.find(wanted).map(|at| (at, wanted)));
                prop_assert_eq!(found, places.into_iter().flatten().min());
                if found.is_some() {
                    prop_assert_eq!(first_of(&format!("{text}{rest}"), start, wanted), found);
                }
            }
        }

        #[test]
        fn any_text_is_rendered_without_scripts(text in "[<>a-z/!\\[\\]()\"'=:;&#*_`~ \n-]{0,200}") {
            let made = html(&text);
            prop_assert!(!made.contains("<script") && !made.contains("<img") && !made.contains("javascript:\""));
            beginning(&text, 20);
        }
    }
}
