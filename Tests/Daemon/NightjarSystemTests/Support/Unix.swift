import CLinux

/// bind(2) to a path; 0, or -errno.
func unixBind(_ fd: Int32, _ path: String) -> Int32 { nj_unix_bind(fd, path) }

/// The kernel's ID of the calling thread.
func threadID() -> Int32 { nj_gettid() }
