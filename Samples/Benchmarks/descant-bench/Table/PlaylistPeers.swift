internal import Foundation

/// The measures of playlists: the next track, loading, memory and edits of long lists, beside a resident mpv.
struct PlaylistPeers {
    let corpus: BenchCorpus

    private static let lengths = [10, 1_000, 100_000]

    var measures: [Measure] { [next, load, memory] + Self.lengths.map(edit) + [calls, frozenCalls] }

    private var next: Measure {
        let files = [corpus.first.path, corpus.second.path]
        let mpv = ChildProcess.find("mpv")
        var peers = [own(["next", "null", "8"] + files, figure: "next_ms")]
        if let mpv {
            peers.append(.init(name: "mpv") { try mpvNext(mpv).median ?? .nan })
        }
        return Measure(
            title: "next track, opened ahead, to first sample", unit: "ms", isLessBetter: true, peers: peers,
            demand: mpv == nil ? .limit(5) : .peer("mpv"))
    }

    /// Of every call the median of 20; the slowest of them.
    private var calls: Measure {
        Measure(
            title: "slowest call that opens no file, with 100,000 entries", unit: "ms", isLessBetter: true,
            peers: [own(["calls", "null", "20", corpus.long.path, "100000"], figure: "slowest_ms")],
            demand: .limit(1))
    }

    private var frozenCalls: Measure {
        Measure(
            title: "slowest call that opens no file, at a frozen sound server", unit: "ms", isLessBetter: true,
            peers: [own(["calls", "frozen", "5", corpus.long.path], figure: "slowest_maximum_ms")],
            demand: .limit(100))
    }

    private func mpvNext(_ program: URL) throws -> Statistics {
        let mpv = try MPVControl(
            program, folder: corpus.folder, options: ["--prefetch-playlist=yes", "--loop-playlist=inf"])
        _ = try mpv.time(["loadfile", corpus.first.path], until: "playback-restart")
        _ = try mpv.reply(["loadfile", corpus.second.path, "append"])
        return Statistics(
            try (0..<8).map { _ in
                usleep(400_000)
                return try mpv.time(["playlist-next"], until: "playback-restart")
            })
    }

    private var load: Measure {
        measure("loading 100,000 entries", unit: "ms", length: 100_000, figure: "load_ms", demand: 100) {
            mpv, list, _ in
            try mpv.reply(["loadlist", list.path, "replace"]) / 1e3
        }
    }

    private var memory: Measure {
        measure(
            "memory of an entry, path of 38 bytes", unit: "bytes", length: 100_000, figure: "entry_bytes", demand: 110
        ) { mpv, list, length in
            let before = mpv.residentBytes
            _ = try mpv.reply(["loadlist", list.path, "replace"])
            return Double(mpv.residentBytes - before) / Double(length)
        }
    }

    private func edit(_ length: Int) -> Measure {
        measure("adding a track to \(length) entries", unit: "µs", length: length, figure: "add_us", demand: 1_000) {
            mpv, list, _ in
            _ = try mpv.reply(["loadlist", list.path, "replace"])
            let times = try (0..<200).map { try mpv.reply(["loadfile", PlaylistBench.path($0), "append"]) }
            return Statistics(times).median ?? .nan
        }
    }

    private func measure(
        _ title: String, unit: String, length: Int, figure: String, demand: Double,
        mpv ask: @escaping @Sendable (MPVControl, URL, Int) throws -> Double
    ) -> Measure {
        var peers = [own(["playlist", "\(length)"], figure: figure)]
        if let mpv = ChildProcess.find("mpv") {
            peers.append(
                .init(name: "mpv") {
                    let list = corpus.folder.appendingPathComponent("list-\(length).m3u")
                    try Data((0..<length).map { PlaylistBench.path($0) + "\n" }.joined().utf8).write(to: list)
                    return try ask(MPVControl(mpv, folder: corpus.folder), list, length)
                })
        }
        return Measure(title: title, unit: unit, isLessBetter: true, peers: peers, demand: .limit(demand))
    }

    private func own(_ arguments: [String], figure: String) -> Measure.Peer {
        .init(name: TableBench.ownName) {
            guard let value = try ChildProcess(ChildProcess.this, arguments).finish().figures[figure] else {
                throw BenchError.failed("\(arguments[0]) prints no \(figure)")
            }
            return value
        }
    }
}
