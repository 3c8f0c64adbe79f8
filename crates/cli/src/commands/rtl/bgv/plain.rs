//! What a list of commands should give: messages as polynomials modulo `x^n + 1` and `p`.

use cyclotron_schemes::bgv_word::Command;

/// The message behind each buffer after the commands; none where nothing was written.
pub fn results(
    messages: &[Vec<u64>],
    buffers: usize,
    commands: &[Command],
    p: u64,
) -> Vec<Option<Vec<u64>>> {
    let mut all: Vec<Option<Vec<u64>>> = messages.iter().cloned().map(Some).collect();
    all.resize(buffers, None);
    for command in commands {
        let one = |buffer: usize| all.get(buffer).cloned().flatten();
        let both = |left, right| one(left).zip(one(right));
        let result = match *command {
            Command::Encrypt { message, .. } => one(message),
            Command::Add { left, right, .. } => both(left, right).map(|(a, b)| sum(&a, &b, p)),
            Command::Multiply { left, right, .. } => {
                both(left, right).map(|(a, b)| product(&a, &b, p))
            }
            Command::KeySwitch { from, .. }
            | Command::ModSwitch { from, .. }
            | Command::Decrypt { from, .. } => one(from),
        };
        if let Some(place) = all.get_mut(command.destination()) {
            *place = result;
        }
    }
    all
}

fn sum(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| (a + b) & (p - 1)).collect()
}

/// The negacyclic product, by the definition.
fn product(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let n = a.len();
    let mut out = vec![0u64; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let place = &mut out[(i + j) % n];
            *place = if i + j < n { place.wrapping_add(x * y) } else { place.wrapping_sub(x * y) };
        }
    }
    out.iter_mut().for_each(|word| *word &= p - 1);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclotron_schemes::bgv_word::Form;

    #[test]
    fn circuits_of_polynomials() {
        let form = Form::Coefficients;
        let messages = [vec![1, 3, 0, 0], vec![0, 0, 0, 1]];
        let commands = [
            Command::Encrypt { message: 0, to: 2, form },
            Command::Encrypt { message: 1, to: 3, form },
            Command::Multiply { left: 2, right: 3, to: 4, form },
            Command::Add { left: 4, right: 2, to: 5, form },
            Command::Decrypt { from: 5, to: 0 },
        ];
        let found = results(&messages, 7, &commands, 4);
        // (1 + 3x) x^3 = x^3 - 3 modulo x^4 + 1
        assert_eq!(found[4], Some(vec![1, 0, 0, 1]));
        assert_eq!(found[0], Some(vec![2, 3, 0, 1]));
        assert_eq!(found[6], None);
    }
}
