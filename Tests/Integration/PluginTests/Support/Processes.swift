import Foundation

/// What runs on this machine, as the kernel tells.
enum Processes {
    /// The processes that run a program.
    static func running(_ program: URL) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) == program.path
        }
    }
}
