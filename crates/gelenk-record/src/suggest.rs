//! The closest known names to a misspelt one.

/// Longest word that is compared: the distance costs the product of both lengths.
const LONGEST: usize = 128;

/// Up to three of `known` that a person may have meant by `name`, the closest first.
///
/// A different case or a missing group (`force` for `friction.knee.force`) counts as nearly right; otherwise
/// the edit distance (insert, delete, replace, swap of neighbours) may be at most a third of the length.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        let lower = candidate.to_lowercase();
        let tail = lower.strip_suffix(wanted.as_str()).is_some_and(|head| head.ends_with('.'));
        let group = lower.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('.'));
        if lower == wanted {
            found.push((0, candidate));
        } else if length > 0 && (tail || group) {
            found.push((1, candidate));
        } else {
            // A word of one letter has nothing left to recognise once it is changed.
            let edits = distance(&wanted, &lower);
            if edits < length && edits <= (length / 3).max(1) {
                found.push((edits, candidate));
            }
        }
    }
    // A stable sort keeps the order of the columns among equals.
    found.sort_by_key(|(score, _)| *score);
    if found.first().is_some_and(|(score, _)| *score == 0) {
        found.retain(|(score, _)| *score == 0);
    }
    found.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// The closing words of an error message: `, did you mean ...?`, or where nothing is close, the first names known.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let close = closest(name, known.clone());
    if !close.is_empty() {
        let quoted: Vec<String> = close.iter().map(|c| format!("`{c}`")).collect();
        return format!("; did you mean {}?", quoted.join(" or "));
    }
    const SHOWN: usize = 12;
    let mut names = known.into_iter();
    let first: Vec<&str> = names.by_ref().take(SHOWN).collect();
    match (first.is_empty(), names.count()) {
        (true, _) => "; there are none".to_owned(),
        (false, 0) => format!("; there are: {}", first.join(", ")),
        (false, more) => format!("; there are: {} and {more} more", first.join(", ")),
    }
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits_and_swaps() {
        // Textbook value: kitten -> sitting needs three edits.
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("phi", "pih"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn case_groups_and_typos_are_found_in_this_order() {
        let known = ["t", "phi", "phi.rate", "friction.knee.force"];
        assert_eq!(closest("PHI", known), ["phi"]);
        assert_eq!(closest("x", known), [""; 0]);
        assert_eq!(closest("phi.rat", known), ["phi.rate"]);
        assert_eq!(closest("force", known), ["friction.knee.force"]);
        assert_eq!(closest("friction", known), ["friction.knee.force"]);
        assert!(closest("temperature", known).is_empty());
    }

    #[test]
    fn hint_lists_what_there_is_when_nothing_is_close() {
        assert_eq!(hint("temperature", ["t", "phi"]), "; there are: t, phi");
        assert_eq!(hint("pih", ["t", "phi"]), "; did you mean `phi`?");
        assert_eq!(hint("x", std::iter::empty::<&str>()), "; there are none");
    }
}
