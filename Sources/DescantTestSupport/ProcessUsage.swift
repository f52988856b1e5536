internal import Foundation

/// The memory and descriptors of the running process at one time.
public struct ProcessUsage: Sendable, Hashable {
    /// The resident memory in bytes.
    public let residentBytes: Int
    /// The number of open descriptors.
    public let descriptors: Int

    /// Measures the running process.
    ///
    /// - Throws: The error of reading `/proc`.
    public init() throws {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        residentBytes = (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
