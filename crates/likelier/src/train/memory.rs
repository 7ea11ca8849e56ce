//! Whether a run can fit, said before it starts.

use crate::error::Error;

/// Refuses a run that needs more memory than is free, where the system tells.
pub(super) fn check(needed: usize) -> Result<(), Error> {
    match available() {
        Some(available) if needed > available => Err(Error::Memory { needed, available }),
        _ => Ok(()),
    }
}

/// Bytes of memory that a new program could use: Linux says so in `/proc/meminfo`.
fn available() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_larger_than_any_memory_is_refused_with_both_numbers() {
        assert!(check(1024).is_ok());
        if available().is_some() {
            let message = check(usize::MAX).unwrap_err().to_string();
            assert!(message.contains("GiB of memory"), "{message}");
        }
    }
}
