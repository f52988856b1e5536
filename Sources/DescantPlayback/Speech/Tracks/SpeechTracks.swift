public import DescantCore
public import Foundation
internal import Synchronization

/// Texts as tracks: each has a URL that a player's playlist, overlays and effects take like that of a file.
///
/// A text is spoken when the player opens it, which is ahead of its time, and kept in memory: its length is exact, so that it joins
/// and fades as a file does. Give the object to ``AudioPlayerService/setTrackSources(_:)``. For long texts, with jumps by
/// sentence and marks, there is ``SpeechEngine``. Any thread.
public final class SpeechTracks: TrackSourceProvider {
    private struct Track {
        var text: String
        var settings: SpeechSettings
        var marks: [SpeechMark] = []
    }

    private struct State {
        var tracks: [URL: Track] = [:]
        var last = 0
    }

    private struct Sound {
        var samples: [Float] = []
        var sampleRate = 0
        var marks: [SpeechMark] = []
    }

    /// The longest text of a track, in UTF-8 bytes: about ten minutes.
    public static let longestText = 10_000
    /// The scheme of the URLs.
    public static let scheme = "descant-speech"

    /// The number of characters after which a title is cut off.
    private static let longestTitle = 60

    private let identifier: String
    private let scheduler: SynthesisScheduler
    private let state = Mutex(State())

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - identifier: What logs and errors call it, such as the synthesizer's name.
    ///   - synthesizer: What turns sentences into sound; ended by ``shutdown()``.
    ///   - clock: Measures the time between attempts.
    ///   - logger: Where it writes what it does.
    ///   - cacheLimit: Bytes of sound that are kept for being heard again.
    public init(
        identifier: String, synthesizer: any SpeechSynthesizer, clock: any ClockPort = MonotonicClock(),
        logger: any LoggerPort = NoopLogger(), cacheLimit: Int = 32 << 20
    ) {
        self.identifier = identifier
        scheduler = SynthesisScheduler(
            synthesizer, engine: identifier, clock: clock, logger: logger, cacheLimit: cacheLimit)
    }

    /// Makes a track of a text.
    ///
    /// - Parameters:
    ///   - text: At most ``longestText``, with something to speak.
    ///   - settings: How it is spoken; ramps and prefetch do not matter.
    /// - Returns: The track's URL. It ends with the first words of the text, which players show as its title.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for a text that is too long or has nothing to speak, or
    ///   settings outside of their ranges.
    public func add(_ text: String, settings: SpeechSettings = SpeechSettings()) throws -> URL {
        guard text.utf8.count <= Self.longestText else {
            throw CoreError.invalidArgument(
                "\(identifier): a track of \(text.utf8.count) bytes of text; divide it into tracks of up to \(Self.longestText), "
                    + "or let a SpeechEngine speak it")
        }
        try settings.check(for: identifier)
        guard !TextSegmenter().segments(of: text).isEmpty else {
            throw CoreError.invalidArgument("\(identifier): a track without letters, digits or symbols")
        }
        return try state.withLock { state in
            state.last += 1
            guard let url = URL(string: "\(Self.scheme):\(identifier)/\(state.last)/\(Self.fileName(of: text))") else {
                throw CoreError.invalidArgument("\(identifier): no name for a URL")
            }
            state.tracks[url] = Track(text: text, settings: settings)
            return url
        }
    }

    /// The first words of a text, encoded as the last part of a URL.
    private static func fileName(of text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var title = line.prefix(longestTitle)
        if title.count < line.count {
            // Behind a word, where there are spaces between words.
            if let end = line.prefix(longestTitle + 1).lastIndex(of: " ") { title = line[..<end] }
            title += "…"
        }
        // Players leave out an extension; without one they would leave out what follows the last full stop.
        return (title.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") + ".spoken"
    }

    /// Forgets a track; decks that play it go on.
    ///
    /// - Parameter url: The track.
    public func remove(_ url: URL) { state.withLock { _ = $0.tracks.removeValue(forKey: url) } }

    /// The words of a track with the frames of its sound; empty before the track was opened.
    ///
    /// - Parameter url: The track.
    public func marks(of url: URL) -> [SpeechMark] { state.withLock { $0.tracks[url]?.marks ?? [] } }

    /// Ends the synthesizer; tracks cannot be opened afterwards.
    public func shutdown() async { await scheduler.close() }

    /// The sound of a track; `nil` for a URL of another scheme.
    ///
    /// - Parameter url: What a player is about to open.
    /// - Throws: ``CoreError/notFound(_:)`` for a track that was removed, or what the synthesizer throws.
    public func audioSource(for url: URL) async throws -> AudioSource? {
        guard url.scheme == Self.scheme else { return nil }
        guard let track = state.withLock({ $0.tracks[url] }) else {
            throw CoreError.notFound("\(url.absoluteString): the text was removed")
        }
        let sound = try await speak(track)
        state.withLock { $0.tracks[url]?.marks = sound.marks }
        return .pcm(SpokenTrack(name: url.absoluteString, samples: sound.samples, sampleRate: sound.sampleRate))
    }

    private func speak(_ track: Track) async throws -> Sound {
        var script = SpeechScript()
        script.forgetDurations(pauses: track.settings.pauses)
        _ = script.append(
            track.text, language: nil, rules: track.settings.language,
            longestSegment: scheduler.capabilities.longestRequest)
        var sound = Sound()
        for segment in script.segments.indices {
            let piece = SpokenPiece(segment, in: script, settings: track.settings, capabilities: scheduler.capabilities)
            let clip = scheduler.clip(for: piece.request)
            await clip.waitUntilEnded()
            try Task.checkCancellation()
            if case .failed(let error)? = clip.end { throw error }
            guard clip.isComplete else { throw CoreError.invalidState("\(identifier): the synthesizer was shut down") }
            append(
                clip, of: piece, pause: script.durations.pause(behind: segment), rate: track.settings.rate, to: &sound)
        }
        guard sound.sampleRate > 0 else {
            throw CoreError.unsupported("\(identifier): the voice has no sound for anything in the text")
        }
        return sound
    }

    private func append(
        _ clip: SpeechClip, of piece: SpokenPiece, pause: Double, rate: Double, to sound: inout Sound
    ) {
        guard clip.count > 0 else { return }
        if sound.sampleRate == 0 { sound.sampleRate = clip.sampleRate }
        let start = Int64(sound.samples.count)
        let offset = piece.utf8Range.lowerBound
        let stretch = rate / piece.request.rate
        sound.marks += clip.marks(from: 0).map { mark in
            SpeechMark(
                kind: mark.kind, utf8Range: offset + mark.utf8Range.lowerBound..<offset + mark.utf8Range.upperBound,
                frame: start + FrameCount(clamping: Double(mark.frame) / stretch).value, isEstimated: mark.isEstimated)
        }
        let samples = [Float](unsafeUninitializedCapacity: clip.count) { memory, count in
            count = memory.baseAddress.map { clip.copy(from: 0, to: $0, maxFrames: memory.count) } ?? 0
        }
        sound.samples +=
            abs(stretch - 1) > 1e-6 ? stretched(samples, by: stretch, sampleRate: clip.sampleRate) : samples
        sound.samples += [Float](repeating: 0, count: Int(pause / rate * Double(clip.sampleRate)))
    }

    private func stretched(_ samples: [Float], by rate: Double, sampleRate: Int) -> [Float] {
        var stretcher = SpeechStretcher(rate: rate, sampleRate: sampleRate)
        stretcher.take(samples)
        stretcher.end()
        let length = Int((Double(samples.count) / rate).rounded())
        return [Float](unsafeUninitializedCapacity: length) { memory, count in
            count = 0
            while let base = memory.baseAddress, count < length {
                let given = stretcher.give(to: base + count, maxFrames: length - count)
                if given == 0 { break }
                count += given
            }
        }
    }
}

/// Spoken text as a source of known length, in memory.
final class SpokenTrack: PCMSource {
    let name: String
    let format: PCMFormat
    let frameCount: Int64?
    private let samples: [Float]
    private let next = Mutex(0)

    init(name: String, samples: [Float], sampleRate: Int) {
        self.name = name
        self.samples = samples
        format = PCMFormat(sampleRate: sampleRate, channels: 1)
        frameCount = Int64(samples.count)
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let first = next.withLock { next in
            defer { next = min(samples.count, next + maxFrames) }
            return next
        }
        let count = min(maxFrames, samples.count - first)
        samples.withUnsafeBufferPointer { samples in
            if count > 0, let base = samples.baseAddress { buffer.update(from: base + first, count: count) }
        }
        return count
    }

    func seek(toFrame frame: Int64) throws {
        next.withLock { $0 = Int(frame.clamped(to: 0...Int64(samples.count))) }
    }
}
