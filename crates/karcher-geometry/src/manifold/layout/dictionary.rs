//! The names that a layout knows, as data.

use super::Layout;
use super::names::Called;

/// The most rows of a matrix whose entries are named by two digits.
const MOST_ROWS: usize = 9;

/// The names by which columns are known as the numbers of a layout: most of those that
/// [`check_names`](Layout::check_names) knows. It is for programs without this library, such as the script of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dictionary {
    /// For each number the words that name it alone. Empty if there are none.
    pub words: Vec<Vec<String>>,
    /// Ways to name all numbers together: for each number its symbols, behind what all names begin with.
    pub symbols: Vec<Vec<Vec<String>>>,
}

impl Layout {
    /// The names of its numbers.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdLogEuclidean};
    /// let layouts = SpdLogEuclidean::new(2)?.layouts();
    /// let upper = layouts.iter().find(|layout| layout.name() == "upper-row").ok_or("no such layout")?;
    /// assert_eq!(upper.dictionary().symbols[0], [vec!["xx"], vec!["xy", "yx"], vec!["yy"]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dictionary(&self) -> Dictionary {
        if let Some(called) = self.names().called_alone() {
            let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
            let each = |names: fn(&Called) -> &'static [&'static str]| -> Vec<Vec<String>> {
                let all: Vec<Vec<String>> = called.iter().map(|one| owned(names(one))).collect();
                if all.iter().any(Vec::is_empty) { vec![] } else { all }
            };
            let (words, symbols) = (each(|one| one.words), each(|one| one.symbols));
            return Dictionary { words, symbols: Some(symbols).filter(|all| !all.is_empty()).into_iter().collect() };
        }
        if let Some(entries) = self.names().entries_alone() {
            let (places, (rows, columns)) = (entries.places(), entries.size());
            let both = |name: &dyn Fn(usize, usize) -> String, (i, j): (usize, usize)| match entries.is_symmetric() {
                true if i != j => vec![name(i, j), name(j, i)],
                _ => vec![name(i, j)],
            };
            let way = |name: &dyn Fn(usize, usize) -> String| -> Vec<Vec<String>> {
                places.iter().map(|place| both(name, *place)).collect()
            };
            let letter = |i: usize| ["x", "y", "z"][i];
            let mut symbols = vec![];
            if rows.max(columns) <= 3 {
                symbols.push(way(&|i, j| format!("{}{}", letter(i), letter(j))));
            }
            if rows.max(columns) <= MOST_ROWS {
                symbols.push(way(&|i, j| format!("{}{}", i + 1, j + 1)));
                symbols.push(way(&|i, j| format!("{i}{j}")));
            }
            return Dictionary { words: vec![], symbols };
        }
        let Some((is_blocked, axes)) = self.names().landmarks_alone() else { return Dictionary::default() };
        let landmarks = self.numbers() / axes;
        let place = |number: usize| match is_blocked {
            true => (number % landmarks, number / landmarks),
            false => (number / axes, number % axes),
        };
        let from = |base: usize| {
            let name = |number| {
                let (landmark, axis) = place(number);
                vec![format!("{}{}", ["x", "y", "z"][axis], landmark + base)]
            };
            (0..self.numbers()).map(name).collect()
        };
        Dictionary { words: vec![], symbols: vec![from(1), from(0)] }
    }
}

#[cfg(test)]
mod tests {
    use crate::manifold::{FAMILIES, Verdict};
    use crate::space::Space;

    /// Whatever the dictionary has names the columns, behind any beginning.
    #[test]
    fn names_of_the_dictionary_agree_with_the_layout() {
        let mut known = 0;
        let spaces = FAMILIES.iter().flat_map(|family| family.examples);
        for manifold in spaces.map(|name| name.parse::<Space>().unwrap().manifold().unwrap()) {
            let layouts = manifold.layouts();
            for layout in &layouts {
                let dictionary = layout.dictionary();
                let ways = dictionary.symbols.iter().filter(|way| way.len() > 2).map(|way| ("c_", way));
                let words = Some(("", &dictionary.words)).filter(|(_, words)| !words.is_empty());
                for (begin, way) in ways.chain(words) {
                    let names: Vec<String> = way.iter().map(|names| format!("{begin}{}", names[0])).collect();
                    let verdict = layout.check_names(&layouts, &names);
                    assert!(
                        !matches!(verdict, Verdict::Silence),
                        "{} {}: {names:?} {verdict:?}",
                        manifold.space(),
                        layout.name()
                    );
                    known += usize::from(verdict == Verdict::Agreement);
                }
            }
        }
        assert!(known > 30, "{known}");
    }
}
