//! The numbers under which the agent waits for descriptors.

/// What is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Signals.
    Signals,
    /// The socket to the front.
    Front,
    /// An output of a rank.
    Stream(usize),
    /// A place that output goes to.
    Sink(usize),
    /// The PMI connection of a rank.
    Pmi(usize),
    /// Our standard input, when it is copied.
    Input,
    /// The standard input of a rank that gets a copy.
    Feed(usize),
    /// The end of the process that started us.
    Adopted,
}

impl Token {
    /// As one number: the kind above, the index below.
    pub fn pack(self) -> u64 {
        let (kind, index) = match self {
            Token::Signals => (0, 0),
            Token::Front => (1, 0),
            Token::Stream(index) => (2, index),
            Token::Sink(index) => (3, index),
            Token::Pmi(index) => (4, index),
            Token::Input => (5, 0),
            Token::Feed(index) => (6, index),
            Token::Adopted => (7, 0),
        };
        kind << 32 | index as u64
    }

    /// From the number. None for one that `pack` does not make.
    pub fn unpack(number: u64) -> Option<Token> {
        let index = number as u32 as usize;
        Some(match number >> 32 {
            0 => Token::Signals,
            1 => Token::Front,
            2 => Token::Stream(index),
            3 => Token::Sink(index),
            4 => Token::Pmi(index),
            5 => Token::Input,
            6 => Token::Feed(index),
            7 => Token::Adopted,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let tokens = [Token::Signals, Token::Front, Token::Input, Token::Adopted];
        let tokens = tokens.into_iter().chain(
            [0, 7, 100_000]
                .into_iter()
                .flat_map(|i| [Token::Stream(i), Token::Sink(i), Token::Pmi(i), Token::Feed(i)]),
        );
        for token in tokens {
            assert_eq!(Token::unpack(token.pack()), Some(token));
        }
        assert_eq!(Token::unpack(99 << 32), None);
    }
}
