import Descant
import Foundation
import PlayerIntegration

/// Processes one file as the commands `info`, `tags` and `render` do.
struct MutantPlayer {
    private let environment: AudioEnvironment
    private let inspector: StreamInspector

    /// The number of frames after which a render is stopped, because damaged headers announce hours of sound.
    private static let frameLimit: Int64 = 2_000_000

    /// The result for a file.
    struct Outcome {
        /// "played", "refused", …
        var word: String
        /// The time of the slowest refusal, in seconds; 0 when nothing was refused.
        var refusal: Double = 0
    }

    init(bundles: URL) throws {
        environment = AudioEnvironment(plugins: PluginRegistry(searchPath: [bundles]))
        inspector = try StreamInspector(environment: environment)
    }

    func close() async { await inspector.close() }

    /// Plays a file, or the files of a playlist.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isNative: Whether it is rendered at its own rate, and not at 48 kHz.
    ///   - report: Receives the name of each next step.
    func play(_ file: URL, isNative: Bool, report: (String) -> Void) async throws -> Outcome {
        let entries: [URL]
        do {
            // A damaged playlist may contain network addresses; only files are opened.
            entries = try InputExpander.localEntries(for: file).map(\.url).filter(\.isFileURL)
        } catch let error as InputError {
            guard error.description.contains(file.path) else { throw Failure("an error names no file: \(error)") }
            return Outcome(word: "refused")
        }
        var outcome = Outcome(word: "empty")
        for entry in entries.prefix(3) {
            let single = try await playTrack(entry, isNative: isNative, report: report)
            outcome = Outcome(word: single.word, refusal: max(outcome.refusal, single.refusal))
        }
        report("tags")
        try readAndWriteTags(of: file)
        return outcome
    }

    private func playTrack(_ url: URL, isNative: Bool, report: (String) -> Void) async throws -> Outcome {
        report("info")
        let clock = ContinuousClock()
        let began = clock.now
        let info: DeckInfo
        do {
            info = try await inspector.inspect(url)
        } catch is CoreError {
            return Outcome(word: "refused", refusal: (clock.now - began) / .seconds(1))
        }
        _ = try JSONEncoder().encode(StreamReport(info, url: url, file: track(url)))
        report("render")
        let native = info.sourceFormat
        let canBeNative = (8_000...768_000).contains(native.sampleRate) && (1...8).contains(native.channels)
        let format = isNative && canBeNative ? native : PCMFormat(sampleRate: 48_000, channels: 2)
        let engine = try environment.makeEngine(output: .discard, format: format)
        let frames: Int64
        do {
            frames = try await render(url, on: engine)
        } catch let error as CoreError {
            await engine.shutdown()
            return Outcome(word: "refused by render: \(error.code)")
        }
        await engine.shutdown()
        return Outcome(word: frames >= Self.frameLimit ? "stopped" : frames > 0 ? "played" : "silent")
    }

    private func render(_ url: URL, on engine: any MixingEngine) async throws -> Int64 {
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        return try await engine.advance(frames: Self.frameLimit, untilIdle: engine.mainLayer)
    }

    private func track(_ url: URL) -> Track? { try? environment.makeTagReaderService().readMetadata(for: url) }

    /// Checks that a file whose write failed is unchanged, and that a written file can be read.
    private func readAndWriteTags(of file: URL) throws {
        let before = try Data(contentsOf: file)
        let reader = environment.makeTagReader()
        _ = try? reader.read(url: file)
        do {
            try environment.makeTagWriter().write(url: file, tags: TagBundle(title: "New"))
        } catch {
            guard try Data(contentsOf: file) == before else { throw Failure("changed by a refused write: \(error)") }
            return
        }
        do {
            _ = try reader.read(url: file)
        } catch {
            throw Failure("cannot be read after its title was written: \(error)")
        }
    }
}
