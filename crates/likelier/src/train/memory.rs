//! Whether a run can fit, said before it starts.

use crate::error::Error;

/// Refuses a run that needs more memory than is free, where the system tells.
pub(super) fn check(needed: usize) -> Result<(), Error> {
    match available() {
        Some(available) if needed > available => Err(Error::Memory { needed, available }),
        _ => Ok(()),
    }
}

/// Bytes of memory that a new program could use: those of the machine, or of the container or shell if they allow less.
fn available() -> Option<usize> {
    [of_machine(), of_container(), of_process()].into_iter().flatten().min()
}

/// Linux says so in `/proc/meminfo`.
fn of_machine() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// What a container has left, if it has an end ("max" is none). Its caches are given up when memory is short.
fn of_container() -> Option<usize> {
    let text = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let most: usize = text("memory.max")?.trim().parse().ok()?;
    let cached = text("memory.stat")?
        .lines()
        .filter_map(|line| line.strip_prefix("inactive_file ")?.parse::<usize>().ok())
        .sum();
    let used: usize = text("memory.current")?.trim().parse().ok()?;
    Some(most.saturating_sub(used.saturating_sub(cached)))
}

/// What `ulimit -v` leaves.
fn of_process() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let most: usize = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kibibytes: usize = used.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(kibibytes.saturating_mul(1024)))
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
