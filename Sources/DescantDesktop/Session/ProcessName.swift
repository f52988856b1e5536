/// What tells one process of a sound server's clients from another. Servers take clients over the network, so that two of
/// them may have the same number.
struct ProcessName: Hashable, Sendable {
    /// The process's number.
    var identifier: Int32
    /// Its machine's name; `nil` when it does not say.
    var host: String?

    /// Whether both may be names of one process.
    func matches(_ other: ProcessName) -> Bool {
        identifier == other.identifier && (host == nil || other.host == nil || host == other.host)
    }
}
