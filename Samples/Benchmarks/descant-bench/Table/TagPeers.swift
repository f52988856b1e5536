internal import Foundation

/// The measures of reading tags, beside a plain loop over TagLib. They are left out where ffmpeg, which makes the files, is missing.
struct TagPeers {
    private let list: String

    init?(corpus: BenchCorpus) throws {
        guard let ffmpeg = ChildProcess.find("ffmpeg") else { return nil }
        list = try TagCorpus(in: corpus.folder, ffmpeg: ffmpeg).list.path
    }

    private static let plain = "TagLib, plain loop"

    var measures: [Measure] {
        [
            Measure(
                title: "tags and artwork of 10,000 files, CPU of a file", unit: "µs", isLessBetter: true,
                peers: [
                    peer(TableBench.ownName, ["scan", list], "cpu_us_per_file"),
                    peer("Descant, 1 thread", ["scan", list, "1"], "cpu_us_per_file"),
                    peer(Self.plain, ["taglib-scan", list], "cpu_us_per_file"),
                ] + mutagen("cpu_us_per_file"), demand: .times(1.1, Self.plain)),
            Measure(
                title: "tags and artwork of 10,000 files", unit: "files/s", isLessBetter: false,
                peers: [
                    peer(TableBench.ownName, ["scan", list], "files_per_s"),
                    peer("Descant, 1 thread", ["scan", list, "1"], "files_per_s"),
                    peer(Self.plain, ["taglib-scan", list], "files_per_s"),
                ] + mutagen("files_per_s"), demand: .times(1.6, Self.plain)),
        ]
    }

    /// A Python that has mutagen: the user's, or the system's, whose package is installed.
    private static let python = [ChildProcess.find("python3"), URL(fileURLWithPath: "/usr/bin/python3")]
        .compactMap(\.self).first { (try? ChildProcess($0, ["-c", "import mutagen"]).finish()) != nil }

    /// mutagen, where a Python has it. It reads pictures with the tags.
    private func mutagen(_ figure: String) -> [Measure.Peer] {
        guard let python = Self.python else { return [] }
        // Not at the beginning of a line, where it would be an import of Swift's.
        let modules = "import mutagen, resource, sys, time"
        let program = """
            \(modules)
            files = open(sys.argv[1]).read().split("\\n")
            began = time.monotonic()
            for file in files: mutagen.File(file)
            taken = time.monotonic() - began
            used = resource.getrusage(resource.RUSAGE_SELF)
            print(f"files_per_s={len(files) / taken} cpu_us_per_file={(used.ru_utime + used.ru_stime) / len(files) * 1e6}")
            """
        return [figureOf("mutagen", python, ["-c", program, list], figure)]
    }

    private func peer(_ name: String, _ arguments: [String], _ figure: String) -> Measure.Peer {
        figureOf(name, ChildProcess.this, arguments, figure)
    }

    private func figureOf(_ name: String, _ program: URL, _ arguments: [String], _ figure: String) -> Measure.Peer {
        .init(name: name) {
            guard let value = try ChildProcess(program, arguments).finish().figures[figure] else {
                throw BenchError.failed("\(name) printed no \(figure)")
            }
            return value
        }
    }
}
