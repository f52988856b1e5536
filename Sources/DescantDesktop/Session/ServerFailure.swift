internal import CPulse
internal import DescantCore
internal import Foundation

/// Words for a sound server that cannot be reached: which one, why, and what to do.
enum ServerFailure {
    /// An error of a connection.
    ///
    /// - Parameters:
    ///   - code: libpulse's.
    ///   - server: The address that was asked for; `nil` for the user's default.
    static func error(_ code: Int32, server: String?) -> CoreError {
        let reason = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let isRefusal = code == Int32(PA_ERR_ACCESS.rawValue) || code == Int32(PA_ERR_AUTHKEY.rawValue)
        return .ioError("\(name(server)): \(reason); \(isRefusal ? admission : start)")
    }

    /// The error of a server that did not answer in time.
    static func timeout(seconds: Double, server: String?) -> CoreError {
        .ioError(
            "\(name(server)): no answer within \(seconds) s; restart it with `pulseaudio --kill` or "
                + "`systemctl --user restart pipewire-pulse`, or name another one in PULSE_SERVER")
    }

    private static let start =
        "start a server with `pulseaudio --start` or `systemctl --user start pipewire-pulse`, or name one in PULSE_SERVER"
    private static let admission =
        "copy the cookie of the server's user to ~/.config/pulse/cookie, or name another server in PULSE_SERVER"

    private static func name(_ server: String?) -> String {
        "sound server \(server ?? ProcessInfo.processInfo.environment["PULSE_SERVER"] ?? "of this user")"
    }
}
