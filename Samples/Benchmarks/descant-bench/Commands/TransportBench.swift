internal import Descant
internal import DescantTestSupport
internal import Foundation
internal import Glibc
internal import Synchronization

/// From a command to its audible change: a player plays to a private sound server or a simulated card, which is recorded.
///
/// The first file is a tone of 1 kHz that becomes one of 3 kHz at 30 s, the second a tone of 5 kHz: the pitch in the recording shows
/// what is heard.
struct TransportBench {
    /// Where the pitch of the first file changes, in seconds.
    static let change = 30.0
    /// The pitches of the first file before and after the change, and of the second file, in Hz.
    static let pitches = (before: 1_000.0, after: 3_000.0, second: 5_000.0)

    private enum Kind: String {
        case own, playbin, mpv
    }

    /// A sound server, and whether it plays on a card: a plugin of ALSA, at the path in `DESCANT_SIMULATED_CARD`.
    enum Device: String, CaseIterable {
        case pulse, pipewire
        case pulseCard = "pulse-card"
        case pipewireCard = "pipewire-card"
        /// A card without a server.
        case alsaCard = "alsa-card"

        fileprivate func start() throws -> Stage {
            let card = isCard ? try SimulatedCard(library: library) : nil
            if self == .alsaCard, let card { return Stage(card: card) }
            return Stage(server: try PrivateSoundServer(isPipeWire ? .pipeWire : .pulseAudio, card: card))
        }

        private var isPipeWire: Bool { self == .pipewire || self == .pipewireCard }
        var isCard: Bool { self != .pulse && self != .pipewire }

        private var library: URL {
            get throws {
                if let card = ProcessInfo.processInfo.environment["DESCANT_SIMULATED_CARD"] {
                    return URL(fileURLWithPath: card)
                }
                throw BenchError.failed("transport: DESCANT_SIMULATED_CARD names no libSimulatedCard.so")
            }
        }
    }

    /// What the players play on.
    fileprivate struct Stage {
        private let server: PrivateSoundServer?
        private let card: SimulatedCard?

        init(server: PrivateSoundServer) {
            self.server = server
            card = nil
            setenv("PULSE_SERVER", server.address, 1)
        }

        init(card: SimulatedCard) {
            server = nil
            self.card = card
            setenv("ALSA_CONFIG_PATH", card.configuration.path, 1)
        }

        var output: OutputDestination {
            server.map { .pulse(server: $0.address) } ?? .alsa(device: SimulatedCard.device, rewinds: true)
        }

        var sink: String { server == nil ? "alsasink device=\(SimulatedCard.device)" : "pulsesink" }

        var optionsOfMPV: [String] {
            server == nil ? ["--ao=alsa", "--audio-device=alsa/\(SimulatedCard.device)"] : ["--ao=pulse"]
        }

        func record() async throws -> any HeardRecording {
            if let server { return try await server.record() }
            guard let card else { throw BenchError.failed("transport: nothing to record") }
            return CardRecording(of: card)
        }
    }

    private let kind: Kind
    private let device: Device
    private let files: [URL]

    init(_ arguments: inout Arguments) throws {
        kind = try arguments.choice(Kind.self)
        device = try arguments.choice(Device.self)
        files = try arguments.files()
        guard files.count == 2 else { throw BenchError.failed("transport: two files are played") }
    }

    func run() async throws {
        let stage = try device.start()
        let player = try makePlayer(stage)
        let monitor = HeardMonitor(try await stage.record())
        // What the process needs only once is not measured.
        try await player.play()
        try await Task.sleep(for: .milliseconds(1_200))
        try await player.stop()
        try await Task.sleep(for: .milliseconds(800))
        let steps: [(name: String, seconds: Double, command: () async throws -> Void)] = [
            ("start", 1.6, player.play), ("pause", 1.1, player.pause), ("resume", 1.4, player.resume),
            ("volume", 1.2, { try await player.setVolume(0.5) }), ("", 1.2, { try await player.setVolume(1) }),
            ("seek", 1.6, { try await player.seek(to: Self.change + 10) }), ("next", 1.6, player.next),
        ]
        var calls: [(name: String, time: Int64)] = []
        for step in steps {
            calls.append((step.name, BenchOutput.now))
            try await step.command()
            // A device takes its blocks at fixed times: the next command comes at any time between two of them.
            try await Task.sleep(for: .seconds(step.seconds + .random(in: 0...0.05)))
        }
        let heard = await monitor.stop()
        try await player.end()
        report(calls, heard, end: calls.last.map { $0.time + 1_600_000_000 } ?? 0)
    }

    private func makePlayer(_ stage: Stage) throws -> any TransportPlayer {
        switch kind {
        case .own: try OwnTransport(files, output: stage.output)
        case .playbin: try PlaybinTransport(files, sink: stage.sink)
        case .mpv: try MPVTransport(files, output: stage.optionsOfMPV)
        }
    }

    private func report(_ calls: [(name: String, time: Int64)], _ heard: HeardSound, end: Int64) {
        for (index, call) in calls.enumerated() where !call.name.isEmpty {
            let windows = heard.windows(from: call.time, to: index + 1 < calls.count ? calls[index + 1].time : end)
            let change = windows.first { window in
                switch call.name {
                case "start": heard.sounds(window, at: Self.pitches.before)
                case "pause": window.level < 0.1 * heard.loudness
                case "resume": window.level > 0.5 * heard.loudness
                case "volume": abs(window.level / heard.loudness - 1) > 0.05
                case "seek": heard.sounds(window, at: Self.pitches.after)
                default: heard.sounds(window, at: Self.pitches.second)
                }
            }
            guard let change else { continue }
            BenchReport.line(("\(call.name)_ms", BenchReport.milliseconds(change.time - call.time)))
        }
    }
}

/// A recording of a device, and when it arrives.
private struct HeardMonitor: ~Copyable {
    private let recording: any HeardRecording
    private let watcher: Task<Double, Never>

    init(_ recording: any HeardRecording) {
        self.recording = recording
        // The sink renders a block when its first frame is due, and the monitor has it at once.
        watcher = Task.detached {
            var starts: [Double] = []
            var last = recording.frameCount
            while !Task.isCancelled {
                usleep(500)
                let (count, time) = (recording.frameCount, Double(BenchOutput.now))
                if count != last { starts.append(time - Double(last) / 48e3 * 1e9) }
                last = count
            }
            return Statistics(starts).median ?? 0
        }
    }

    func stop() async -> HeardSound {
        watcher.cancel()
        let start = await watcher.value
        return HeardSound(samples: await recording.stop(), start: Int64(start))
    }
}

/// A recording in stereo at 48 kHz, in windows of 4 ms, one each millisecond.
private struct HeardSound {
    struct Window {
        /// The middle of the window, on the monotonic clock.
        let time: Int64
        let level: Double
        /// Half periods of a tone.
        let crossings: Int
    }

    private static let width = 192
    private let windows: [Window]
    /// The level of a tone that sounds.
    let loudness: Double

    init(samples: [Float], start: Int64) {
        var windows: [Window] = []
        for first in stride(from: 0, to: samples.count / 2 - Self.width, by: 48) {
            var (energy, crossings) = (0.0, 0)
            for frame in first..<first + Self.width {
                let sample = samples[2 * frame]
                energy += Double(sample * sample)
                if frame > first, (sample < 0) != (samples[2 * (frame - 1)] < 0) { crossings += 1 }
            }
            let time = start + Int64(Double(first + Self.width / 2) / 48e3 * 1e9)
            windows.append(
                Window(time: time, level: (energy / Double(Self.width)).squareRoot(), crossings: crossings))
        }
        self.windows = windows
        loudness = Statistics(windows.map(\.level).filter { $0 > 0.01 }).median ?? 0
    }

    func windows(from begin: Int64, to end: Int64) -> [Window] {
        windows.filter { $0.time > begin && $0.time <= end }
    }

    func sounds(_ window: Window, at pitch: Double) -> Bool {
        let expected = Int((2 * pitch * Double(Self.width) / 48e3).rounded())
        return abs(window.crossings - expected) <= 2 && window.level > 0.5 * loudness
    }
}
