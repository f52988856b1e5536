/// An invalid line in a transcript.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The transcript.
    public let name: String
    /// The line, counted from 1.
    public let line: Int

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - name: The transcript.
    ///   - line: The line, counted from 1.
    public init(name: String, line: Int) {
        self.name = name
        self.line = line
    }

    /// Name, line and remedy.
    public var description: String {
        "\(name), line \(line): not a step of a transcript; see Transcript for the form, or write the file again"
    }
}
