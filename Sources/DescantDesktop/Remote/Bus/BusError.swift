internal import DescantCore

/// An error as the bus names it.
struct BusError: Error, Sendable, Hashable {
    /// The error's name, such as `org.freedesktop.DBus.Error.Failed`.
    var name: String
    /// What a person reads.
    var message: String

    private static func standard(_ name: String, _ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.\(name)", message: message)
    }

    static func failed(_ message: String) -> BusError { standard("Failed", message) }
    static func invalid(_ message: String) -> BusError { standard("InvalidArgs", message) }
    static func unsupported(_ message: String) -> BusError { standard("NotSupported", message) }
    static func unknownMethod(_ message: String) -> BusError { standard("UnknownMethod", message) }
    static func unknownProperty(_ message: String) -> BusError { standard("UnknownProperty", message) }
    static func timeout(_ message: String) -> BusError { standard("Timeout", message) }

    /// The error that comes nearest to one of ours.
    init(_ error: any Error) {
        switch error {
        case let error as BusError: self = error
        case let error as CoreError:
            switch error {
            case .unsupported: self = .unsupported(error.description)
            case .invalidArgument: self = .invalid(error.description)
            default: self = .failed(error.description)
            }
        case is CancellationError: self = .failed("another command came first")
        default: self = .failed("\(error)")
        }
    }

    init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}
