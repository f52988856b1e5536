public import Descant
public import Foundation

/// Where a person wants the sound: `auto`, `pulse`, `alsa`, `alsa:DEVICE`, `null` or a file.
public enum OutputChoice: Sendable, Hashable {
    /// The sound server, if there is one.
    case auto
    /// The sound server.
    case pulse
    /// ALSA without a sound server, on a device such as `hw:0`; `nil` is ALSA's default.
    case alsa(device: String?)
    /// Silence, in real time.
    case null
    /// A WAVE or FLAC file.
    case file(URL)

    /// Reads a person's word.
    ///
    /// - Parameter argument: `auto`, `pulse`, `alsa`, `alsa:DEVICE`, `null`, or a path that ends in .wav or .flac; anything else
    ///   gives `nil`.
    public init?(argument: String) {
        switch argument {
        case "auto": self = .auto
        case "pulse": self = .pulse
        case "null": self = .null
        case "alsa": self = .alsa(device: nil)
        case let device where device.hasPrefix("alsa:"): self = .alsa(device: String(device.dropFirst(5)))
        default:
            let url = InputExpander.url(for: argument)
            guard ["wav", "wave", "flac"].contains(url.pathExtension.lowercased()) else { return nil }
            self = .file(url)
        }
    }

    /// Whether a sound server answers, and if not, why.
    ///
    /// - Parameter environment: The library's environment.
    /// - Returns: `nil` when it answers, otherwise the reason and the remedy.
    public static func soundServerProblem(in environment: AudioEnvironment) async -> String? {
        do {
            let engine = try environment.makeEngine(output: .pulse())
            defer { Task { await engine.shutdown() } }
            _ = try await engine.outputDevices()
            return nil
        } catch let error as CoreError {
            return error.message
        } catch {
            return "\(error)"
        }
    }
}
