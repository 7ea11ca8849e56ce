//! Ctrl-C and SIGTERM: a run that can save its state is asked to; anything else ends at once and leaves no half-written
//! file.

use std::sync::atomic::{AtomicBool, Ordering};

use likelier::files::remove_begun;

use super::tell;

static STOP: AtomicBool = AtomicBool::new(false);
static CAN_STOP: AtomicBool = AtomicBool::new(false);

/// Takes over from the system. Where that is not possible a signal ends the program as it always does.
pub(super) fn install() {
    let _ = ctrlc::set_handler(asked);
    // Not SIGHUP: `nohup` has it ignored, and a handler would undo that.
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]) {
        std::thread::spawn(move || signals.forever().for_each(|_| asked()));
    }
}

fn asked() {
    // Who asks twice does not want to wait.
    if CAN_STOP.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
        return;
    }
    remove_begun();
    tell("error: interrupted; unfinished files were removed\n");
    std::process::exit(2);
}

/// From here on Ctrl-C and SIGTERM only raise this flag, which a run looks at when it can save its state.
pub fn ask_to_stop() -> &'static AtomicBool {
    CAN_STOP.store(true, Ordering::SeqCst);
    &STOP
}

/// From here on they end the program again.
pub fn end_at_once() {
    CAN_STOP.store(false, Ordering::SeqCst);
}
