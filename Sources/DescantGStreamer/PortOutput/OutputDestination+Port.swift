internal import DescantCore
internal import Foundation

extension OutputDestination {
    /// Whether there is neither a device nor a file, and yet sound passes in time.
    var isSilentInTime: Bool {
        switch self {
        case .null, .callback(.realTime, _): true
        default: false
        }
    }

    /// What errors call it.
    var name: String {
        switch self {
        case .pulse(let device, _, let server):
            "PulseAudio\(server.map { " at \($0)" } ?? "")\(device.map { ", device \"\($0)\"" } ?? "")"
        case .alsa(let device): "the ALSA device \"\(device ?? "default")\""
        case .null, .discard: "the silent output"
        case .wav(let url, _, _), .flac(let url, _, _), .raw(let url, _, _): url.path
        case .callback: "the callback"
        }
    }
}

extension PCMFormat {
    /// "2 channels at 48000 Hz".
    var words: String { "\(channels) channel\(channels == 1 ? "" : "s") at \(sampleRate) Hz" }
}
