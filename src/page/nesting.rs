//! The nesting of elements in HTML before it is sanitized.

/// Elements without content.
const VOID: [&str; 4] = ["br", "hr", "img", "input"];
/// Elements in which the parser of the sanitizer reads text instead of tags and comments.
const RAW: [&str; 10] = [
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
];
/// The name of an element that no end tag closes.
const UNCLOSED: &str = "";

/// Returns the maximum nesting depth of the elements, or a higher number: the time of the sanitizer grows with the
/// number of open elements, so an element counts as closed only if its end tag cannot be anything else. An end tag
/// closes the innermost element; others stay open until the end.
pub(super) fn nesting(html: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut deepest = 0;
    // The end of the last tag or comment.
    let mut end = 0;
    for (at, _) in html.match_indices('<') {
        let rest = html.get(at..).unwrap_or_default();
        let is_outside = at >= end;
        let is_end = rest.starts_with("</");
        let behind = rest.get(1 + usize::from(is_end)..).unwrap_or_default();
        if behind.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            if is_outside {
                end = at + tag_length(rest);
            }
            // The name, which is only read once for each tag. A start tag inside a tag or comment may be a tag after
            // an element with raw text.
            let name = if is_outside { name(behind) } else { UNCLOSED };
            let is = |other: &&str| other.eq_ignore_ascii_case(name);
            if is_end {
                open.pop_if(|innermost| is_outside && is(innermost));
            } else if !VOID.iter().any(is) {
                open.push(if RAW.iter().any(is) { UNCLOSED } else { name });
            }
        } else if is_outside && ["</", "<!", "<?"].iter().any(|start| rest.starts_with(start)) {
            // Where a section of character data ends depends on the element around it.
            if rest.starts_with("<![CDATA[") {
                open.push(UNCLOSED);
            }
            let last = if rest.starts_with("<!--") { "-->" } else { ">" };
            end = at + rest.find(last).unwrap_or(rest.len());
        }
        deepest = deepest.max(open.len());
    }
    deepest
}

fn name(tag: &str) -> &str {
    let ends = |letter: char| letter.is_ascii_whitespace() || ['/', '>'].contains(&letter);
    tag.split(ends).next().unwrap_or_default()
}

/// The parts of a tag in which the same character has a different meaning.
enum Part {
    TagName,
    Between,
    Name,
    AfterName,
    BeforeValue,
    Value,
    Quoted(char),
}

/// Returns the length of a tag up to its `>`. Values in quotes may contain that character.
fn tag_length(tag: &str) -> usize {
    let mut part = Part::TagName;
    for (at, letter) in tag.char_indices().skip(1) {
        let is_space = letter.is_ascii_whitespace();
        part = match part {
            Part::Quoted(quote) if letter == quote => Part::Between,
            Part::Quoted(quote) => Part::Quoted(quote),
            _ if letter == '>' => return at,
            Part::BeforeValue if is_space => Part::BeforeValue,
            Part::BeforeValue if ['"', '\''].contains(&letter) => Part::Quoted(letter),
            Part::BeforeValue => Part::Value,
            Part::Value if !is_space => Part::Value,
            Part::Name | Part::AfterName if letter == '=' => Part::BeforeValue,
            Part::Name | Part::AfterName if is_space => Part::AfterName,
            Part::Between | Part::TagName | Part::Value if is_space => Part::Between,
            // The slash of an end tag precedes the name.
            Part::TagName if letter != '/' || at == 1 => Part::TagName,
            _ if letter == '/' => Part::Between,
            _ => Part::Name,
        };
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_void_elements_do_not_nest() {
        assert_eq!(nesting("<p><br><hr/><img src=x><input></p>"), 1);
        assert_eq!(nesting(&"<bra>".repeat(300)), 300);
    }

    #[test]
    fn elements_with_end_tags_and_comments_do_not_add_up() {
        let closed = "<p title='<'>it's <a href=\"x>\">1 < 2</A\n></p><!-- > --></ x><!><?>";
        assert_eq!(nesting(&closed.repeat(300)), 2);
        let closed = "<ul><li a = b/ c=\"'\">x</li></ul><!-- it's -->";
        assert_eq!(nesting(&closed.repeat(300)), 2);
    }

    #[test]
    fn end_tags_that_close_nothing_do_not_lower_the_depth() {
        for deep in [
            "<span></x>",
            "<b></span>",
            "<span-x></span>",
            "<span title=\"</span>\">",
            "<span title = '\"></span>'>",
            "<span title=</span>",
            "<span =\"><b c=\"></b></span>\">",
            "<span <b></b></span>",
            "<span/a=\"></span>\">",
            "<span><!-- ></span> -->",
            "<span><!</span>",
            "<span><?</span>",
            "<span></ </span>",
            "<span><!--><!-- ></span> -->",
            "<span><title><x a=\"</title><!--\"></x></title></span>-->",
            "<span><![CDATA[><!-- ]]></span> -->",
            "<svg><![CDATA[></svg>]]>",
            "<table>x</x>",
        ] {
            assert!(nesting(&deep.repeat(300)) >= 300, "{deep}");
        }
    }
}
