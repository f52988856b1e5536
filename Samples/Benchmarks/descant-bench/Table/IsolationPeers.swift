internal import Foundation

/// What isolation costs: decoding in a helper process beside the same in one's own.
struct IsolationPeers {
    let corpus: BenchCorpus

    var measures: [Measure] { [first, cost, speech] }

    /// The demand is on the difference: the peer is what the same opening takes in the process itself.
    private var first: Measure {
        Measure(
            title: "opening to first frame in a warm helper, beyond that in the process", unit: "ms",
            isLessBetter: true,
            peers: [
                .init(name: TableBench.ownName) {
                    let isolated = try figure("first_ms", "helper", corpus.first)
                    return max(0, isolated - (try figure("first_ms", "host", corpus.first)))
                }
            ], demand: .limit(20))
    }

    private var cost: Measure {
        Measure(
            title: "decoding 10 minutes in a helper", unit: "CPU s", isLessBetter: true,
            peers: [
                .init(name: TableBench.ownName) { try figure("cpu_s", "helper", corpus.long) },
                .init(name: "in the process") { try figure("cpu_s", "host", corpus.long) },
            ], demand: .times(1.1, "in the process"))
    }

    private var speech: Measure {
        Measure(
            title: "flite to its first sample in a warm helper, beyond that in the process", unit: "ms",
            isLessBetter: true,
            peers: [
                .init(name: TableBench.ownName) {
                    max(0, try firstSound("isolated") - firstSound("first"))
                }
            ], demand: .limit(20))
    }

    private func firstSound(_ kind: String) throws -> Double {
        let arguments = ["speech", kind, "flite", "8"]
        guard let value = try ChildProcess(ChildProcess.this, arguments).finish().figures["warm_ms"] else {
            throw BenchError.failed("speech \(kind) prints no warm_ms")
        }
        return value
    }

    private func figure(_ name: String, _ place: String, _ file: URL) throws -> Double {
        let arguments = ["isolate", place, file.path, "8"]
        guard let value = try ChildProcess(ChildProcess.this, arguments).finish().figures[name] else {
            throw BenchError.failed("isolate prints no \(name)")
        }
        return value
    }
}
