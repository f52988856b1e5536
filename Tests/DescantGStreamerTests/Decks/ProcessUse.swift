import Foundation

/// What this process holds of the system.
struct ProcessUse {
    let descriptors: Int
    let threads: Int
    let residentBytes: Int

    static var now: ProcessUse {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let resident =
            status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return ProcessUse(descriptors: files, threads: tasks, residentBytes: resident * 1_024)
    }

    /// Waits until decks that were closed have released what they held.
    static func settle(within limits: ProcessUse) async throws {
        for _ in 0..<2_000_000 {
            let use = now
            if use.descriptors <= limits.descriptors + 8, use.threads <= limits.threads + 16 { return }
            await Task.yield()
        }
    }
}
