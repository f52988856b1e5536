/// Encoded bytes that an appsrc asks for, one request at a time.
protocol ByteStream: AnyObject, Sendable {
    /// The length in bytes; `nil` when unknown.
    var size: Int64? { get }

    /// Whether reading may jump.
    var isSeekable: Bool { get }

    /// The next reading begins at this offset; called on a streaming thread, must not wait.
    func move(to offset: Int64)

    /// The next bytes; called on a streaming thread, which may be held until they are there.
    ///
    /// - Parameter count: How many; fewer come only at the end.
    /// - Returns: The bytes; empty at the end, after an error and after ``cancel()``.
    func next(_ count: Int) -> [UInt8]

    /// Ends whatever ``next(_:)`` waits for.
    func cancel()

    /// Whether ``next(_:)`` waits for code of the host.
    var isAwaitingHost: Bool { get }
}

extension ByteStream {
    var isAwaitingHost: Bool { false }
}
