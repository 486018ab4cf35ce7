//! Lists as users type them: items between commas, with quotes as in CSV.

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The text, without the quotes and the blanks around it.
    pub text: String,
    /// Whether it stood in double quotes.
    pub is_quoted: bool,
}

/// The items between commas. An item in double quotes may hold commas, and two quotes in it stand for one. A quote
/// inside an item that does not begin with one is a character like any other.
///
/// # Errors
/// A sentence about a quote that is not closed, or that ends before its item does.
///
/// ```
/// use karcher::list::items;
/// let texts = |list| items(list).map(|items| items.into_iter().map(|item| item.text).collect::<Vec<_>>());
/// assert_eq!(texts(r#""Korea, South", Japan,"5"" pipe""#).unwrap(), ["Korea, South", "Japan", "5\" pipe"]);
/// assert_eq!(texts(r#"a,,5" pipe"#).unwrap(), ["a", "", "5\" pipe"]);
/// assert!(texts(r#""a,b"#).is_err() && texts(r#""a"b,c"#).is_err());
/// ```
pub fn items(list: &str) -> Result<Vec<Item>, String> {
    let (mut items, mut rest) = (vec![], list);
    loop {
        let (item, after) = first(rest)?;
        items.push(item);
        match after {
            Some(after) => rest = after,
            None => return Ok(items),
        }
    }
}

/// The first item, and the rest behind its comma.
fn first(list: &str) -> Result<(Item, Option<&str>), String> {
    let Some(mut rest) = list.trim_start().strip_prefix('"') else {
        let (text, after) = list.split_once(',').map_or((list, None), |(text, after)| (text, Some(after)));
        return Ok((Item { text: text.trim().to_owned(), is_quoted: false }, after));
    };
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once('"') {
        text.push_str(before);
        let end = after.trim_start();
        match (after.strip_prefix('"'), end.strip_prefix(',')) {
            (Some(more), _) => {
                text.push('"');
                rest = more;
            }
            (None, None) if !end.is_empty() => break,
            (None, after) => return Ok((Item { text: text.trim().to_owned(), is_quoted: true }, after)),
        }
    }
    Err(format!(
        "{} has a double quote that does not end with its name: write \"A, B\",C, and \"\" for a quote",
        list.trim()
    ))
}

/// One item alone; what is no quoted item is the text itself, commas and all.
///
/// ```
/// use karcher::list::unquoted;
/// assert_eq!([r#" "a, b" "#, "a, b", r#""a""#, r#"5""#].map(unquoted), ["a, b", "a, b", "a", "5\""]);
/// ```
pub fn unquoted(text: &str) -> String {
    match first(text) {
        Ok((item, None)) if item.is_quoted => item.text,
        _ => text.trim().to_owned(),
    }
}

/// The parts between separators, but not between those in double quotes.
///
/// ```
/// use karcher::list::split;
/// assert_eq!(split(r#"levels:"a:b":c"#, ':'), ["levels", r#""a:b""#, "c"]);
/// ```
pub fn split(text: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    text.split(|c: char| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    })
    .collect()
}

/// A name as it stands in a list: in double quotes where it has one of the separators, a quote, or blanks around it.
///
/// ```
/// use karcher::list::quoted;
/// assert_eq!(["ann", "a, b", "5\""].map(|name| quoted(name, &[','])), ["ann", "\"a, b\"", "\"5\"\"\""]);
/// ```
pub fn quoted(name: &str, separators: &[char]) -> String {
    match name.contains(separators) || name.contains('"') || name.trim() != name {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}
