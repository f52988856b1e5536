public import Descant
public import Foundation

/// Plays content, one after the other, on an engine that a plugin provides.
public struct EnginePlayback: Sendable {
    private let engine: any MediaEngine
    private let contents: [URL]

    /// Makes the engine.
    ///
    /// - Parameters:
    ///   - identifier: The engine, as `descant plugins` lists it.
    ///   - inputs: Files, URLs, or whatever else the engine knows, such as `library://track/7`.
    ///   - output: Where engines play that make sound themselves.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when no plugin provides the engine, or the plugin's reason why it cannot be used.
    public init(
        _ identifier: String, inputs: [String], output: OutputDestination, environment: AudioEnvironment
    ) throws {
        let engines = environment.plugins.providers(of: .engine).map(\.provision.identifier)
        guard engines.contains(identifier) else {
            let list = engines.isEmpty ? "none" : engines.sorted().joined(separator: ", ")
            throw InputError(description: "no plugin provides the engine \(identifier); there are: \(list)")
        }
        let mixer = try environment.makeEngine(output: output)
        engine = try environment.plugins.makeEngine(identifier, mixer: mixer)
        contents = inputs.map { input in
            let url = URL(string: input)
            return url?.scheme == nil ? InputExpander.url(for: input) : url ?? InputExpander.url(for: input)
        }
    }

    /// Plays everything to its end, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - start: Where the first content begins, in seconds.
    ///   - report: Gets a line for each change.
    /// - Throws: `CoreError` of the engine.
    public func run(start: TimeInterval, report: @Sendable (String) -> Void) async throws {
        for (index, url) in contents.enumerated() {
            guard !Task.isCancelled else { break }
            let states = engine.stateUpdates
            try await engine.loadContent(.url(url))
            if index == 0, start > 0 { try await engine.seek(to: .time(start)) }
            try await engine.play()
            report("\(engine.identifier): \(url.shownAddress)")
            try await wait(for: states, report)
        }
        await engine.stop()
    }

    /// Waits until the content has ended, for whatever reason.
    private func wait(for states: EventStream<EngineState>, _ report: @Sendable (String) -> Void) async throws {
        var hasPlayed = false
        for await state in states {
            switch state {
            case .playing:
                if hasPlayed { report("playing") }
                hasPlayed = true
            case .paused: report("paused")
            case .buffering: report("waiting for the connection")
            case .failed(let error): throw error
            case .finished: return
            case .idle where hasPlayed: return
            case .idle, .loading, .ready: break
            }
        }
    }
}
