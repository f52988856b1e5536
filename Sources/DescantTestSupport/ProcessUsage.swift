internal import Foundation

/// What the running process holds at a moment.
public struct ProcessUsage: Sendable, Hashable {
    /// Bytes in main memory.
    public let residentBytes: Int
    /// Open descriptors.
    public let descriptors: Int

    /// Looks at the process.
    ///
    /// - Throws: What reading `/proc` throws.
    public init() throws {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        residentBytes = (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
