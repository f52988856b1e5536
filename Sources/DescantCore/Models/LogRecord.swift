/// Something that happened, with fields that programs can read.
///
/// The names of events and fields are listed in the guides; a test compares whole lists of them.
public struct LogRecord: Sendable, Hashable, CustomStringConvertible {
    /// What happened, in words separated by dots: "session.activate", "engine.play".
    public var name: String
    /// How serious it is.
    public var level: LogLevel
    /// The particulars.
    public var fields: [LogField: LogValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: What happened, in words separated by dots.
    ///   - level: How serious it is.
    ///   - fields: The particulars.
    public init(_ name: String, level: LogLevel = .info, fields: [LogField: LogValue] = [:]) {
        self.name = name
        self.level = level
        self.fields = fields
    }

    /// "session.activate engine=espeak result=success": the name and the fields by the alphabet, personal values hidden.
    /// Values with spaces, quotes or line breaks are quoted as in Swift.
    public var description: String { text(revealing: false) }

    /// The event in one line.
    ///
    /// - Parameter personal: Whether personal values are shown.
    public func text(revealing personal: Bool) -> String {
        fields.sorted { $0.key < $1.key }.reduce(name) { line, field in
            "\(line) \(field.key)=\(Self.quoted(field.value.text(revealing: personal)))"
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.allSatisfy { !$0.isWhitespace && $0 != "\"" && $0 != "=" && $0.isPrintable }
        return isPlain ? value : value.debugDescription
    }
}

extension Character {
    /// Neither a control character nor part of a line break.
    fileprivate var isPrintable: Bool { unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
}
