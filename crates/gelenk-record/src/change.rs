//! What happens at an event.

use std::fmt;

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)+) => {
        /// What happens at an event of a run. Recordings have the words of its `Display`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Change {
            $($(#[$doc])* $name,)+
            /// What the element of a program says of itself.
            Own(
                /// In words.
                &'static str,
            ),
        }

        impl Change {
            /// All of them but those of elements of a program.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// In words, such as `slips forward`.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                    Self::Own(word) => word,
                }
            }
        }
    };
}

changes! {
    /// A limit is hit; the velocity jumps.
    Hits = "hits",
    /// What has hit a limit stays there.
    ComesToRest = "comes to rest",
    /// A contact or a stop begins.
    ContactCloses = "contact closes",
    /// A contact or a stop ends.
    ContactOpens = "contact opens",
    /// Bodies in contact move apart faster than their surfaces follow.
    ReboundWithoutForce = "rebound without force",
    /// The surfaces have caught up.
    ForceAgain = "force again",
    /// Friction holds.
    Sticks = "sticks",
    /// Friction lets go to a positive velocity.
    SlipsForward = "slips forward",
    /// Friction lets go to a negative velocity.
    SlipsBackward = "slips backward",
    /// The velocity changes its sign.
    Reverses = "reverses",
    /// The velocity passes zero without sticking, and comes back.
    ContinuesSliding = "continues sliding",
    /// Sliding leaves the band of Karnopp's law.
    LeavesBand = "leaves the band",
    /// An element of a law slips.
    ElementSlips = "element slips",
    /// An element of a law sticks.
    ElementSticks = "element sticks",
    /// The play of a law is used up.
    PlayEngages = "play engages",
    /// The play of a law opens.
    PlayOpens = "play opens",
    /// The play of a law is passed the other way.
    PlayReverses = "play reverses",
    /// A switch turns on.
    TurnsOn = "turns on",
    /// A switch turns off.
    TurnsOff = "turns off",
    /// A loop passes a position at which its motion can branch.
    PassesSingularity = "passes a singular position",
    /// A step is divided.
    Cut = "cut",
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recording says with its words what has happened.
    #[test]
    fn words_are_unambiguous() {
        for (k, change) in Change::ALL.iter().enumerate() {
            assert!(Change::ALL[..k].iter().all(|other| other.word() != change.word()), "{change}");
        }
        assert_eq!(Change::Own("melts").to_string(), "melts");
    }
}
