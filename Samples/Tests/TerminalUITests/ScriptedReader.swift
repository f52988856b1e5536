import PlayerApp

/// A reader that sends given updates and ignores commands.
struct ScriptedReader: ReaderControlling {
    let updates: AsyncStream<ReaderUpdate>

    init(_ script: [ReaderUpdate]) {
        updates = AsyncStream { continuation in
            for update in script { continuation.yield(update) }
            continuation.finish()
        }
    }

    func start() async throws {}
    func togglePause() async throws {}
    func pause() async {}
    func go(to place: Int) async throws {}
    func useEngine(_ name: String) async throws {}
    func useVoice(_ identifier: String) async throws {}
    func move(by step: ReaderStep, forward: Bool) async throws {}
    func setRate(_ rate: Double) async throws {}
    func setVolume(_ volume: Double) async {}
    func useNextEngine() async throws {}
    func useNextVoice() async throws {}
    func stop() async {}
}
