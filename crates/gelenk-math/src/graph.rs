//! Orders and cycles of dependencies: parameters, signals, joints.

/// An order in which every node stands after those it needs, and a cycle if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// All nodes that neither lie on a cycle nor need one.
    pub nodes: Vec<usize>,
    /// The nodes of one cycle, each needing the next, the last needing the first; empty if there is none.
    pub cycle: Vec<usize>,
}

/// Orders nodes by what they need; needs outside the list are ignored.
pub fn order(needs: &[Vec<usize>]) -> Order {
    let count = needs.len();
    let mut open: Vec<usize> = vec![0; count];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, list) in needs.iter().enumerate() {
        for &need in list.iter().filter(|need| **need < count) {
            open[node] += 1;
            users[need].push(node);
        }
    }
    let mut nodes: Vec<usize> = (0..count).filter(|&node| open[node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = nodes.get(next) {
        next += 1;
        for &user in &users[node] {
            open[user] -= 1;
            if open[user] == 0 {
                nodes.push(user);
            }
        }
    }
    Order { cycle: cycle(needs, &open), nodes }
}

/// Follows open needs from the first open node until one repeats.
fn cycle(needs: &[Vec<usize>], open: &[usize]) -> Vec<usize> {
    let stuck = |node: usize| open.get(node).is_some_and(|count| *count > 0);
    let Some(mut node) = (0..needs.len()).find(|&node| stuck(node)) else {
        return Vec::new();
    };
    let mut place: Vec<Option<usize>> = vec![None; needs.len()];
    let mut path = Vec::new();
    loop {
        if let Some(start) = place[node] {
            return path.split_off(start);
        }
        place[node] = Some(path.len());
        path.push(node);
        // A node with open needs has one that is open itself.
        match needs[node].iter().copied().find(|&need| stuck(need)) {
            Some(need) => node = need,
            None => return Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_what_can_be_ordered_and_shows_the_cycle() {
        let found = order(&[vec![1], vec![2], vec![], vec![4], vec![5, 2], vec![4, 9]]);
        assert_eq!(found.nodes, [2, 1, 0]);
        assert_eq!(found.cycle, [4, 5]);
        assert!(order(&[vec![], vec![0]]).cycle.is_empty());
        assert_eq!(order(&[vec![0]]).cycle, [0]);
    }

    #[test]
    fn long_chains_do_not_exhaust_the_stack() {
        let chain: Vec<Vec<usize>> = (0..100_000).map(|i| vec![i + 1]).collect();
        assert_eq!(order(&chain).nodes.len(), 100_000);
        let ring: Vec<Vec<usize>> = (0..100_000).map(|i| vec![(i + 1) % 100_000]).collect();
        assert_eq!(order(&ring).cycle.len(), 100_000);
    }
}
