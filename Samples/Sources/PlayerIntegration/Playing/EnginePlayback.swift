public import Descant
public import Foundation

/// Plays content, one after the other, on an engine of the person's choice.
public struct EnginePlayback: Sendable {
    private let controller: MediaPlaybackController
    private let engine: String
    private let contents: [URL]

    /// Finds the engine; it is made by ``run(start:report:)``.
    ///
    /// - Parameters:
    ///   - identifier: The engine: `gstreamer`, or as `descant plugins` lists it.
    ///   - inputs: Files, URLs, or whatever else the engine knows, such as `library://track/7`.
    ///   - output: Where engines play that make sound themselves.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when there is no such engine.
    public init(
        _ identifier: String, inputs: [String], output: OutputDestination, environment: AudioEnvironment
    ) throws {
        controller = environment.makeController(output: output, policy: .onDemand)
        guard controller.canUseEngine(identifier) else {
            let list = controller.availableEngines.sorted().joined(separator: ", ")
            throw InputError(description: "there is no engine \(identifier); there are: \(list)")
        }
        engine = identifier
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
    /// - Throws: Why the engine cannot be made or does not play.
    public func run(start: TimeInterval, report: @Sendable (String) -> Void) async throws {
        do {
            try await controller.selectEngine(engine)
            for (index, url) in contents.enumerated() {
                guard !Task.isCancelled else { break }
                try await controller.loadContent(.url(url))
                if index == 0, start > 0 { try await controller.seek(to: .time(start)) }
                try await controller.play()
                report("\(engine): \(url.shownAddress)")
                try await wait(report)
            }
        } catch {
            await controller.stop()
            throw error
        }
        await controller.stop()
    }

    /// Waits until the content has ended, for whatever reason.
    private func wait(_ report: @Sendable (String) -> Void) async throws {
        var told = MediaPlaybackState.Activity.playing
        for await state in controller.updates {
            switch state.activity {
            case .playing where told != .playing: report("playing")
            case .paused where told != .paused: report("paused")
            case .buffering where told != .buffering: report("waiting for the connection")
            case .failed: throw CoreError.ioError(state.lastErrorMessage ?? "the engine has failed")
            case .finished, .idle: return
            case .playing, .paused, .buffering, .preparing: break
            }
            told = state.activity
        }
    }
}
