internal import DescantCore

/// One run of a ``GStreamerOutput``, from start to stop.
protocol PortSession: AnyObject, Sendable {
    /// Acquires the device, or starts the file.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Throws: `CoreError.ioError` naming the destination.
    func start(limit seconds: Double) throws

    /// Releases everything; what is not heard is dropped, except for a file.
    func close()

    /// Takes frames; does not allocate, lock or wait unless the session has failed.
    ///
    /// - Returns: How many were taken.
    /// - Throws: The error of a session that has failed.
    func render(_ buffer: UnsafePointer<Float>, frames: Int) throws -> Int

    /// Takes back the frames that were rendered and can still be replaced, without a gap.
    ///
    /// - Returns: How many; `nil` for a destination that has to be opened again.
    func takeBack() -> Int?

    /// The frames that were rendered and not heard; after ``close()``, those that were dropped.
    var pending: Int { get }

    /// The first error of the session.
    var error: CoreError? { get }

    /// Keeps the first error for the next render.
    func fail(_ error: CoreError)
}
