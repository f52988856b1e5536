internal import Foundation

/// Measures Descant and the installed players, interleaved in one run, and prints a table.
struct TableBench {
    static let ownName = "Descant"

    private let checks: Bool
    /// Where the results are written as JSON, too.
    private let json: URL?
    /// Where the results are written as a table in Markdown, too.
    private let markdown: URL?
    private let rounds: Int
    private let busySeconds: Int
    private let group: Group?

    /// A group of measures.
    private enum Group: String, CaseIterable {
        case player, device, formats, playlist, tags, library, speech, isolation, plugins, client
    }

    init(_ arguments: inout Arguments) throws {
        checks = arguments.wantsCheck()
        json = try arguments.text(after: "--json").map { URL(fileURLWithPath: $0) }
        markdown = try arguments.text(after: "--markdown").map { URL(fileURLWithPath: $0) }
        rounds = max(1, try arguments.option("--runs") ?? 5)
        busySeconds = max(1, try arguments.option("--busy") ?? 600)
        let wish = try arguments.text(after: "--only")
        group = wish.flatMap(Group.init)
        guard arguments.isEmpty, (wish == nil) == (group == nil) else {
            let groups = Group.allCases.map(\.rawValue).joined(separator: "|")
            throw BenchError.usage(
                """
                usage: descant-bench table [--check] [--runs N] [--busy SECS] [--json FILE] [--markdown FILE] \
                [--only \(groups)]
                """)
        }
    }

    func run() async throws {
        note("making the files…")
        let corpus = try await BenchCorpus()
        defer { corpus.remove() }
        var results: [MeasureResult] = []
        let groups = group.map { [$0] } ?? Group.allCases
        for measure in try groups.flatMap({ try measures(of: $0, corpus) }) {
            note("\(measure.title): \(measure.peers.map(\.name).joined(separator: ", "))…")
            results.append(await take(measure))
        }
        for result in results { show(result) }
        if let json { try write(results, to: json) }
        if let markdown { try Data(MarkdownTable(results: results).text.utf8).write(to: markdown) }
        let unmet = results.filter { $0.isMet == false && $0.reason == nil }
        guard checks, !unmet.isEmpty else { return }
        throw BenchError.failed("slower than demanded: \(unmet.map(\.title).joined(separator: "; "))")
    }

    private func measures(of group: Group, _ corpus: BenchCorpus) throws -> [Measure] {
        switch group {
        case .player: return Peers(corpus: corpus, busySeconds: Double(busySeconds)).measures
        case .device: return DevicePeers(corpus: corpus).measures
        case .formats:
            guard let ffmpeg = ChildProcess.find("ffmpeg") else {
                note("formats are not measured: ffmpeg, which makes the files, is not installed")
                return []
            }
            return try FormatPeers(corpus: corpus, ffmpeg: ffmpeg).measures
        case .playlist: return PlaylistPeers(corpus: corpus).measures
        case .plugins: return BundlePeers().measures
        case .isolation: return IsolationPeers(corpus: corpus).measures
        case .client:
            guard let peers = ClientPeers() else {
                note(
                    "the client of Music Assistant servers is not measured: DESCANT_CLIENT_BENCH does not name its program"
                )
                return []
            }
            return peers.measures
        case .speech: return SpeechPeers(corpus: corpus).measures
        case .library:
            guard let peers = try LibraryPeers(corpus: corpus) else {
                note("the library is not measured: descant and descant-library are not beside this")
                return []
            }
            if !peers.hasWindow {
                note(
                    "the desktop player is not measured: descant-desktop is not beside this, or Xvfb or xdotool is not installed"
                )
            }
            return peers.measures
        case .tags:
            let measures = try TagPeers(corpus: corpus)?.measures ?? []
            if measures.isEmpty { note("tags are not measured: ffmpeg, which makes the files, is not installed") }
            return measures
        }
    }

    /// Every round measures every peer once, and begins with another peer than the round before.
    private func take(_ measure: Measure) async -> MeasureResult {
        var figures: [[String: Double]] = []
        var failures: [String: String] = [:]
        for round in 0..<(measure.rounds ?? rounds) {
            let start = round % measure.peers.count
            let order = Array(measure.peers[start...] + measure.peers[..<start])
            let got = measure.isParallel ? await together(order) : await oneByOne(order)
            figures.append(got.compactMapValues { try? $0.get() })
            for (name, outcome) in got {
                if case .failure(let error) = outcome { failures[name] = (error as? BenchError)?.message ?? "\(error)" }
            }
        }
        return MeasureResult(measure, rounds: figures, failures: failures)
    }

    private func oneByOne(_ peers: [Measure.Peer]) async -> [String: Result<Double, any Error>] {
        var outcomes: [String: Result<Double, any Error>] = [:]
        for peer in peers { outcomes[peer.name] = await outcome(of: peer) }
        return outcomes
    }

    private func together(_ peers: [Measure.Peer]) async -> [String: Result<Double, any Error>] {
        await withTaskGroup(of: (String, Result<Double, any Error>).self) { group in
            for peer in peers { group.addTask { (peer.name, await outcome(of: peer)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func outcome(of peer: Measure.Peer) async -> Result<Double, any Error> {
        do { return .success(try await peer.figure()) } catch { return .failure(error) }
    }

    // MARK: Printing

    private func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }

    private func write(_ results: [MeasureResult], to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(results).write(to: file)
    }

    private func show(_ result: MeasureResult) {
        let better = result.isLessBetter ? "less is better" : "more is better"
        print(
            "\n\(result.title) (\(result.unit), \(better); \(result.rounds) \(result.rounds == 1 ? "round" : "rounds"))"
        )
        print(columns("", "median", "range", "Descant ÷ it", "range"))
        for row in result.rows {
            print(
                columns(
                    row.peer, Self.figure(row.median), "\(Self.figure(row.least))–\(Self.figure(row.maximum))",
                    Self.figure(row.ratio), "\(Self.figure(row.minimumRatio))–\(Self.figure(row.maximumRatio))"))
        }
        for (name, reason) in result.failures.sorted(by: { $0.key < $1.key }) { print("  \(name): \(reason)") }
        switch (result.isMet, result.reason) {
        case (nil, _): break
        case (true?, _): print("  as demanded")
        case (false?, let reason?): print("  MORE THAN DEMANDED: \(reason)")
        case (false?, nil): print("  MISSED, FOR NO KNOWN REASON")
        }
    }

    private func columns(_ texts: String...) -> String {
        zip(texts, [24, 9, 16, 14, 14]).enumerated().map { index, column in
            let space = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index == 0 ? "  " + column.0 + space : space + column.0
        }.joined(separator: " ")
    }

    static func figure(_ value: Double) -> String {
        value >= 100
            ? String(format: "%.0f", value)
            : value >= 10 ? String(format: "%.1f", value) : String(format: "%.2f", value)
    }
}
