use super::*;
use proptest::prelude::*;

/// A header with the fields that programs read, in the format ustar.
fn header(name: &str, kind: u8, size: usize) -> Block {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    with_checksum(block)
}

fn with_checksum(mut block: Block) -> Block {
    block[148..156].copy_from_slice(b"        ");
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    block[154] = 0;
    block
}

fn member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = header(name, kind, content.len()).to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    bytes
}

fn record(key: &str, value: &str) -> String {
    let text = format!(" {key}={value}\n");
    let length = (1..1 << 24).find(|length: &usize| length.to_string().len() + text.len() == *length);
    format!("{}{text}", length.unwrap())
}

fn extended(records: &[(&str, &str)]) -> Vec<u8> {
    let records: String = records.iter().map(|(key, value)| record(key, value)).collect();
    member("headers", b'x', records.as_bytes())
}

/// Returns the name, target and content of each member, or the message of the error.
fn members(parts: &[Vec<u8>]) -> Result<Vec<(String, String, String)>, String> {
    let bytes = parts.concat();
    let mut reader = TarReader::new(bytes.as_slice());
    let mut found = Vec::new();
    while let Some(header) = reader.next_member().map_err(|error| error.to_string())? {
        assert!(!header.is_sparse);
        let mut content = String::new();
        reader.read_to_string(&mut content).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        found.push((text(header.name), text(header.target), content));
    }
    Ok(found)
}

fn names(parts: &[Vec<u8>]) -> Vec<String> {
    members(parts).unwrap().into_iter().map(|(name, ..)| name).collect()
}

/// The records of an extended header, and the resulting name and link target.
type Case<'c> = (&'c [(&'c str, &'c str)], &'c str, &'c str);

#[test]
fn the_last_record_with_a_key_wins_and_an_empty_one_keeps_the_header() {
    let content = || member("name", b'0', b"content");
    let cases: [Case<'_>; 5] = [
        (&[("path", "first"), ("path", "last")], "last", ""),
        (&[("path", "")], "name", ""),
        (&[("path", "first"), ("path", "")], "name", ""),
        (&[("linkpath", "first"), ("linkpath", "last")], "name", "last"),
        (&[("comment", "a\n11 path=b\n\n"), ("path", "last")], "last", ""),
    ];
    for (records, name, target) in cases {
        let expected = (name.to_owned(), target.to_owned(), "content".to_owned());
        assert_eq!(
            members(&[extended(records), content()]),
            Ok(vec![expected]),
            "{records:?}"
        );
    }
    let sized = |records| members(&[extended(records), content()]).unwrap()[0].2.clone();
    assert_eq!(sized(&[("size", "3"), ("size", "7")]), "content");
    assert_eq!(sized(&[("size", "7"), ("size", "3")]), "con");
    assert_eq!(sized(&[("size", "3"), ("size", "")]), "content");
}

#[test]
fn a_long_name_ends_at_the_first_nul_and_outranks_the_records() {
    let long = member("long", b'L', b"longer\0rest\0");
    assert_eq!(
        names(&[long.clone(), extended(&[("path", "record")]), member("a", b'0', b"")]),
        ["longer"]
    );
    assert_eq!(names(&[member("long", b'L', b"\0"), member("a", b'0', b"")]), ["a"]);
    let twice = members(&[long.clone(), long, member("a", b'0', b"")]);
    assert_eq!(twice, Err("a member has two long names".to_owned()));
}

#[test]
fn every_record_of_a_sparse_file_marks_the_member() {
    for key in [
        "GNU.sparse.name",
        "GNU.sparse.major",
        "GNU.sparse.map",
        "GNU.sparse.realsize",
    ] {
        let bytes = [extended(&[(key, "manifests/a")]), member("a", b'0', b"")].concat();
        assert!(
            TarReader::new(bytes.as_slice())
                .next_member()
                .unwrap()
                .unwrap()
                .is_sparse,
            "{key}"
        );
    }
}

#[test]
fn a_single_block_of_zeros_is_not_followed_by_members() {
    let (a, b) = (member("a", b'0', b"1"), member("b", b'0', b""));
    let zeros = |blocks| vec![0; blocks * BLOCK];
    for end in [0, 1, 2, 3] {
        assert_eq!(names(&[a.clone(), zeros(end)]), ["a"]);
    }
    assert_eq!(names(&[a.clone(), zeros(2), b.clone()]), ["a"]);
    let refused = members(&[a, zeros(1), b]);
    assert_eq!(refused, Err("a header follows a single block of zeros".to_owned()));
}

#[test]
fn a_global_header_may_contain_comments_but_no_names() {
    let global = |key, value| member("global", b'g', record(key, value).as_bytes());
    let file = || member("a", b'0', b"");
    assert_eq!(names(&[global("comment", "a commit"), file()]), ["a"]);
    for key in ["path", "linkpath", "GNU.sparse.name"] {
        let refused = members(&[global(key, "b"), file()]).unwrap_err();
        assert_eq!(refused, "a global header changes names, sizes or link targets", "{key}");
    }
    assert!(members(&[global("size", "1"), file()]).is_err());
    let between = members(&[extended(&[("path", "b")]), global("comment", "a"), file()]);
    assert_eq!(
        between,
        Err("a global header is between a member and its headers".to_owned())
    );
}

#[test]
fn the_size_of_a_link_or_folder_does_not_hide_the_next_member() {
    for kind in b'1'..=b'6' {
        let linked = header("a", kind, BLOCK).to_vec();
        assert_eq!(names(&[linked, member("b", b'0', b"")]), ["a", "b"]);
        let sized = [extended(&[("size", "512")]), header("a", kind, 0).to_vec()].concat();
        assert_eq!(names(&[sized, member("b", b'0', b"")]), ["a", "b"]);
    }
}

#[test]
fn malformed_headers_are_refused() {
    let file = || member("a", b'0', b"");
    let raw = |records: &[u8]| members(&[member("x", b'x', records), file()]);
    for records in [
        &b"11 path=b\n"[..],
        b"9 path=b\n",
        b"+9 path=b\n",
        b"8 path=b",
        b"5 =b\n",
        b"x",
        b"9 path=b\n\0",
    ] {
        let is_valid = records == b"9 path=b\n";
        assert_eq!(raw(records).is_ok(), is_valid, "{records:?}");
    }
    for (key, value) in [
        ("size", "+1"),
        ("size", "-1"),
        ("size", "99999999999999999999"),
        ("path", "a\0b"),
    ] {
        assert!(members(&[extended(&[(key, value)]), file()]).is_err(), "{key}={value}");
    }
    for size in [
        &b"-0000000001\0"[..],
        b"+0000000001\0",
        b"1\x002 34567890",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let mut block = header("a", b'0', 0);
        block[124..136].copy_from_slice(size);
        assert!(members(&[with_checksum(block).to_vec()]).is_err(), "{size:?}");
    }
    assert!(members(&[extended(&[("path", "b")])]).is_err());
    let mut wrong = header("a", b'0', 0);
    wrong[0] = b'b';
    assert!(members(&[wrong.to_vec()]).is_err());
}

#[test]
fn the_prefix_is_read_in_the_format_of_the_header() {
    let name = |magic: &[u8], prefix: &[u8], end: &[u8]| {
        let mut block = header("a", b'0', 0);
        block[257..265].copy_from_slice(magic);
        block[345..345 + prefix.len()].copy_from_slice(prefix);
        block[508..508 + end.len()].copy_from_slice(end);
        members(&[with_checksum(block).to_vec()]).map(|found| found[0].0.clone())
    };
    assert_eq!(name(b"ustar\x0000", b"folder", b""), Ok("folder/a".to_owned()));
    let long = [b'f'; 140];
    assert_eq!(name(b"ustar\x0000", &long, b"tar\0").unwrap().len(), 131 + 2);
    assert_eq!(name(b"ustar\x0000", &long, b"").unwrap().len(), 140 + 2);
    assert_eq!(name(&[0; 8], b"folder", b""), Ok("a".to_owned()));
    assert_eq!(name(b"ustar  \0", b"00000000017\0", b""), Ok("a".to_owned()));
    assert_eq!(
        name(b"ustar  \0", b"folder", b""),
        Err("the times of a member are invalid".to_owned())
    );
}

#[test]
fn headers_larger_than_the_limit_are_not_read() {
    let long = |kind: u8, size: usize| {
        let mut bytes = header("long", kind, size).to_vec();
        bytes.resize(BLOCK + size.min(2 << 20).next_multiple_of(BLOCK), b'a');
        bytes
    };
    let content = || member("name", b'0', b"content");
    let limit = usize::try_from(HEADER_LIMIT).unwrap();
    let below = limit - 2 * BLOCK;
    assert_eq!(names(&[long(b'L', below), content()]), ["a".repeat(below)]);
    for kind in *b"xgLK" {
        for size in [limit, 4 << 30] {
            // The reader fails instead of reaching the missing content.
            let error = members(&[long(kind, size)]).unwrap_err();
            assert_eq!(error, "a member's headers are larger than 1 MiB");
        }
    }
    let half = below / 2 + BLOCK;
    let error = members(&[long(b'K', half), long(b'L', half), content()]).unwrap_err();
    assert_eq!(error, "a member's headers are larger than 1 MiB");
}

proptest! {
    #[test]
    fn members_are_read_as_they_were_written(written in prop::collection::vec(("[a-z]{1,9}(/[a-z]{1,90}){0,4}", "[a-z]{0,1100}"), 0..5)) {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, content) in &written {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            tar.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        let read = members(&[tar.into_inner().unwrap()]).unwrap();
        let read: Vec<_> = read.into_iter().map(|(name, _, content)| (name, content)).collect();
        prop_assert_eq!(read, written);
    }

    #[test]
    fn bytes_never_cause_a_panic(name: [u8; 100], rest: Vec<u8>) {
        let mut block = header("", b'x', rest.len());
        block[..100].copy_from_slice(&name);
        let bytes = [with_checksum(block).to_vec(), rest].concat();
        let mut reader = TarReader::new(bytes.as_slice());
        prop_assert!(!matches!(reader.next_member(), Ok(Some(_))));
    }
}
