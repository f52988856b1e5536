public import Descant
public import Foundation

/// Speaks a text from its beginning to its end.
public struct Speaking: Sendable {
    private let environment: AudioEnvironment

    /// The output format: speech has one channel.
    static let format = PCMFormat(sampleRate: 48_000, channels: 1)

    /// Creates it.
    ///
    /// - Parameter environment: The library's environment.
    public init(environment: AudioEnvironment) { self.environment = environment }

    /// Creates the synthesizer with a name, or the first available one.
    private func synthesizer(named name: String?) throws -> (name: String, synthesizer: any SpeechSynthesizer) {
        let name = try SynthesizerChoice(name, in: environment.plugins).name
        return (name, try environment.plugins.makeSpeechSynthesizer(name))
    }

    /// The voices of a synthesizer.
    ///
    /// - Parameter name: Its name; `nil` for the first one there is.
    /// - Throws: ``InputError``, `PluginError`, `CoreError`.
    public func voices(of name: String?) async throws -> [SpeechVoice] {
        let synthesizer = try synthesizer(named: name).synthesizer
        do {
            let voices = try await synthesizer.voices()
            await synthesizer.shutdown()
            return voices
        } catch {
            await synthesizer.shutdown()
            throw error
        }
    }

    /// Speaks, and waits until everything was heard or the task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - heard: Receives every word and sentence when it is heard; an error that it throws ends the speech.
    ///   - progress: Receives the seconds that were written into a file so far, after each of them.
    /// - Throws: ``InputError``, `PluginError`, `CoreError`, and the error of `heard`.
    public func speak(
        _ request: SpeakRequest, heard: (SpokenMark) throws -> Void,
        progress: @escaping @Sendable (TimeInterval) -> Void = { _ in }
    ) async throws -> SpeechReport {
        guard !TextSegmenter().segments(of: request.text).isEmpty else {
            throw InputError(description: "there is nothing to speak: the text has no letters, digits or symbols")
        }
        let (name, synthesizer) = try synthesizer(named: request.engine)
        let mixer = try environment.makeEngine(output: request.output, format: Self.format)
        let engine = SpeechEngine(
            identifier: name, synthesizer: synthesizer, mixer: mixer, settings: request.settings,
            clock: environment.clock, logger: environment.logger)
        do {
            let report = try await run(request, on: engine, mixer, progress, heard: heard)
            await close(engine, mixer)
            return report
        } catch {
            await close(engine, mixer)
            throw explained(error, request)
        }
    }

    /// The list of voices is an option of the same command.
    private func explained(_ error: any Error, _ request: SpeakRequest) -> any Error {
        guard request.settings.voice != nil || request.settings.language != nil else { return error }
        switch error {
        case CoreError.notFound(let reason), CoreError.unsupported(let reason):
            let choice = request.engine.map { " --engine \($0)" } ?? ""
            return InputError(description: "\(reason); see: descant speak --list-voices\(choice)")
        default: return error
        }
    }

    private func close(_ engine: SpeechEngine, _ mixer: any MixingEngine) async {
        await engine.shutdown()
        await mixer.shutdown()
    }

    private func run(
        _ request: SpeakRequest, on engine: SpeechEngine, _ mixer: any MixingEngine,
        _ progress: @escaping @Sendable (TimeInterval) -> Void, heard: (SpokenMark) throws -> Void
    ) async throws -> SpeechReport {
        let events = engine.events.buffered(.bounded(100_000)).numbered
        let states = engine.stateUpdates.numbered
        try await engine.loadContent(.text(request.text, language: request.settings.language))
        try await engine.play()
        var report = SpeechReport(
            engine: engine.identifier, sampleRate: mixer.mixFormat.sampleRate, frames: 0, marks: [], warnings: [])
        let failure = Task { () -> CoreError? in
            for await state in states {
                if case .failed(let error) = state.event { return error }
                if state.event == .finished { return nil }
            }
            return nil
        }
        // Events are read while the sound is rendered: a long text has more of them than are kept.
        async let rendered = renderedFrames(request, engine, mixer, progress)
        let bytes = Array(request.text.utf8)
        var complaints = SpeechComplaints()
        reading: for await event in events {
            switch event.event.kind {
            case .word(let range, let isEstimated):
                try add("word", range, event.event.frame, isEstimated, of: bytes, to: &report, heard)
            case .sentence(let range):
                try add("sentence", range, event.event.frame, false, of: bytes, to: &report, heard)
            case .warning(let warning): complaints.add(warning, of: bytes)
            case .utteranceEnded, .prepared, .phase: break
            case .failed: break reading
            case .finished:
                if !request.output.isOffline { report.frames = event.event.frame ?? 0 }
                break reading
            }
        }
        try Task.checkCancellation()
        if let frames = try await rendered { report.frames = frames }
        if let error = await failure.value { throw error }
        report.warnings = complaints.lines
        return report
    }

    /// Renders to the end of the speech.
    ///
    /// - Returns: The number of frames; `nil` for an output in real time, which renders by itself.
    private func renderedFrames(
        _ request: SpeakRequest, _ engine: SpeechEngine, _ mixer: any MixingEngine,
        _ progress: @Sendable (TimeInterval) -> Void
    ) async throws -> Int64? {
        guard request.output.isOffline else { return nil }
        do {
            return try await render(engine, mixer, progress)
        } catch {
            // Ends the events, which tell nothing of a failed output.
            await engine.shutdown()
            throw error
        }
    }

    /// Renders to the end of the speech, a second at a time, so that it can be cancelled.
    private func render(
        _ engine: SpeechEngine, _ mixer: any MixingEngine, _ progress: @Sendable (TimeInterval) -> Void
    ) async throws -> Int64 {
        let layer = await engine.layer
        let slice = Int64(Self.format.sampleRate)
        var frames: Int64 = 0
        while true {
            try Task.checkCancellation()
            let got = try await mixer.advance(frames: slice, untilIdle: layer)
            frames += got
            progress(Self.format.seconds(of: frames))
            if got < slice { break }
        }
        try await mixer.finishOutput()
        return frames
    }

    private func add(
        _ kind: String, _ range: Range<Int>, _ frame: Int64?, _ isEstimated: Bool, of bytes: [UInt8],
        to report: inout SpeechReport, _ heard: (SpokenMark) throws -> Void
    ) throws {
        // A range outside of the text must not end the program.
        let range = range.clamped(to: bytes.indices)
        let mark = SpokenMark(
            kind: kind, text: String(decoding: bytes[range], as: UTF8.self), start: range.lowerBound,
            end: range.upperBound, frame: frame ?? 0, isEstimated: isEstimated)
        report.marks.append(mark)
        try heard(mark)
    }
}
