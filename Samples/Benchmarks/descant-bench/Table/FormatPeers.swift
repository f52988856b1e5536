internal import Foundation

/// Every format beside ffmpeg and GStreamer: decoding, a mix, starts and seeks. ffmpeg encodes the files.
struct FormatPeers {
    private struct Format {
        let name: String
        let ending: String
        let encoder: [String]
        /// Whether SoX, without further packages, and miniaudio read it.
        var isReadBySmallPlayers = false
    }

    private static let formats = [
        Format(name: "FLAC", ending: "flac", encoder: ["-c:a", "flac"], isReadBySmallPlayers: true),
        Format(
            name: "MP3", ending: "mp3", encoder: ["-c:a", "libmp3lame", "-b:a", "192k"], isReadBySmallPlayers: true),
        Format(name: "M4A", ending: "m4a", encoder: ["-c:a", "aac", "-b:a", "192k"]),
        Format(name: "Vorbis", ending: "ogg", encoder: ["-c:a", "libvorbis", "-q:a", "6"], isReadBySmallPlayers: true),
        Format(name: "Opus", ending: "opus", encoder: ["-c:a", "libopus", "-b:a", "128k"]),
    ]
    private static let seconds = 600.0
    private static let crossfade = 5.0

    /// ffmpeg's resampler has 32 taps by default, whose images are 38 dB below the sound. Descant's has 128, for 110 dB: the peer of
    /// the demands has as many.
    private static let peer = "ffmpeg, 128 taps"
    private static let resampler = "aresample=48000:filter_size=128:phase_shift=8"

    private let folder: URL
    private let ffmpeg: URL

    /// - Throws: ``BenchError`` when ffmpeg cannot encode a format.
    init(corpus: BenchCorpus, ffmpeg: URL) throws {
        folder = corpus.folder
        self.ffmpeg = ffmpeg
        for format in Self.formats {
            for (source, name) in [(corpus.long, "long"), (corpus.first, "short")] {
                let file = Self.file(name, format, in: folder)
                let arguments = ["-v", "error", "-nostdin", "-y", "-i", source.path] + format.encoder + [file.path]
                _ = try ChildProcess(ffmpeg, arguments).finish()
            }
        }
    }

    var measures: [Measure] {
        Self.formats.map(decoding) + Self.formats.map(mixing) + Self.formats.map(joining)
            + Self.formats.dropFirst().flatMap { [warmStart($0), seek($0)] }
            + [newProcess, farSeek]
    }

    private static func file(_ name: String, _ format: Format, in folder: URL) -> URL {
        folder.appendingPathComponent("\(name)-encoded.\(format.ending)")
    }

    private func long(_ format: Format) -> String { Self.file("long", format, in: folder).path }
    private func short(_ format: Format) -> String { Self.file("short", format, in: folder).path }

    // MARK: Processor time

    private func decoding(_ format: Format) -> Measure {
        let output = ["-ac", "2", "-c:a", "pcm_s16le", "-f", "null", "-"]
        let input = ["-v", "error", "-nostdin", "-i", long(format)]
        var peers = [
            cost(TableBench.ownName, ChildProcess.this, ["decode", long(format), "null", "48000"], of: Self.seconds),
            cost("ffmpeg, 32 taps", ffmpeg, input + ["-ar", "48000"] + output, of: Self.seconds),
            cost(Self.peer, ffmpeg, input + ["-af", Self.resampler] + output, of: Self.seconds),
        ]
        if let launch = ChildProcess.find("gst-launch-1.0") {
            let graph = """
                -q filesrc location=\(long(format)) ! decodebin ! audioconvert ! audioresample ! \
                audio/x-raw,format=S16LE,rate=48000,channels=2 ! fakesink sync=false
                """
            peers.append(
                cost("gst-launch decodebin", launch, graph.split(separator: " ").map(String.init), of: Self.seconds))
        }
        if format.isReadBySmallPlayers {
            if let sox = ChildProcess.find("sox") {
                let arguments = [long(format), "-r", "48000", "-c", "2", "-b", "16", "-t", "raw", "/dev/null"]
                peers.append(cost("SoX", sox, arguments, of: Self.seconds))
            }
            if let miniaudio = miniaudio(long(format)) { peers.append(miniaudio) }
        }
        return Measure(
            title: "decoding \(format.name), to 48 kHz", unit: "CPU s per hour", isLessBetter: true, peers: peers,
            demand: .peer(Self.peer), knownMiss: Self.knownMiss(of: format))
    }

    /// miniaudio, whose resampler interpolates between two samples, without the start of its Python; where it is installed.
    private func miniaudio(_ file: String) -> Measure.Peer? {
        guard let python = ChildProcess.find("python3"),
            let folder = ProcessInfo.processInfo.environment["DESCANT_MINIAUDIO"]
        else { return nil }
        // Not at the beginning of a line, where it would be an import of Swift's.
        let modules = "import miniaudio, sys, time"
        let program = """
            \(modules)
            began = time.process_time()
            for _ in miniaudio.stream_file(sys.argv[1], miniaudio.SampleFormat.SIGNED16, 2, 48000, 48000): pass
            print(f"cpu_s={time.process_time() - began}")
            """
        return .init(name: "miniaudio") {
            let process = try ChildProcess(python, ["-c", program, file], environment: ["PYTHONPATH": folder])
            guard let seconds = try process.finish().figures["cpu_s"] else {
                throw BenchError.failed("miniaudio printed no cpu_s")
            }
            return seconds / Self.seconds * 3_600
        }
    }

    private static func knownMiss(of format: Format) -> Measure.KnownMiss {
        format.name == "Opus"
            ? .init(
                limit: 2.9,
                reason: "libopus decodes, as in gst-launch, for its accuracy; ffmpeg's own decoder takes half the time")
            : .init(
                limit: 1.35,
                reason: "each decoder has a queue and hands its sound over to the mix; ffmpeg does all on one thread")
    }

    /// Twice the same track with a crossfade, and an overlay at 0.3.
    private func mixing(_ format: Format) -> Measure {
        let length = 2 * Self.seconds - Self.crossfade
        let files = [long(format), long(format), short(format)]
        let graph = { (resampler: String) in
            """
            [0:a]\(resampler)[a];[1:a]\(resampler)[b];[a][b]acrossfade=d=\(Self.crossfade):c1=qsin:c2=qsin[x];\
            [2:a]\(resampler),volume=0.3,aloop=loop=-1:size=2880000[o];[x][o]amix=inputs=2:duration=first:normalize=0
            """
        }
        let inputs = files.flatMap { ["-vn", "-i", $0] }
        let output = ["-ar", "48000", "-ac", "2", "-c:a", "pcm_s16le", "-f", "null", "-"]
        return Measure(
            title: "mixing two \(format.name) files and an overlay, to 48 kHz", unit: "CPU s per hour",
            isLessBetter: true,
            peers: [
                cost(
                    TableBench.ownName, ChildProcess.this, ["mix"] + files + ["48000", "\(Self.crossfade)"], of: length
                )
            ]
                + [("ffmpeg, 32 taps", "aresample=48000"), (Self.peer, Self.resampler)].map { name, resampler in
                    cost(
                        name, ffmpeg,
                        ["-v", "error", "-nostdin"] + inputs + ["-filter_complex", graph(resampler)] + output,
                        of: length)
                }, demand: .peer(Self.peer), knownMiss: Self.knownMiss(of: format))
    }

    // MARK: Joins

    /// Three times the same track without a pause between them.
    private func joining(_ format: Format) -> Measure {
        let files = [String](repeating: short(format), count: 3)
        let output = folder.appendingPathComponent("joined.raw")
        var peers = [
            Measure.Peer(name: TableBench.ownName) {
                _ = try ChildProcess(ChildProcess.this, ["gap", output.path, "48000"] + files).finish()
                return try Self.difference(of: output)
            }
        ]
        if let mpv = ChildProcess.find("mpv") {
            peers.append(
                .init(name: "mpv") {
                    let arguments = [
                        "--no-config", "--vid=no", "--really-quiet", "--gapless-audio=yes", "--ao=pcm",
                        "--ao-pcm-file=\(output.path)", "--ao-pcm-waveheader=no", "--audio-samplerate=48000",
                        "--audio-format=s16",
                    ]
                    _ = try ChildProcess(mpv, arguments + files).finish()
                    return try Self.difference(of: output)
                })
        }
        return Measure(
            title: "two joins of \(format.name), to 48 kHz", unit: "frames too many or missing", isLessBetter: true,
            peers: peers, demand: .limit(0))
    }

    /// How many frames a file of 16-bit stereo has too many or too few.
    private static func difference(of file: URL) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return abs(Double(size ?? 0) / 4 - 3 * BenchCorpus.trackSeconds * 48_000)
    }

    private func cost(_ name: String, _ program: URL, _ arguments: [String], of seconds: Double) -> Measure.Peer {
        .init(name: name) { try ProcessCost.of(program, arguments).seconds / seconds * 3_600 }
    }

    // MARK: Starts and seeks

    private func warmStart(_ format: Format) -> Measure {
        let file = short(format)
        return Measure(
            title: "start to first sample, running program, \(format.name)", unit: "ms", isLessBetter: true,
            peers: [
                child(TableBench.ownName, ["start", "null", "8", file], figure: "warm_ms"),
                child("playbin", ["playbin-start", "8", file], figure: "warm_ms"),
            ], demand: .limit(5))
    }

    /// The 95th percentile of a number of seeks over the whole file, as in FLAC.
    private func seek(_ format: Format) -> Measure {
        let positions = BenchCorpus.manyPositions.map { "\($0)" }
        return Measure(
            title: "seek to first sample, 95th percentile of \(positions.count), \(format.name)", unit: "ms",
            isLessBetter: true,
            peers: [
                child(
                    TableBench.ownName, ["seek", "null", "accurate", folder.path, long(format)] + positions,
                    figure: "seek_p95_ms"),
                child("playbin", ["playbin-seek", long(format)] + positions, figure: "seek_p95_ms"),
            ], demand: .limit(10))
    }

    private var newProcess: Measure {
        let file = short(Self.formats[0])
        return Measure(
            title: "start of a process to first sample, FLAC", unit: "ms", isLessBetter: true,
            peers: [
                .init(name: TableBench.ownName) { try execution(["start", "null", "1", file]) },
                .init(name: "playbin") { try execution(["playbin-start", "1", file]) },
            ], demand: .peer("playbin"))
    }

    private func execution(_ arguments: [String]) throws -> Double {
        let environment = ["BENCH_T0": "\(BenchOutput.now)"]
        let figures = try ChildProcess(ChildProcess.this, arguments, environment: environment).finish().figures
        guard let figure = figures["exec_ms"] else { throw BenchError.failed("\(arguments[0]) prints no exec_ms") }
        return figure
    }

    /// The first seek may read the file's whole index, so it is left out.
    private var farSeek: Measure {
        let positions = [300.0, 560.5, 20.25, 480.75, 100.1, 590.5].map { "\($0)" }
        let file = long(Self.formats[1])
        return Measure(
            title: "far seek in a long MP3, slowest of \(positions.count - 1) after the first", unit: "ms",
            isLessBetter: true,
            peers: [
                child(
                    TableBench.ownName, ["seek", "null", "accurate", folder.path, file] + positions,
                    figure: "later_maximum_ms"),
                child("playbin", ["playbin-seek", file] + positions, figure: "later_maximum_ms"),
            ], demand: .limit(20))
    }

    private func child(_ name: String, _ arguments: [String], figure: String) -> Measure.Peer {
        .init(name: name) {
            guard let value = try ChildProcess(ChildProcess.this, arguments).finish().figures[figure] else {
                throw BenchError.failed("\(arguments[0]) prints no \(figure)")
            }
            return value
        }
    }
}
