import Foundation
import PlayerApp
import Synchronization

/// A player of the tracks a, b and c that records commands and sends the updates a test gives it.
final class FakePlayer: PlayerControlling {
    let updates: AsyncStream<PlayerUpdate>
    let feed: AsyncStream<PlayerUpdate>.Continuation
    private let log = Mutex<[String]>([])
    private let refusal = Mutex<String?>(nil)
    private let edits = Mutex(0)
    /// The name of a playlist that was saved before.
    let savedName = Mutex<String?>(nil)

    struct Refusal: Error, CustomStringConvertible { let description: String }

    init() { (updates, feed) = AsyncStream.makeStream() }

    var commands: [String] { log.withLock { $0 } }

    func refuse(_ reason: String?) { refusal.withLock { $0 = reason } }

    private func record(_ command: String) throws {
        log.withLock { $0.append(command) }
        if let reason = refusal.withLock({ $0 }) { throw Refusal(description: reason) }
    }

    func start() async throws { try record("start") }
    func togglePause() async throws { try record("togglePause") }
    func halt() async { log.withLock { $0.append("halt") } }
    func next() async throws { try record("next") }
    func previous() async throws { try record("previous") }
    func jump(to index: Int) async throws { try record("jump \(index)") }
    func seek(by seconds: TimeInterval) async throws { try record("seek \(seconds)") }
    func seek(to seconds: TimeInterval) async throws { try record("seek to \(seconds)") }
    func setRepeat(_ setting: RepeatSetting) async { log.withLock { $0.append("repeat \(setting)") } }
    func setShuffle(_ isOn: Bool) async { log.withLock { $0.append("shuffle \(isOn)") } }
    func setRate(_ rate: Double) async throws { try record("rate \(rate)") }
    func setCrossfade(_ seconds: TimeInterval) async throws { try record("crossfade \(seconds)") }
    func setLoudness(_ setting: LoudnessSetting) async { log.withLock { $0.append("loudness \(setting)") } }
    func showSpectrum(_ isShown: Bool) async throws { try record("spectrum \(isShown)") }
    func setSleep(_ setting: SleepSetting) async throws { try record("sleep \(setting)") }
    /// The number of a change of the playlist.
    private func countEdit() -> Int {
        edits.withLock { edits in
            edits += 1
            return edits
        }
    }

    func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int {
        try record("insert \(entries.map(\.title).joined(separator: ",")) at \(index)")
        return countEdit()
    }
    func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int) {
        try record("remove \(places.sorted().map(String.init).joined(separator: ","))")
        let names = ["a", "b", "c"]
        let removed = places.sorted().map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\(names[$0]).flac")) }
        return (removed, countEdit())
    }
    func move(_ targets: [Int: Int]) async throws -> Int {
        try record(Self.text(targets))
        return countEdit()
    }
    /// `move 0,2 to 3,4`
    static func text(_ targets: [Int: Int]) -> String {
        let moves = targets.sorted { $0.key < $1.key }
        let (places, ends) = (moves.map { "\($0.key)" }, moves.map { "\($0.value)" })
        return "move \(places.joined(separator: ",")) to \(ends.joined(separator: ","))"
    }
    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String {
        try record("\(replaces ? "replace with" : "save") \(entries.count) as \(path)")
        let file = path.hasPrefix("/") ? path : "/lists/\(path).m3u"
        if !replaces, savedName.withLock({ $0 }) == path { throw PlaylistFileExists(path: file) }
        return file
    }
    func setVolume(_ volume: Double) async { log.withLock { $0.append("volume \(volume)") } }
    func toggleOverlay() async throws { try record("toggleOverlay") }
    func stop(fade: TimeInterval) async { feed.finish() }
}
