import Foundation

/// The processes of this machine, from the kernel.
enum Processes {
    /// The processes that run a program.
    static func running(_ program: URL) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) == program.path
        }
    }

    /// The open files of a process by descriptor.
    static func files(of process: pid_t) throws -> [Int: String] {
        let folder = "/proc/\(process)/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return (Int(name) ?? -1, target)
            })
    }
}
