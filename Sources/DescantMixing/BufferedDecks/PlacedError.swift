internal import DescantCore

/// Gives errors of decoders and hosts a name and a position.
enum PlacedError {
    /// The error with the source's name and the position in front; the kind of error stays.
    static func error(_ error: any Error, name: String, seconds: Double) -> CoreError {
        let thousandths = (seconds * 1_000).rounded() / 1_000
        guard let known = error as? CoreError else { return .decodeError("\(name) at \(thousandths) s: \(error)") }
        return with("\(name) at \(thousandths) s: \(withoutName(known.message, name: name))", likeness: known)
    }

    /// An error of the same kind with other words.
    static func with(_ text: String, likeness: CoreError) -> CoreError {
        switch likeness {
        case .invalidArgument: .invalidArgument(text)
        case .invalidState: .invalidState(text)
        case .notFound: .notFound(text)
        case .ioError: .ioError(text)
        case .decodeError: .decodeError(text)
        case .unsupported: .unsupported(text)
        }
    }

    /// Many decoders put the name first themselves.
    private static func withoutName(_ message: String, name: String) -> String {
        guard message.hasPrefix(name) else { return message }
        return String(message.dropFirst(name.count).drop { $0 == ":" || $0 == " " })
    }
}
