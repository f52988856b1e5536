public import Foundation

/// What can go wrong at a port.
///
/// Every message names the thing (file, position, plugin, codec) and, where there is one, the
/// remedy. No platform type leaks into a case: GStreamer, TagLib and errno codes arrive as text.
public enum CoreError: Error, Sendable {
    /// An argument is outside its documented range.
    case invalidArgument(String)
    /// The call is not allowed in the current state.
    case invalidState(String)
    /// The file or resource does not exist.
    case notFound(String)
    /// Reading or writing failed below: permissions, devices, time limits.
    case ioError(underlying: any Error)
    /// The data are damaged; the message gives the position where decoding stopped.
    case decodeError(String)
    /// No component handles this format, rate or operation; the message names what to install.
    case unsupported(String)
}

extension CoreError {
    /// An I/O error with a message of our own as the underlying error.
    ///
    /// - Parameter message: What failed, with the file or device and the system's message.
    public static func ioError(_ message: String) -> CoreError { .ioError(underlying: IOFailure(message: message)) }

    /// The error for a file or stream that ends before its first frame.
    ///
    /// - Parameter name: The source's name.
    package static func withoutSound(_ name: String) -> CoreError {
        .decodeError("\(name) has no sound: it ends before its first frame")
    }

    /// The message as a part of a text that names the source already. Errors of ports begin with the source's name.
    ///
    /// - Parameter name: The source's name.
    package func reason(about name: String) -> String {
        guard message.hasPrefix(name) else { return message }
        let rest = message.dropFirst(name.count)
        if rest.hasPrefix(": ") { return String(rest.dropFirst(2)) }
        if rest.hasPrefix(" at ") { return String(rest.dropFirst()) }
        return rest.hasPrefix(" ") ? "it" + rest : message
    }

    /// The text of any error as a part of a text that names the source already.
    package static func reason(of error: any Error, about name: String) -> String {
        (error as? CoreError)?.reason(about: name) ?? "\(error)"
    }

    /// An error of the same kind with another text.
    package func withMessage(_ text: String) -> CoreError {
        switch self {
        case .invalidArgument: .invalidArgument(text)
        case .invalidState: .invalidState(text)
        case .notFound: .notFound(text)
        case .ioError: .ioError(text)
        case .decodeError: .decodeError(text)
        case .unsupported: .unsupported(text)
        }
    }

    /// The case without its payload, for reports and comparisons, such as `notFound`.
    public var code: String {
        switch self {
        case .invalidArgument: "invalidArgument"
        case .invalidState: "invalidState"
        case .notFound: "notFound"
        case .ioError: "ioError"
        case .decodeError: "decodeError"
        case .unsupported: "unsupported"
        }
    }

    /// The message for a person, without the case's name.
    public var message: String {
        switch self {
        case .invalidArgument(let text), .invalidState(let text), .notFound(let text), .decodeError(let text),
            .unsupported(let text):
            text
        case .ioError(let underlying): Self.text(of: underlying)
        }
    }

    /// The text that an error has for people, else its description: Foundation's text for an error without one names only its
    /// type and a number.
    private static func text(of error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if type(of: error) is NSError.Type || error is any CustomNSError { return error.localizedDescription }
        return "\(error)"
    }
}

extension CoreError: Hashable {
    /// Two I/O errors are equal whatever lies beneath them; other cases compare their messages.
    public static func == (lhs: CoreError, rhs: CoreError) -> Bool {
        switch (lhs, rhs) {
        case (.ioError, .ioError): true
        default: lhs.code == rhs.code && lhs.message == rhs.message
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        if case .ioError = self { return }
        hasher.combine(message)
    }
}

extension CoreError: CustomStringConvertible, LocalizedError {
    /// The message, prefixed by the kind of error in words.
    public var description: String {
        switch self {
        case .invalidArgument: "Invalid argument: \(message)"
        case .invalidState: "Invalid state: \(message)"
        case .notFound: "Not found: \(message)"
        case .ioError: "I/O error: \(message)"
        case .decodeError: "Decode error: \(message)"
        case .unsupported: "Unsupported: \(message)"
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

/// The underlying error of ``CoreError/ioError(underlying:)`` where the platform gave only text or an errno.
public struct IOFailure: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// What failed, with the system's own words.
    public let message: String

    /// Creates a failure.
    ///
    /// - Parameter message: What failed, with the file or device and the system's message.
    public init(message: String) { self.message = message }

    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}
