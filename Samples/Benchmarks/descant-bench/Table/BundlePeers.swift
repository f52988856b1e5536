internal import Foundation

/// What a bundle costs until it can be used: its file is checked, its digest computed, and it is loaded. Beside `dlopen` alone.
struct BundlePeers {
    var measures: [Measure] {
        [load("uncached", "from the disk"), load("cached", "from the system's memory"), again]
    }

    private func load(_ files: String, _ place: String) -> Measure {
        Measure(
            title: "first decoder of a bundle, \(place)", unit: "ms", isLessBetter: true,
            peers: [figure("load_ms", files, TableBench.ownName), figure("dlopen_ms", files, "dlopen")],
            demand: .limit(20))
    }

    private var again: Measure {
        Measure(
            title: "another decoder of a loaded bundle", unit: "ms", isLessBetter: true,
            peers: [figure("again_ms", "cached", TableBench.ownName)], demand: .limit(1))
    }

    private func figure(_ name: String, _ files: String, _ peer: String) -> Measure.Peer {
        .init(name: peer) {
            guard let value = try ChildProcess(ChildProcess.this, ["bundle", files]).finish().figures[name] else {
                throw BenchError.failed("bundle prints no \(name)")
            }
            return value
        }
    }
}
