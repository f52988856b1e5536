import DescantCore
import Foundation
import PlayerApp

/// A player with a mixer that keeps a list, as the real one does: each change arrives in the state before the call returns.
@MainActor
final class ListPlayer: MixControlling {
    nonisolated let updates: AsyncStream<PlayerUpdate>
    private let feed: AsyncStream<PlayerUpdate>.Continuation
    /// The state that follows the player; `nil` while the player's answers are late.
    weak var state: AppState?
    private(set) var list: [PlaylistEntry]
    private(set) var commands: [String] = []
    /// How many changes the list contains.
    private(set) var edits = 0
    /// What the next call throws.
    var refusal: String?
    /// Called while a call is carried out.
    var during: (@MainActor (String) async -> Void)?

    struct Refusal: Error, CustomStringConvertible { let description: String }

    init(_ names: [String]) {
        list = names.map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }
        (updates, feed) = AsyncStream.makeStream()
    }

    var titles: [String] { list.map(\.title) }

    private func record(_ command: String) async throws {
        commands.append(command)
        await during?(command)
        if let refusal { throw Refusal(description: refusal) }
    }

    private func change(_ change: (inout [PlaylistEntry]) -> Void) -> Int {
        change(&list)
        edits += 1
        state?.apply(.playlist(list, current: state?.currentIndex, edit: edits))
        return edits
    }

    func start() async throws { try await record("start") }
    func togglePause() async throws { try await record("togglePause") }
    func halt() async { try? await record("halt") }
    func next() async throws { try await record("next") }
    func previous() async throws { try await record("previous") }
    func jump(to index: Int) async throws { try await record("jump \(index)") }
    func seek(by seconds: TimeInterval) async throws { try await record("seek \(seconds)") }
    func seek(to seconds: TimeInterval) async throws { try await record("seek to \(seconds)") }
    func setRepeat(_ setting: RepeatSetting) async { try? await record("repeat \(setting)") }
    func setShuffle(_ isOn: Bool) async { try? await record("shuffle \(isOn)") }
    func setRate(_ rate: Double) async throws { try await record("rate \(rate)") }
    func setCrossfade(_ seconds: TimeInterval) async throws { try await record("crossfade \(seconds)") }
    func setLoudness(_ setting: LoudnessSetting) async { try? await record("loudness \(setting)") }
    func showSpectrum(_ isShown: Bool) async throws { try await record("spectrum \(isShown)") }
    func setSleep(_ setting: SleepSetting) async throws { try await record("sleep \(setting)") }
    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String { path }
    func setVolume(_ volume: Double) async { try? await record("volume \(volume)") }
    func toggleOverlay() async throws { try await record("toggleOverlay") }
    func stop(fade: TimeInterval) async { feed.finish() }

    func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int {
        try await record("insert \(entries.count) at \(index)")
        return change { $0.insert(contentsOf: entries, at: index) }
    }

    func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int) {
        let places = places.sorted()
        try await record("remove \(places.map(String.init).joined(separator: ","))")
        guard places.allSatisfy(list.indices.contains) else { throw Refusal(description: "there is no such track") }
        let removed = places.map { list[$0] }
        let edit = change { list in for place in places.reversed() { list.remove(at: place) } }
        return (removed, edit)
    }

    func move(_ targets: [Int: Int]) async throws -> Int {
        try await record(FakePlayer.text(targets))
        let moved = targets.map { (entry: list[$0], target: $1) }.sorted { $0.target < $1.target }
        return change { list in
            for place in targets.keys.sorted(by: >) { list.remove(at: place) }
            for (entry, target) in moved { list.insert(entry, at: target) }
        }
    }

    // MARK: The mixer

    func pause() async throws { try await record("pause") }

    func entries(for urls: [URL]) async throws -> [PlaylistEntry] {
        try await record("entries of \(urls.map(\.lastPathComponent).joined(separator: ","))")
        return urls.map { PlaylistEntry(url: $0) }
    }

    func entries(named input: String) async throws -> [PlaylistEntry] {
        try await record("entries named \(input)")
        return [PlaylistEntry(url: URL(fileURLWithPath: input))]
    }

    func setCrossfade(_ seconds: TimeInterval, curve: FadeCurve) async throws {
        try await record("crossfade \(seconds) \(curve)")
    }

    func startOverlay(_ url: URL, volume: Double) async throws {
        try await record("overlay \(url.lastPathComponent) at \(volume)")
    }

    func setOverlayVolume(_ volume: Double) async { try? await record("overlay volume \(volume)") }
    func stopOverlay() async { try? await record("stop overlay") }
    func setEqualizer(_ settings: EqualizerSettings) async {
        try? await record("equaliser \(settings.isEnabled) \(settings.bandGains.map { Int($0) })")
    }
}
