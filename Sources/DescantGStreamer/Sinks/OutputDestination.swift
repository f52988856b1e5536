public import DescantCore
public import Foundation
internal import Glibc

/// Where a mix goes.
///
/// Sound devices and ``null`` play in real time; files and ``discard`` render as fast as they are advanced.
public enum OutputDestination: Sendable {
    /// The pace at which a ``callback(_:_:)`` receives its blocks.
    public enum Pacing: Sendable, Hashable {
        /// In real time, by the system's clock.
        case realTime
        /// As fast as the render is advanced; a slow handler slows the render.
        case offline
    }

    /// A PulseAudio server, or PipeWire's.
    ///
    /// - `device`: a sink's name; `nil` follows the server's default.
    /// - `latency`: the sound that the server has queued, in seconds, 0.03…2, beside what Bluetooth and other devices hold by themselves.
    ///   Commands do not wait for it: the queue is replaced from some 15 ms behind the heard frame on (15 to 27 ms on PipeWire), and behind what
    ///   such a device holds. A short queue costs more wake-ups, and breaks up earlier when the machine is busy. After a start or a command
    ///   the queue begins with 0.2 s and grows as fast as it is heard. It takes at most 3.6 MiB, which is 1.2 s of eight channels at 96 kHz.
    /// - `server`: the server's address; `nil` takes the environment's (`PULSE_SERVER`) or the user's own.
    case pulse(device: String? = nil, latency: TimeInterval = 0.5, server: String? = nil)

    /// An ALSA device without a sound server.
    ///
    /// - `device`: ALSA's name, such as `hw:0` for the first card by itself; `nil` is ALSA's default.
    /// - `latency`: the sound that a card has queued, in seconds, 0.03…2, as for ``pulse(device:latency:server:)``; at most what its buffer
    ///   holds.
    /// - `rewinds`: whether the device gives back what it has not played, so that commands are heard some 15 ms later. `nil`: cards
    ///   (`hw:…`) do, and ALSA's plugins (`default`, `plughw:…`, `dmix`) do not: their buffer is 0.1 s long, and commands are heard behind it. Say `false` for a card
    ///   whose driver repeats sound at commands.
    case alsa(device: String? = nil, latency: TimeInterval = 0.5, rewinds: Bool? = nil)

    /// No device: silent, in real time by the system's clock. Commands act at once, although up to 0.5 s are rendered ahead.
    case null

    /// Rendered and discarded, for measurements.
    case discard

    /// A WAVE file. An existing file is replaced. Its format has room for 4 GiB of samples: 3.1 hours of stereo as `f32` at
    /// 48 kHz; rendering stops with an error before that.
    ///
    /// `dither` adds triangular noise of ±1 step where samples have to be rounded to 16 or 24 bits, so that quiet sounds are not
    /// distorted. Material of that many bits at unity gain stays bit for bit. The noise ends 100 ms after the
    /// last rounded sample and is the same in every render.
    case wav(URL, SampleEncoding, dither: Bool = true)

    /// A FLAC file with 16 or 24 bits a sample, dithered as a WAVE file is. An existing file is replaced.
    case flac(URL, bits: Int, dither: Bool = true)

    /// A file of bare interleaved samples, dithered as a WAVE file is. An existing file is replaced.
    case raw(URL, SampleEncoding, dither: Bool = true)

    /// Blocks of the mix, after the master volume, passed to a closure on a thread of the output. At most four blocks
    /// are queued; then the mix waits.
    ///
    /// In real time a block is passed when the one before it is over, and up to its own length earlier after a start or
    /// a seek. No blocks are passed after 0.25 s of silence; the numbering continues without a gap.
    case callback(Pacing, @Sendable (PCMBlock) -> Void)

    /// An output of a bundle or of the host's own, such as one that sends to the network; in real time by the system's clock.
    ///
    /// The output is made, configured and started when the mix needs it, and again after a failure, as a sound device is. Up to
    /// 0.25 s are rendered ahead of the clock. An output that takes nothing for two seconds has failed, and so has one whose call does not
    /// return for as long; it is made again when that call has returned.
    ///
    /// - `name`: what errors call it.
    /// - `bits`: 16 or 24 when the receiver has so many bits a sample: samples that have to be rounded are dithered, as in a WAVE
    ///   file. `nil` leaves the samples as they are.
    /// - `make`: makes an output; called once for every start, on a thread that may wait. All calls of the output are serialised.
    case port(name: String, bits: Int? = nil, make: @Sendable () throws -> sending any AudioOutputPort)
}

extension OutputDestination {
    /// Whether the mix is rendered only when it is advanced.
    public var isOffline: Bool {
        switch self {
        case .pulse, .alsa, .null, .callback(.realTime, _), .port: false
        case .discard, .wav, .flac, .raw, .callback(.offline, _): true
        }
    }

    /// The usual block length in seconds. Where blocks can be replaced a quarter of the queue, which needs few wake-ups; elsewhere
    /// 20 or 40 ms, because a command waits for one block at most; longer offline.
    var usualBlock: TimeInterval {
        switch self {
        case .pulse, .alsa, .null: min(0.125, max(0.005, queue / 4))
        case .callback(.realTime, _), .port: 0.04
        case .discard, .wav, .flac, .raw, .callback(.offline, _): 0.4
        }
    }

    /// Whether rendered frames that were not heard can be replaced.
    var isRewound: Bool { queue > 0 }

    /// How far the mix is rendered ahead of the heard frame where rendered frames can be replaced, in seconds; 0 elsewhere.
    var queue: TimeInterval {
        switch self {
        case .pulse(_, let latency, _), .alsa(_, let latency, _): min(2, max(0.03, latency))
        case .null: 0.5
        default: 0
        }
    }

    /// Whether it is a sound device, which can be selected and can go away.
    package var isDevice: Bool {
        switch self {
        case .pulse, .alsa: true
        default: false
        }
    }

    /// Whether a device of its kind may take a format; it decides when it is opened.
    func accepts(_ format: PCMFormat) -> Bool {
        // PulseAudio's maximum.
        if case .pulse = self { format.sampleRate <= 384_000 } else { true }
    }

    /// Whether somebody listens: a device, or an output of a bundle. It can fail while it plays, and is then opened again.
    package var isHeard: Bool {
        if case .port = self { true } else { isDevice }
    }

    /// How far blocks are rendered ahead of the system's clock, in seconds.
    var lead: TimeInterval {
        // A receiver on the network plays on when a block is late.
        if case .port = self { 0.2 } else { 0 }
    }

    /// The file to write.
    var file: URL? {
        switch self {
        case .wav(let url, _, _), .flac(let url, _, _), .raw(let url, _, _): url
        default: nil
        }
    }

    /// Creates the file if it writes one, so that an impossible path is an error before anything plays. An existing file keeps its
    /// content until the mix begins.
    ///
    /// - Throws: `CoreError.ioError` when the file cannot be made or written, `CoreError.invalidArgument` for what is not a file's URL.
    func createFile() throws {
        guard let file else { return }
        try Self.check(file)
        var status = stat()
        let code: Int32
        if stat(file.path, &status) == 0 {
            // A pipe is not opened: its reader would see the end.
            code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : access(file.path, W_OK) == 0 ? 0 : errno
        } else {
            let descriptor = Glibc.open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
            code = descriptor < 0 ? errno : 0
            if descriptor >= 0 { close(descriptor) }
        }
        guard code == 0 else {
            throw CoreError.ioError("cannot write \(file.path): \(String(cString: strerror(code)))")
        }
    }

    /// Refuses what is not a file's URL.
    static func check(_ file: URL) throws {
        guard file.isFileURL else {
            throw CoreError.invalidArgument("not a file: \(file.withoutSecrets.absoluteString)")
        }
    }

    /// The maximum length of a file in frames; `nil` when there is no limit.
    func maximumLength(channels: Int) -> Int64? {
        guard case .wav(_, let encoding, _) = self else { return nil }
        // The headers count bytes with 32 bits, including themselves.
        return (Int64(UInt32.max) - 1_024) / Int64(channels * encoding.bytes)
    }

    /// The same destination on another device; `nil` is the default one.
    func onDevice(_ identifier: String?) -> OutputDestination {
        switch self {
        case .pulse(_, let latency, let server): .pulse(device: identifier, latency: latency, server: server)
        case .alsa(_, let latency, let rewinds): .alsa(device: identifier, latency: latency, rewinds: rewinds)
        default: self
        }
    }
}

/// The sample format of a file.
public enum SampleEncoding: String, Sendable, Hashable, Codable, CaseIterable {
    /// 32-bit floating point, little endian: the mix bit for bit, values beyond full scale included.
    case f32
    /// 16-bit integers, little endian.
    case s16
    /// 24-bit integers in three bytes, little endian.
    case s24

    /// GStreamer's name of the sample format.
    var gstreamerName: String {
        switch self {
        case .f32: "F32LE"
        case .s16: "S16LE"
        case .s24: "S24LE"
        }
    }

    /// Bytes of one sample.
    var bytes: Int {
        switch self {
        case .f32: 4
        case .s16: 2
        case .s24: 3
        }
    }
}

extension OutputDestination {
    /// Whether it plays in real time without a device.
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
        case .alsa(let device, _, _): "the ALSA device \"\(device ?? "default")\""
        case .null, .discard: "the silent output"
        case .wav(let url, _, _), .flac(let url, _, _), .raw(let url, _, _): url.path
        case .callback: "the callback"
        case .port(let name, _, _): name
        }
    }
}

extension PCMFormat {
    /// "2 channels at 48000 Hz".
    var words: String { "\(channels) channel\(channels == 1 ? "" : "s") at \(sampleRate) Hz" }
}
