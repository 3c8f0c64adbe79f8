//! The commands of docs/cli.md, run in order in one folder, print what the page says.
//!
//! In the page, `[..]` stands for any text; alone on a line, for any number of lines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::Place;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/cli.md");
const ANY: &str = "[..]";

/// Commands of the page and what they print.
fn transcript() -> Vec<(String, Vec<String>)> {
    let mut entries: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, _) => match (line.strip_prefix("$ "), entries.last_mut()) {
                (Some(command), _) => entries.push((command.to_owned(), Vec::new())),
                (None, Some((_, output))) => output.push(line.to_owned()),
                (None, None) => panic!("output before a command: {line}"),
            },
            (false, _) => {}
        }
    }
    entries
}

/// Whether a line is as the pattern says.
fn line_matches(pattern: &str, line: &str) -> bool {
    let parts: Vec<&str> = pattern.split(ANY).collect();
    let [first, middle @ .., last] = &parts[..] else { return pattern == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether lines are as the patterns say.
fn matches(patterns: &[String], lines: &[&str]) -> bool {
    match (patterns, lines) {
        ([], lines) => lines.is_empty(),
        ([any, rest @ ..], lines) if any == ANY => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        ([pattern, rest @ ..], [line, lines @ ..]) => {
            line_matches(pattern, line) && matches(rest, lines)
        }
        (_, []) => false,
    }
}

#[test]
fn patterns_match_what_they_should() {
    let yes =
        [("a", "a"), ("a [..]", "a b"), ("[..]b[..]", "abc"), ("a[..]", "a"), ("[..]a", "ba")];
    let no = [("a", "ab"), ("a[..]c", "ab"), ("b[..]", "ab"), ("a[..]b[..]c", "acb")];
    assert!(yes.iter().all(|(pattern, line)| line_matches(pattern, line)));
    assert!(!no.iter().any(|(pattern, line)| line_matches(pattern, line)));
    let patterns = ["a", ANY, "z"].map(str::to_owned);
    assert!(matches(&patterns, &["a", "z"]) && matches(&patterns, &["a", "b", "c", "z"]));
    assert!(!matches(&patterns, &["a", "b"]) && !matches(&patterns, &["a", "z", "z", "b"]));
}

#[cfg(unix)]
#[test]
fn the_page_is_true() {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_cyclotron")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let entries = transcript();
    assert!(entries.len() > 15);
    for (command, expected) in entries {
        let done = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .env("PATH", &path)
            .current_dir(place.path("."))
            .output()
            .unwrap();
        let printed = String::from_utf8(done.stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        let expected_text = expected.join("\n");
        assert!(
            matches(&expected, &lines),
            "$ {command}\n{printed}\nthe page says:\n{expected_text}"
        );
    }
    // What the page calls out.ct is refused, so nothing of that name is there.
    assert!(!place.path("out.ct").exists() && place.path("score.ct").exists());
}
