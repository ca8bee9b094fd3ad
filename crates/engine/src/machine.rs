//! What the operating system says in, the memory that this process may use out.
//!
//! In a container the machine's memory is not what there is: the process is killed at the limit of its
//! control group, or of one above.
//!
//! Source: proc(5), cgroups(7).

use std::fs::read_to_string;
use std::path::Path;

/// Memory of the machine, or of the narrowest control group, where anything says.
pub(crate) fn memory_bytes() -> Option<usize> {
    memory_below(Path::new("/"))
}

/// The same with the files of another root.
fn memory_below(root: &Path) -> Option<usize> {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|line| group_limits(root, line));
    limits.chain(machine_bytes(root)).min()
}

fn machine_bytes(root: &Path) -> Option<usize> {
    let text = read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The limits of a group and of those above it. A line is `0::/path` in version 2 and `7:memory:/path` in
/// version 1; within a container the path may be the one outside, of which only the topmost is there.
fn group_limits(root: &Path, line: &str) -> Vec<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (folder, file) = match parts.next() {
        Some("") => ("sys/fs/cgroup", "memory.max"),
        Some(controllers) if controllers.split(',').any(|c| c == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let path = Path::new(parts.next().unwrap_or_default().trim_start_matches('/'));
    let limit = |group: &Path| read_to_string(root.join(folder).join(group).join(file)).ok();
    // "max", and in version 1 a number near 2^63, is no limit.
    path.ancestors().filter_map(limit).filter_map(|text| text.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::memory_below;

    #[test]
    fn the_narrowest_limit_counts() {
        let root = std::env::temp_dir().join(format!("trimorph-machine-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(memory_below(&root), None);
        write("proc/meminfo", "MemTotal:        1000 kB\nMemFree: 1 kB\n");
        assert_eq!(memory_below(&root), Some(1_024_000));
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        assert_eq!(memory_below(&root), Some(1_024_000));
        write("sys/fs/cgroup/a/memory.max", "500\n");
        assert_eq!(memory_below(&root), Some(500));
        // Version 1, where the path is one outside of the container.
        write("proc/self/cgroup", "3:cpu:/x\n7:memory:/docker/0123\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n");
        assert_eq!(memory_below(&root), Some(700));
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(memory_below(&root), Some(1_024_000));
        write("proc/self/cgroup", "nonsense\n::\n0::\n0\n");
        assert_eq!(memory_below(&root), Some(1_024_000));
        fs::remove_dir_all(&root).unwrap();
    }
}
