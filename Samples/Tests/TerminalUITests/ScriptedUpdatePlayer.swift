import Foundation
import PlayerApp

/// A player that sends given updates and ignores commands.
struct ScriptedUpdatePlayer: PlayerControlling {
    let updates: AsyncStream<PlayerUpdate>
    private let removal: @Sendable () async -> Void

    /// - Parameters:
    ///   - script: The updates.
    ///   - removal: What a removal waits for.
    init(_ script: [PlayerUpdate], removal: @escaping @Sendable () async -> Void = {}) {
        self.removal = removal
        updates = AsyncStream { continuation in
            for update in script { continuation.yield(update) }
            continuation.finish()
        }
    }

    func start() async throws {}
    func togglePause() async throws {}
    func halt() async {}
    func next() async throws {}
    func previous() async throws {}
    func jump(to index: Int) async throws {}
    func seek(by seconds: TimeInterval) async throws {}
    func seek(to seconds: TimeInterval) async throws {}
    func setRepeat(_ setting: RepeatSetting) async {}
    func setShuffle(_ isOn: Bool) async {}
    func setRate(_ rate: Double) async throws {}
    func setCrossfade(_ seconds: TimeInterval) async throws {}
    func setLoudness(_ setting: LoudnessSetting) async {}
    func showSpectrum(_ isShown: Bool) async throws {}
    func setSleep(_ setting: SleepSetting) async throws {}
    func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int { 0 }
    func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int) {
        await removal()
        return (places.map { _ in PlaylistEntry(url: URL(fileURLWithPath: "/m/a.flac")) }, 0)
    }
    func move(_ targets: [Int: Int]) async throws -> Int { 0 }
    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String { path }
    func setVolume(_ volume: Double) async {}
    func toggleOverlay() async throws {}
    func stop(fade: TimeInterval) async {}
}
