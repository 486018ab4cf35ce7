//! The types of numbers that NumPy arrays have.

/// The type of the numbers in an array.
#[derive(Debug, Clone, Copy)]
pub struct Dtype {
    /// `f`, `i`, `u` or `b`.
    pub kind: u8,
    /// Bytes in a number.
    pub size: usize,
    /// Whether the first byte is the most significant.
    pub big_endian: bool,
}

impl Dtype {
    /// A type as NumPy writes it, such as `<f8`; `None` for one that is not of real numbers.
    pub(crate) fn parse(descr: &str) -> Option<Self> {
        let &[order, kind, ref size @ ..] = descr.as_bytes() else { return None };
        let size = match (kind, size) {
            (b'f', [size @ (b'2' | b'4' | b'8')]) => size - b'0',
            (b'i' | b'u', [size @ (b'1' | b'2' | b'4' | b'8')]) => size - b'0',
            (b'b', b"1") => 1,
            _ => return None,
        };
        matches!(order, b'<' | b'>' | b'|' | b'=').then_some(Self {
            kind,
            size: size.into(),
            big_endian: order == b'>',
        })
    }

    /// The type of real and imaginary parts, which alternate, of a type of complex numbers such as `<c16`; `None` for
    /// another type.
    pub(crate) fn of_complex(descr: &str) -> Option<Self> {
        let (order, size) = descr.split_once('c')?;
        let size = match size {
            "8" => "4",
            "16" => "8",
            _ => return None,
        };
        Self::parse(&format!("{order}f{size}"))
    }

    /// The numbers in `data`.
    pub fn decode(&self, data: &[u8]) -> Vec<f64> {
        match (self.kind, self.size) {
            (b'f', 2) => self.numbers(data, |b| half_to_f64(u16::from_le_bytes(b))),
            (b'f', 4) => self.numbers(data, |b| f32::from_le_bytes(b).into()),
            (b'f', _) => self.numbers(data, f64::from_le_bytes),
            (b'i', 1) => self.numbers(data, |b| i8::from_le_bytes(b).into()),
            (b'i', 2) => self.numbers(data, |b| i16::from_le_bytes(b).into()),
            (b'i', 4) => self.numbers(data, |b| i32::from_le_bytes(b).into()),
            (b'i', _) => self.numbers(data, |b| i64::from_le_bytes(b) as f64),
            (b'u', 1) => self.numbers(data, |b| u8::from_le_bytes(b).into()),
            (b'u', 2) => self.numbers(data, |b| u16::from_le_bytes(b).into()),
            (b'u', 4) => self.numbers(data, |b| u32::from_le_bytes(b).into()),
            (b'u', _) => self.numbers(data, |b| u64::from_le_bytes(b) as f64),
            _ => data.iter().map(|&b| f64::from(b != 0)).collect(),
        }
    }

    /// `number` of every `N` bytes, given in little-endian order.
    pub fn numbers<const N: usize, T>(&self, data: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
        let (chunks, _) = data.as_chunks::<N>();
        let reversed = |mut bytes: [u8; N]| {
            bytes.reverse();
            bytes
        };
        match self.big_endian {
            true => chunks.iter().map(|&bytes| number(reversed(bytes))).collect(),
            false => chunks.iter().map(|&bytes| number(bytes)).collect(),
        }
    }
}

/// IEEE 754 half precision: sign, five bits of exponent, ten of fraction.
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}
