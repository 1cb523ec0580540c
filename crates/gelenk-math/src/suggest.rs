//! The word that was probably meant: edit distance for messages about misspelt names and units.

/// The candidate that is nearest to `word`, if one is near enough to be a plausible meaning.
///
/// A candidate that differs only in case wins; otherwise the Damerau-Levenshtein distance (insert, delete,
/// replace and swap of neighbours cost one each) decides, ties go to the earlier candidate. A third of the
/// letters may be wrong, at least one in a word of two letters or more. Where none is near, a dotted name
/// that begins or ends with the word is taken.
///
/// ```
/// use gelenk_math::suggest::closest;
/// assert_eq!(closest("simga0", ["mass", "sigma0", "sigma1"]), Some("sigma0"));
/// assert_eq!(closest("Phi", ["phi", "psi"]), Some("phi"));
/// assert_eq!(closest("wheel", ["mass", "sigma0"]), None);
/// assert_eq!(closest("sigma0", ["bodies.arm.mass", "joints.knee.friction.sigma0"]), Some("joints.knee.friction.sigma0"));
/// ```
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long words cost quadratic time and nobody misspells a name of that length by one letter.
    const LONGEST: usize = 64;
    let target: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if target.is_empty() || target.len() > LONGEST {
        return None;
    }
    let folded: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = (target.len() / 3).max(usize::from(target.len() >= 2));
    let mut best: Option<(usize, &str)> = None;
    let mut related = None;
    for candidate in candidates {
        let (head, tail) = (candidate.strip_prefix(word), candidate.strip_suffix(word));
        if head.is_some_and(|rest| rest.starts_with('.')) || tail.is_some_and(|rest| rest.ends_with('.')) {
            related.get_or_insert(candidate);
        }
        let lower: Vec<char> = candidate.to_lowercase().chars().take(LONGEST + 1).collect();
        let cost = if lower == folded {
            0
        } else {
            if lower.len() > LONGEST || lower.len().abs_diff(folded.len()) > allowed {
                continue;
            }
            distance(&folded, &lower)
        };
        if cost <= allowed.max(usize::from(lower == folded)) && best.is_none_or(|(c, _)| cost < c) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).or(related)
}

/// The closing words of an error message: `; did you mean ...?`, or where nothing is near, the first names known.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = closest(word, known.clone()) {
        return format!("; did you mean `{near}`?");
    }
    const SHOWN: usize = 12;
    let mut names = known.into_iter();
    let first: Vec<&str> = names.by_ref().take(SHOWN).collect();
    match (first.is_empty(), names.count()) {
        (true, _) => "; there are none".to_owned(),
        (false, 0) => format!("; available: {}", first.join(", ")),
        (false, more) => format!("; available: {} and {more} more", first.join(", ")),
    }
}

/// Damerau-Levenshtein distance in its restricted form (a swapped pair is not edited further).
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    let mut row: Vec<usize> = vec![0; width];
    for (i, &x) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let mut cost = (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(x != y));
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before[j - 1] + 1);
            }
            row[j + 1] = cost;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: &str, b: &str) -> usize {
        distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn distances_of_textbook_pairs() {
        // kitten/sitting = 3 is the standard example of the Levenshtein distance.
        assert_eq!(apart("kitten", "sitting"), 3);
        assert_eq!(apart("ab", "ba"), 1);
        assert_eq!(apart("", "abc"), 3);
        assert_eq!(apart("same", "same"), 0);
    }

    #[test]
    fn case_beats_distance_and_far_words_are_not_offered() {
        assert_eq!(closest("KG", ["mg", "kg"]), Some("kg"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("X", ["x"]), Some("x"));
        assert_eq!(closest("parnet", ["child", "parent"]), Some("parent"));
        assert_eq!(closest("", ["a"]), None);
        assert_eq!(closest(&"a".repeat(10_000), ["a"]), None);
    }

    #[test]
    fn hint_lists_what_there_is_when_nothing_is_close() {
        assert_eq!(hint("temperature", ["t", "phi"]), "; available: t, phi");
        assert_eq!(hint("pih", ["t", "phi"]), "; did you mean `phi`?");
        assert_eq!(hint("x", std::iter::empty::<&str>()), "; there are none");
    }
}
