internal import Foundation

/// The client of Music Assistant servers, beside a plain socket that sends prepared frames: the limit of the test server.
struct ClientPeers {
    private let runs: ChildRuns

    /// `nil` where the variable DESCANT_CLIENT_BENCH does not name the program, which is a package of its own.
    init?() {
        guard let path = ProcessInfo.processInfo.environment["DESCANT_CLIENT_BENCH"] else { return nil }
        runs = ChildRuns(URL(fileURLWithPath: path), [])
    }

    var measures: [Measure] {
        [1, 16, 256].map { inFlight in
            Measure(
                title: "commands to a Music Assistant server, \(inFlight) in flight", unit: "per second",
                isLessBetter: false,
                peers: [
                    peer(TableBench.ownName, "commands_\(inFlight)"),
                    peer("plain socket", "socket_commands_\(inFlight)"),
                ], demand: inFlight == 256 ? .limit(20_000) : nil)
        } + [
            Measure(
                title: "events of a Music Assistant server, read by 99 subscribers beside one that does not read",
                unit: "per second", isLessBetter: false, peers: [peer(TableBench.ownName, "events")], demand: nil),
            Measure(
                title: "events that the 99 readers miss", unit: "count", isLessBetter: true,
                peers: [peer(TableBench.ownName, "missed_events")], demand: .limit(0)),
            Measure(
                // The newest 512 events of the subscriber that does not read are kept.
                title: "growth of memory over all commands and events, client and server", unit: "MB",
                isLessBetter: true, peers: [peer(TableBench.ownName, "growth_mb")], demand: .limit(16)),
        ]
    }

    private func peer(_ name: String, _ figure: String) -> Measure.Peer {
        .init(name: name) { try await runs.next(figure) }
    }
}
