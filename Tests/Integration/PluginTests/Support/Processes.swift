import Foundation

/// The processes of this machine, from the kernel.
enum Processes {
    /// The helper processes that serve a bundle, of any host.
    static func serving(_ bundle: URL) -> [pid_t] {
        let path = bundle.resolvingSymlinksInPath().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let arguments = (try? text("cmdline", of: process))?.split(separator: "\0") ?? []
            let isHelper = arguments.prefix(2).contains { $0.hasSuffix("/descant-plugin-host") }
            return isHelper && arguments.contains { $0 == path }
        }
    }

    /// Ends the helper processes that serve a bundle, as the kernel does when memory is short, and waits until they have ended.
    static func killHelpers(of bundle: URL) {
        let helpers = serving(bundle)
        for process in helpers { kill(process, SIGKILL) }
        for process in helpers {
            while !hasEnded(process) { sched_yield() }
        }
    }

    /// Whether all threads of a process have ended, and its files are closed.
    private static func hasEnded(_ process: pid_t) -> Bool {
        guard let status = try? text("status", of: process) else { return true }
        return status.contains("State:\tZ") && status.contains("Threads:\t1\n")
    }

    /// The open files of a process by descriptor, without those that it closes meanwhile.
    static func files(of process: pid_t) throws -> [Int: String] {
        let folder = "/proc/\(process)/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return target.map { (Int(name) ?? -1, $0) }
            })
    }

    /// A file that describes a process, such as `status`.
    static func text(_ name: String, of process: pid_t) throws -> String {
        // The kernel returns one page at a time and no length.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/\(name)"))
        var data = Data()
        while let more = try file.read(upToCount: 4096), !more.isEmpty { data += more }
        return String(decoding: data, as: UTF8.self)
    }
}
