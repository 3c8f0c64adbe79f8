//! Progress of long work, on a terminal's standard error, after two seconds.

use crate::arguments::Global;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long work may take before anything is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar that appears when work takes long, and is wiped when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Tells the thread that waits to give up; the thread.
    waiting: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Progress over so many steps.
    pub fn new(global: &Global, what: &str, steps: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {prefix} [{bar:30}] {pos}/{len} {elapsed} {msg}",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        let shown = !global.quiet && !global.json && stderr().is_terminal();
        Self { waiting: shown.then(|| show_later(bar.clone())), bar }
    }

    /// What is being done now.
    pub fn doing(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

fn show_later(bar: ProgressBar) -> (mpsc::Sender<()>, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(120));
        }
    });
    (sender, thread)
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiting.take() {
            drop(sender);
            // The thread does nothing that fails.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
