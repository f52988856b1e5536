internal import CPlaybinPeer
internal import Descant
internal import Foundation
internal import PlayerApp

/// The cost of a playlist: loading, each edit, and memory. No file is opened.
struct PlaylistBench {
    private let count: Int
    private static let rounds = 200

    init(_ arguments: inout Arguments) throws {
        count = try arguments.integer()
        guard count >= 4 else { throw BenchError.failed("a playlist of at least 4 entries is measured") }
    }

    /// A path of 38 bytes, the length named in the table.
    static func path(_ number: Int) -> String {
        let digits = String(number)
        return "/music/artist/album/track-" + String(repeating: "0", count: 7 - digits.count) + digits + ".flac"
    }

    private static func url(_ number: Int) -> URL { URL(filePath: path(number), directoryHint: .notDirectory) }

    func run() async throws {
        let engine = try AudioEnvironment.shared.makeEngine(output: .callback(.realTime) { _ in })
        let player = AudioPlayerService(engine: engine)
        try await load(player)
        let edits: [(String, (Int) async throws -> Void)] = [
            ("add", { await player.addTrackToPlaylist(Self.url($0)) }),
            ("insert", { try await player.insertTracksInPlaylist([Self.url($0)], at: $0 % count) }),
            ("move", { try await player.moveTrackInPlaylist(from: $0 % count, to: ($0 * 7) % count) }),
            ("remove", { try await player.removeTrackFromPlaylist(at: $0 % count) }),
            ("peek", { _ in _ = await player.peekNextTrack() }),
            ("look", { _ = await player.getTracks(in: $0 % count..<$0 % count + 1) }),
        ]
        for (name, edit) in edits { BenchReport.line(("\(name)_us", try await median(edit))) }
        await player.setShuffle(true, seed: 1)
        for (name, edit) in edits[..<4] { BenchReport.line(("shuffled_\(name)_us", try await median(edit))) }
        await engine.shutdown()
    }

    private func load(_ player: AudioPlayerService) async throws {
        await player.setup()
        let before = heap_bytes_in_use()
        try await swap(player)
        let bytes = heap_bytes_in_use() - before
        BenchReport.line(("entry_bytes", BenchReport.decimals(Double(bytes) / Double(count), 1)))
    }

    /// The URLs belong to the caller and are released when this returns.
    private func swap(_ player: AudioPlayerService) async throws {
        let urls = (0..<count).map(Self.url)
        let called = BenchOutput.now
        try await player.swapPlaylist(tracks: urls)
        BenchReport.line(("load_ms", BenchReport.milliseconds(BenchOutput.now - called)))
    }

    private func median(_ edit: (Int) async throws -> Void) async throws -> String {
        var times: [Double] = []
        for round in 0..<Self.rounds {
            let called = BenchOutput.now
            try await edit(round * 7_919)
            times.append(Double(BenchOutput.now - called) / 1e3)
        }
        return BenchReport.decimals(Statistics(times).median ?? .nan, 2)
    }
}

/// The cost of the playlist of a file, which is read as a host would.
struct ListBench {
    private let list: URL

    init(_ arguments: inout Arguments) throws { list = try arguments.file() }

    func run() async throws {
        let engine = try AudioEnvironment.shared.makeEngine(output: .callback(.realTime) { _ in })
        let player = AudioPlayerService(engine: engine)
        await player.setup()
        let memory = Self.residentKilobytes
        let count = try await load(player)
        guard count >= 4 else { throw BenchError.failed("\(list.path): a playlist of at least 4 entries is measured") }
        let resident = Self.residentKilobytes
        let bytes = Double((resident - memory) * 1_024) / Double(count)
        BenchReport.line(("rss_kb", "\(resident)"), ("bytes_per_entry", BenchReport.decimals(bytes, 1)))
        let track = URL(filePath: PlaylistBench.path(0), directoryHint: .notDirectory)
        try await report("append") { await player.addTrackToPlaylist(track) }
        try await report("insert") { try await player.insertTracksInPlaylist([track], at: count / 2) }
        try await report("move") { try await player.moveTrackInPlaylist(from: count / 2, to: count / 4) }
        try await report("remove") { try await player.removeTrackFromPlaylist(at: count / 2) }
        await engine.shutdown()
    }

    /// The text and the URLs are released when this returns.
    private func load(_ player: AudioPlayerService) async throws -> Int {
        let called = BenchOutput.now
        let text = try String(contentsOf: list, encoding: .utf8)
        let tracks = M3UPlaylist.entries(in: text, relativeTo: list.deletingLastPathComponent()).map(\.url)
        try await player.swapPlaylist(tracks: tracks)
        BenchReport.line(
            ("load_ms", BenchReport.milliseconds(BenchOutput.now - called)), ("entries", "\(tracks.count)"))
        return tracks.count
    }

    private func report(_ name: String, _ edit: () async throws -> Void) async throws {
        let called = BenchOutput.now
        try await edit()
        BenchReport.line(("op_\(name)_ms", BenchReport.milliseconds(BenchOutput.now - called)))
    }

    private static var residentKilobytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_024
    }
}
