//! Reads the headers of a tar file as container runtimes do, and refuses headers that other programs read differently.
//!
//! What a review reads must be what a cluster unpacks. Most runtimes are written in Go, so this reader follows the
//! package archive/tar of Go wherever programs differ.

use std::io::{self, Read};

const BLOCK: usize = 512;
type Block = [u8; BLOCK];

/// The maximum size in bytes of the headers of a member, including long names and attributes, because headers are read
/// into memory.
const HEADER_LIMIT: u64 = 1 << 20;

/// The prefix of the records that describe a sparse file.
const SPARSE: &[u8] = b"GNU.sparse.";

/// The headers of a member.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    /// The target of a link.
    pub(super) target: Vec<u8>,
    /// The type in the header, as the byte in the file.
    pub(super) kind: u8,
    /// The number of bytes of the content in the file.
    pub(super) size: u64,
    /// Whether the content in the file is only a part of the content of the member.
    pub(super) is_sparse: bool,
}

/// A reader for a tar file, and for the content of its current member.
pub(super) struct TarReader<R> {
    source: R,
    /// The unread bytes of the content.
    left: u64,
    /// The bytes between the end of the content and the next header.
    padding: u64,
}

impl<R: Read> TarReader<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            left: 0,
            padding: 0,
        }
    }

    pub(super) fn source(&self) -> &R {
        &self.source
    }

    pub(super) fn into_source(self) -> R {
        self.source
    }

    /// Skips the rest of the current member, and returns the headers of the next one. Returns `None` at the end.
    pub(super) fn next_member(&mut self) -> io::Result<Option<Header>> {
        let mut long = Longer::default();
        let mut headers = 0_u64;
        loop {
            let Some(block) = self.next_block()? else {
                if long != Longer::default() {
                    return Err(invalid("the last headers belong to no member"));
                }
                return Ok(None);
            };
            let mut header = plain(&block)?;
            self.begin(header.size);
            headers += BLOCK as u64;
            if is_extension(header.kind) {
                headers = headers.saturating_add(header.size);
            }
            if headers > HEADER_LIMIT {
                return Err(invalid("a member's headers are larger than 1 MiB"));
            }
            match header.kind {
                b'x' if long.records => return Err(invalid("a member has two extended headers")),
                b'L' if long.name.is_some() => return Err(invalid("a member has two long names")),
                b'K' if long.target.is_some() => return Err(invalid("a member has two long link targets")),
                b'x' => long.add_records(&self.whole()?)?,
                b'L' => long.name = Some(until_nul(&self.whole()?).to_vec()),
                b'K' => long.target = Some(until_nul(&self.whole()?).to_vec()),
                b'g' if long != Longer::default() => {
                    return Err(invalid("a global header is between a member and its headers"));
                }
                // Some programs apply these records to all members that follow, and others do not.
                b'g' => {
                    let mut global = Longer::default();
                    global.add_records(&self.whole()?)?;
                    global.records = false;
                    if global != Longer::default() {
                        return Err(invalid("a global header changes names, sizes or link targets"));
                    }
                }
                _ => {
                    long.apply_to(&mut header);
                    self.begin(header.size);
                    return Ok(Some(header));
                }
            }
        }
    }

    /// Sets the length of the content that follows.
    fn begin(&mut self, size: u64) {
        self.left = size;
        self.padding = size.wrapping_neg() % BLOCK as u64;
    }

    /// Skips the rest of the current member.
    pub(super) fn skip(&mut self) -> io::Result<()> {
        let rest = self.left.saturating_add(self.padding);
        (self.left, self.padding) = (0, 0);
        if io::copy(&mut self.source.by_ref().take(rest), &mut io::sink())? < rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Returns the next block with a header.
    fn next_block(&mut self) -> io::Result<Option<Block>> {
        self.skip()?;
        let Some(first) = self.block()? else { return Ok(None) };
        if first.iter().any(|byte| *byte != 0) {
            return Ok(Some(first));
        }
        // Two blocks of zeros mark the end. A single one is read as the end by some programs, and skipped by others.
        match self.block()? {
            Some(second) if second.iter().any(|byte| *byte != 0) => {
                Err(invalid("a header follows a single block of zeros"))
            }
            _ => Ok(None),
        }
    }

    fn block(&mut self) -> io::Result<Option<Block>> {
        let mut block = Vec::with_capacity(BLOCK);
        self.source.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        if block.is_empty() {
            return Ok(None);
        }
        let whole = Block::try_from(block);
        Ok(Some(whole.map_err(|_| io::ErrorKind::UnexpectedEof)?))
    }

    /// Returns the content of a header that is stored like a member. Its size has been checked.
    fn whole(&mut self) -> io::Result<Vec<u8>> {
        let mut whole = Vec::new();
        let size = self.left;
        self.read_to_end(&mut whole)?;
        if (whole.len() as u64) < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(whole)
    }
}

impl<R: Read> Read for TarReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.by_ref().take(self.left).read(buffer)?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The values of a member that do not fit into its header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Longer {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    /// Whether there are records, which may contain some of the following values.
    records: bool,
    path: Vec<u8>,
    linkpath: Vec<u8>,
    size: Option<u64>,
    sparse_name: Vec<u8>,
    is_sparse: bool,
}

impl Longer {
    /// Adds the records of an extended header. The last record with a key wins, and an empty value removes it.
    fn add_records(&mut self, records: &[u8]) -> io::Result<()> {
        self.records = true;
        let mut rest = records;
        while !rest.is_empty() {
            let (key, value, next) = record(rest).ok_or_else(|| invalid("an extended header is malformed"))?;
            rest = next;
            match key {
                b"path" => self.path = value.to_vec(),
                b"linkpath" => self.linkpath = value.to_vec(),
                b"size" if value.is_empty() => self.size = None,
                b"size" => {
                    let size = value.iter().all(u8::is_ascii_digit).then(|| str::from_utf8(value).ok());
                    let size = size
                        .flatten()
                        .and_then(|size| size.parse().ok())
                        .filter(|size| is_possible(*size));
                    self.size = Some(size.ok_or_else(|| invalid("the size in an extended header is invalid"))?);
                }
                _ if key.starts_with(SPARSE) => {
                    self.is_sparse = true;
                    if key == b"GNU.sparse.name" {
                        self.sparse_name = value.to_vec();
                    }
                }
                _ => {}
            }
            if [&self.path, &self.linkpath].iter().any(|value| value.contains(&0)) {
                return Err(invalid("a name in an extended header contains a NUL character"));
            }
        }
        Ok(())
    }

    fn apply_to(self, header: &mut Header) {
        let longest = |names: [Option<Vec<u8>>; 3]| names.into_iter().flatten().find(|name| !name.is_empty());
        if let Some(name) = longest([Some(self.sparse_name), self.name, Some(self.path)]) {
            header.name = name;
        }
        if let Some(target) = longest([self.target, Some(self.linkpath), None]) {
            header.target = target;
        }
        header.is_sparse |= self.is_sparse;
        if !has_no_content(header.kind) {
            header.size = self.size.unwrap_or(header.size);
        }
    }
}

/// Splits off the first record of an extended header: its key, its value, and the rest of the header.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let digits = records
        .get(..space)
        .filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let length: usize = str::from_utf8(digits).ok()?.parse().ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let text = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = text.iter().position(|byte| *byte == b'=')?;
    let (key, value) = (text.get(..equals)?, text.get(equals + 1..)?);
    (!key.is_empty() && !key.contains(&0)).then_some((key, value, rest))
}

/// Reads a header without its extensions.
fn plain(block: &Block) -> io::Result<Header> {
    let field = |start: usize, length: usize| block.get(start..start + length).unwrap_or_default();
    let sum = |range: &[u8]| range.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    let expected = number(field(148, 8)).ok_or_else(|| invalid("the checksum of a header is invalid"))?;
    if sum(block) - sum(field(148, 8)) + 8 * u64::from(b' ') != expected {
        return Err(invalid("the checksum of a header does not match"));
    }
    let kind = field(156, 1).first().copied().unwrap_or_default();
    let size = number(field(124, 12)).filter(|size| is_possible(*size));
    let size = size.ok_or_else(|| invalid("the size of a member is invalid"))?;
    let prefix = match (field(257, 8), field(508, 4)) {
        (b"ustar\x0000", b"tar\0") => field(345, 131),
        (b"ustar\x0000", _) => field(345, 155),
        (b"ustar  \0", _) => {
            // Some programs read these times as the start of the name if they are not numbers.
            let times = [field(345, 12), field(357, 12)];
            let is_time = |time: &[u8]| time.first().is_some_and(|first| first & 0x80 != 0) || number(time).is_some();
            if !times.into_iter().all(is_time) {
                return Err(invalid("the times of a member are invalid"));
            }
            &[]
        }
        _ => &[],
    };
    let mut name = until_nul(prefix).to_vec();
    if !name.is_empty() {
        name.push(b'/');
    }
    name.extend(until_nul(field(0, 100)));
    Ok(Header {
        name,
        target: until_nul(field(157, 100)).to_vec(),
        kind,
        size: if has_no_content(kind) { 0 } else { size },
        is_sparse: kind == b'S',
    })
}

/// Whether the header has content that belongs to the headers of the next member, or of all following members.
fn is_extension(kind: u8) -> bool {
    matches!(kind, b'x' | b'g' | b'L' | b'K')
}

/// Whether no content follows the header of such a member, whatever size it states: a link, device, folder or pipe.
fn has_no_content(kind: u8) -> bool {
    (b'1'..=b'6').contains(&kind)
}

/// Whether a size, rounded up to whole blocks, is a position in a file.
fn is_possible(size: u64) -> bool {
    size <= (u64::MAX >> 1) - BLOCK as u64
}

/// Reads a number in octal digits, or in binary if its first bit is set. An empty field is zero.
fn number(field: &[u8]) -> Option<u64> {
    if let Some((first, rest)) = field.split_first()
        && first & 0x80 != 0
    {
        // The second bit is the sign.
        let start = (first & 0x40 == 0).then_some(u64::from(first & 0x3f))?;
        return rest.iter().try_fold(start, |number, byte| {
            number.checked_mul(256)?.checked_add(u64::from(*byte))
        });
    }
    let is_blank = |byte: &u8| [b' ', 0].contains(byte);
    let start = field.iter().position(|byte| !is_blank(byte)).unwrap_or(field.len());
    let end = field
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(start, |last| last + 1);
    field.get(start..end)?.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        number.checked_mul(8)?.checked_add(u64::from(digit))
    })
}

fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests;
