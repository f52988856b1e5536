internal import CGStreamer
internal import DescantCore
internal import Foundation

/// Makes the errors of sinks, with the file, device or server, the reason and a remedy.
enum SinkFailure {
    /// The error of a pipeline's error message.
    static func error(
        from message: UnsafeMutablePointer<GstMessage>, destination: OutputDestination
    ) -> CoreError {
        var raised: UnsafeMutablePointer<GError>?
        var details: UnsafeMutablePointer<CChar>?
        gst_message_parse_error(message, &raised, &details)
        let text = GStreamerErrorText(taking: raised)?.message ?? "no reason given"
        let debug = details.map { String(cString: $0) } ?? ""
        g_free(details)
        return error(text: text, debug: debug, destination: destination)
    }

    /// An error of a destination.
    ///
    /// - Parameters:
    ///   - text: GStreamer's message.
    ///   - debug: GStreamer's debug text, which contains the system's error text.
    static func error(text: String, debug: String, destination: OutputDestination) -> CoreError {
        let reason = systemError(in: debug) ?? text
        if let file = destination.file { return .ioError("cannot write \(file.path): \(reason)") }
        switch destination {
        case .pulse(let device, _, let server):
            return .ioError(
                "\(pulseName(server: server, device: device)): \(reason); start a server with `pulseaudio --start` or "
                    + "`systemctl --user start pipewire-pulse`, or name one in PULSE_SERVER")
        case .alsa(let device, _, _):
            return .ioError(
                "the ALSA device \"\(device ?? "default")\": \(reason); `aplay -L` lists the devices")
        case .port(let name, _, _): return .ioError("\(name): \(reason)")
        default: return .ioError("the output failed: \(reason)")
        }
    }

    /// The error of a destination that did not answer in time.
    static func timeout(seconds: Double, destination: OutputDestination) -> CoreError {
        error(text: "no answer within \(seconds) s", debug: "", destination: destination)
    }

    private static func pulseName(server: String?, device: String?) -> String {
        let address = server ?? ProcessInfo.processInfo.environment["PULSE_SERVER"] ?? "the user's default"
        let device = device.map { ", device \"\($0)\"" } ?? ""
        return "PulseAudio server \(address)\(device)"
    }

    /// The text after "system error:" in GStreamer's debug text.
    private static func systemError(in debug: String) -> String? {
        guard let mark = debug.range(of: "system error: ") else { return nil }
        let words = debug[mark.upperBound...].prefix { $0 != "\n" }
        return words.isEmpty ? nil : String(words)
    }
}
