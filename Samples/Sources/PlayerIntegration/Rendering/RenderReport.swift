internal import AudioMeasurement
internal import Descant
internal import Foundation
internal import Synchronization

/// The result of a render, which `render --json` prints.
public struct RenderReport: Sendable, Codable {
    /// A track and the output frames that it sounds in: from the first one up to and without the end.
    public struct Track: Sendable, Codable, Equatable {
        /// The track.
        public var url: String
        /// Its first frame in the output.
        public var startFrame: Int64
        /// One past its last frame in the output.
        public var endFrame: Int64
    }

    /// How one track followed another.
    public struct Transition: Sendable, Codable, Equatable {
        /// The track before.
        public var from: String
        /// The track after.
        public var to: String
        /// `crossfade` or `gapless`.
        public var kind: String
        /// The first frame of the track after.
        public var startFrame: Int64
        /// Length of the overlap; 0 for a gapless join.
        public var frames: Int64
    }

    /// Something that went wrong.
    public struct Failure: Sendable, Codable, Equatable {
        /// The file concerned.
        public var url: String
        /// A short stable name: `notFound`, `decodeError`, …
        public var code: String
        /// The problem and its remedy.
        public var message: String

        init(url: String, code: String, message: String) {
            self.url = url
            self.code = code
            self.message = message
        }

        /// An input that was left out, because nothing of it can be played.
        public init(leftOut error: InputError) { self.init(url: "", code: "notFound", message: error.description) }
    }

    /// The file that was written.
    public var output: String
    /// Frames per second, in Hz.
    public var sampleRate: Int
    /// Samples per frame.
    public var channels: Int
    /// Frames written.
    public var frames: Int64
    /// The maximum magnitude of any sample, linear; absent when nothing was written.
    public var peak: Double?
    /// The tracks that sounded, in order.
    public var tracks: [Track]
    /// How they followed each other.
    public var transitions: [Transition]
    /// Everything that happened, in the order of the output's frames.
    public var events: [RenderEvent]
    /// The problem.
    public var errors: [Failure]
    /// Length of the output in seconds.
    public var seconds: Double
    /// Integrated loudness after ITU-R BS.1770-4; absent for silence and less than 0.4 s.
    public var loudnessLUFS: Double?
    /// How long rendering took, in seconds.
    public var wallSeconds: Double

    private enum CodingKeys: String, CodingKey {
        case output, sampleRate, channels, frames, peak, tracks, transitions, events, errors, seconds, loudnessLUFS
        case wallSeconds
    }

    /// Writes every key, absent values as `null`, so that every report has the same keys.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(output, forKey: .output)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channels, forKey: .channels)
        try container.encode(frames, forKey: .frames)
        try container.encode(peak, forKey: .peak)
        try container.encode(tracks, forKey: .tracks)
        try container.encode(transitions, forKey: .transitions)
        try container.encode(events, forKey: .events)
        try container.encode(errors, forKey: .errors)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(loudnessLUFS, forKey: .loudnessLUFS)
        try container.encode(wallSeconds, forKey: .wallSeconds)
    }
}

/// Peak and loudness of a rendered file, measured from the written file.
struct FileMeasurement {
    let peak: Double
    let loudness: Double?

    /// Measures a WAVE file.
    init(of url: URL) throws {
        let file = try WaveFileReader(url: url)
        var meter = LoudnessMeter(sampleRate: file.sampleRate, channels: file.channels)
        while case let block = try file.read(maxFrames: 1 << 16), !block.isEmpty { meter.process(block) }
        self.init(meter)
    }

    /// Measures a file of another format, decoded by GStreamer. Plugins are left out: which of them may be used is the host's choice.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - format: Its sample rate and channels.
    init(decoding url: URL, format: PCMFormat) async throws {
        let meter = Mutex(LoudnessMeter(sampleRate: format.sampleRate, channels: format.channels))
        let engine = try AudioEnvironment(plugins: PluginRegistry(searchPath: [])).makeEngine(
            output: .callback(.offline) { block in meter.withLock { $0.process(block.samples) } }, format: format)
        do {
            await engine.setLimiter(enabled: false)
            let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false)
            try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
            try await engine.setFollowUp(.nothing, on: engine.mainLayer)
            let slice = Int64(format.sampleRate) * 10
            while try await engine.advance(frames: slice, untilIdle: engine.mainLayer) == slice {
                try Task.checkCancellation()
            }
            try await engine.finishOutput()
        } catch {
            await engine.shutdown()
            throw error
        }
        await engine.shutdown()
        self.init(meter.withLock { $0 })
    }

    private init(_ meter: LoudnessMeter) {
        peak = Double(meter.peak)
        loudness = meter.integratedLoudness
    }

    func fill(_ report: inout RenderReport) {
        report.peak = peak
        report.loudnessLUFS = loudness
    }
}
