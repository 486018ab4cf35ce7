//! Arrays of keys: numbers, texts and dates as NumPy holds them.

use crate::dtype::Dtype;
use crate::error::{Error, Result};
use crate::formats::npy::{Header, Shape, describe, read_header, shorten, split_header};
use crate::formats::text::encoding::decoded;
use crate::memory::check_unpacked;
use crate::options::ReadOptions;
use crate::options::person::{Key, KeyType};
use crate::source::why;
use chrono::{DateTime, NaiveDateTime};
use std::io::Read;

/// The keys in an array of one axis, from a stream that is unpacked from `packed` bytes. `None` stands for a
/// missing one.
pub(crate) fn parse(
    file: &str,
    stream: &mut dyn Read,
    packed: u64,
    options: &ReadOptions,
) -> Result<(KeyType, Vec<Option<Key>>)> {
    let corrupt = |reason: &str| Error::Corrupt { file: file.to_owned(), format: "NPY", reason: reason.to_owned() };
    let head = read_header(file, &mut *stream)?;
    let (text, _) = split_header(&head).ok_or_else(|| corrupt("its header is incomplete"))?;
    let header = Header::parse(text).ok_or_else(|| corrupt("its header does not describe an array"))?;
    let no_keys = || Error::NoKeys { file: file.to_owned(), kind: describe(header.descr) };
    let unusable = |reason| Error::UnusableShape { file: file.to_owned(), shape: shorten(header.shape), reason };
    let shape = Shape::parse(header.shape).map_err(unusable)?;
    let [rows] = shape.axes[..] else { return Err(unusable("keys of persons or groups have one axis")) };
    let size = item_size(header.descr).ok_or_else(no_keys)?;
    let expected = rows.saturating_mul(size);
    check_unpacked(file, packed, expected)?;
    let mut data = vec![];
    // one more than there are, to notice data that go on; it grows with what is there
    stream.take(expected + 1).read_to_end(&mut data).map_err(|e| why(file, e))?;
    let (data, found) = (&data[..], data.len() as u64);
    if expected > found {
        return Err(Error::Truncated { file: file.to_owned(), expected, found });
    }
    if expected < found {
        return Err(Error::TrailingData { file: file.to_owned(), expected });
    }
    if let Some((unit, big_endian)) = texts(header.descr) {
        if size == 0 {
            return Ok((KeyType::Texts, vec![None])); // all of them are missing, however many the header claims
        }
        let items = data.chunks_exact(size as usize).enumerate();
        let keys = items.map(|(i, item)| match text_of(item, unit, big_endian, options) {
            Some(text) => Ok(Key::of(text.trim_end_matches('\0'))),
            None if options.keep_non_finite => Ok(None),
            None => Err(Error::NotText { file: file.to_owned(), row: i + 1, line: None }),
        });
        return Ok((KeyType::Texts, keys.collect::<Result<_>>()?));
    }
    let dtype = Dtype::parse(header.descr);
    if let Some(dtype @ Dtype { kind: b'f' | b'b', .. }) = dtype {
        let of = if dtype.kind == b'f' { KeyType::Numbers } else { KeyType::BOOLEANS };
        return Ok((of, dtype.decode(data).into_iter().map(Key::of_number).collect()));
    }
    if let Some(per_second) = moments(header.descr) {
        let integers = Dtype { kind: b'i', size: 8, big_endian: header.descr.starts_with('>') };
        let moment = |x: i64| moment(x, per_second).map(Key::of_moment);
        return Ok((KeyType::Dates, integers.numbers(data, |b| moment(i64::from_le_bytes(b)))));
    }
    let dtype = dtype.ok_or_else(no_keys)?;
    let keys: Vec<i128> = match (dtype.kind, dtype.size) {
        (b'i', 1) => dtype.numbers(data, |b| i8::from_le_bytes(b).into()),
        (b'i', 2) => dtype.numbers(data, |b| i16::from_le_bytes(b).into()),
        (b'i', 4) => dtype.numbers(data, |b| i32::from_le_bytes(b).into()),
        (b'i', _) => dtype.numbers(data, |b| i64::from_le_bytes(b).into()),
        (_, 1) => dtype.numbers(data, |b| u8::from_le_bytes(b).into()),
        (_, 2) => dtype.numbers(data, |b| u16::from_le_bytes(b).into()),
        (_, 4) => dtype.numbers(data, |b| u32::from_le_bytes(b).into()),
        (_, _) => dtype.numbers(data, |b| u64::from_le_bytes(b).into()),
    };
    let (bits, is_signed) = (8 * dtype.size, dtype.kind == b'i');
    Ok((KeyType::integers(bits, is_signed), keys.into_iter().map(|key| Some(Key::Integer(key))).collect()))
}

/// Parts of a second, or minus the seconds of it, that a type of dates counts: `<M8[us]`.
fn moments(descr: &str) -> Option<i64> {
    let unit = descr.get(1..)?.strip_prefix("M8[")?.strip_suffix(']')?;
    let units =
        [("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1000), ("s", 1), ("m", -60), ("h", -3600), ("D", -86_400)];
    units.into_iter().find_map(|(name, parts)| (name == unit).then_some(parts))
}

/// The moment of a count since 1970; none of NumPy's `NaT`.
fn moment(x: i64, parts: i64) -> Option<NaiveDateTime> {
    let (seconds, rest) = match parts {
        1.. => (x.div_euclid(parts), x.rem_euclid(parts) * (1_000_000_000 / parts)),
        _ => (x.checked_mul(-parts)?, 0),
    };
    let moment = DateTime::from_timestamp(seconds, u32::try_from(rest).ok()?)?;
    (x != i64::MIN).then(|| moment.naive_utc())
}

/// Bytes of an item: of a number, or of a text, `<U12` or `|S12`.
fn item_size(descr: &str) -> Option<u64> {
    if moments(descr).is_some() {
        return Some(8);
    }
    if let Some(dtype) = Dtype::parse(descr) {
        return Some(dtype.size as u64);
    }
    let (unit, _) = texts(descr)?;
    descr.get(2..)?.parse::<u64>().ok()?.checked_mul(unit)
}

/// Bytes of a character of texts, and whether their order is reversed.
fn texts(descr: &str) -> Option<(u64, bool)> {
    match descr.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), kind @ (b'U' | b'S'), ..] => {
            Some((if *kind == b'U' { 4 } else { 1 }, *order == b'>'))
        }
        _ => None,
    }
}

/// A text padded with zeros; `None` for an invalid one.
fn text_of(item: &[u8], unit: u64, big_endian: bool, options: &ReadOptions) -> Option<String> {
    if unit == 1 {
        return decoded(item, options.encoding);
    }
    let character = |bytes: &[u8; 4]| {
        let code = if big_endian { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
        char::from_u32(code)
    };
    item.as_chunks().0.iter().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, shape: &str, data: &[u8]) -> Result<Vec<Option<Key>>> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let bytes = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat();
        parse("f.npy", &mut &bytes[..], bytes.len() as u64, &ReadOptions::default()).map(|(_, keys)| keys)
    }

    #[test]
    fn integers_and_texts_are_keys() {
        let integer = |x: i128| Some(Key::Integer(x));
        let text = |x: &str| Some(Key::Text(x.to_owned()));
        assert_eq!(array("<i2", "(2,)", &[1, 0, 255, 255]).unwrap(), [integer(1), integer(-1)]);
        assert_eq!(array(">u8", "(1,)", &[255; 8]).unwrap(), [integer(u64::MAX.into())]);
        let letters = ['a', 'é', 'b', '\0'].map(|c| (c as u32).to_le_bytes()).concat();
        assert_eq!(array("<U2", "(2,)", &letters).unwrap(), [text("aé"), text("b")]);
        assert_eq!(array("|S2", "(3,)", b"abc\0\0\0").unwrap(), [text("ab"), text("c"), None]);
        assert_eq!(array("|b1", "(2,)", &[1, 0]).unwrap(), [integer(1), integer(0)]);
        assert_eq!(array("<f8", "(2,)", &[7.0, f64::NAN].map(f64::to_le_bytes).concat()).unwrap(), [integer(7), None]);
        for (descr, count) in [("<M8[D]", 1), ("<M8[s]", 86_400), ("<M8[ns]", 86_400_000_000_000_i64)] {
            let counts = [count, i64::MIN].map(i64::to_le_bytes).concat();
            assert_eq!(array(descr, "(2,)", &counts).unwrap(), [text("1970-01-02"), None]);
        }
        assert_eq!(array("<U0", "(2,)", b"").unwrap(), [None]); // nothing is held for as many as are claimed
    }

    #[test]
    fn what_is_no_list_of_keys_is_refused() {
        assert!(matches!(array("<c8", "(1,)", &[0; 8]), Err(Error::NoKeys { .. })));
        assert!(matches!(array("<i8", "(1, 1)", &[0; 8]), Err(Error::UnusableShape { .. })));
        assert!(matches!(array("<i8", "(2,)", &[0; 8]), Err(Error::Truncated { .. })));
        assert!(matches!(array("<i8", "(1,)", &[0; 9]), Err(Error::TrailingData { .. })));
        for text in ["<U1", "|S4"] {
            assert!(matches!(array(text, "(1,)", &[255; 4]), Err(Error::NotText { row: 1, .. })), "{text}");
        }
        assert!(matches!(array("<U99999999999999999999", "(1,)", &[0; 4]), Err(Error::NoKeys { .. })));
        assert!(array("<U4611686018427387904", "(2,)", &[0; 4]).is_err());
    }
}
