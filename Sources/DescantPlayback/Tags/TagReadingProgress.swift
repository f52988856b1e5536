/// How far a ``TagReading`` has come.
public struct TagReadingProgress: Sendable, Hashable {
    /// Files that have been read, the failed ones included.
    public var filesRead: Int
    /// Files that are known of.
    public var filesFound: Int
    /// Whether every folder was looked into, so that no further files will be found.
    public var isComplete: Bool

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - filesRead: Files that have been read.
    ///   - filesFound: Files that are known of.
    ///   - isComplete: Whether no further files will be found.
    public init(filesRead: Int, filesFound: Int, isComplete: Bool) {
        self.filesRead = filesRead
        self.filesFound = filesFound
        self.isComplete = isComplete
    }

    /// The share that has been read, 0…1; `nil` as long as further files may be found.
    public var fraction: Double? {
        guard isComplete else { return nil }
        return filesFound == 0 ? 1 : Double(filesRead) / Double(filesFound)
    }
}
