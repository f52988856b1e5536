internal import Foundation

/// The measures and their programs: Descant, playbin and gst-launch always, mpv and ffmpeg if they are installed.
struct Peers {
    let corpus: BenchCorpus
    /// How long ``busy`` plays, in seconds.
    let busySeconds: Double

    var measures: [Measure] { [warmStart, coldStart, seek, slowSeek, crossfade, mix, busy] }

    // MARK: Start

    private var warmStart: Measure {
        var peers = [own(["start", "null", "8", corpus.first.path], figure: "warm_ms"), playbinStart("warm_ms")]
        if let mpv = ChildProcess.find("mpv") {
            peers.append(.init(name: "mpv") { try mpvStarts(mpv).median ?? .nan })
        }
        if let ffmpeg = ChildProcess.find("ffmpeg") {
            peers.append(
                .init(name: "ffmpeg (new process)") { try firstByte(ffmpeg, ["-vn", "-i", corpus.first.path]) })
        }
        return Measure(
            title: "start to first sample, running program", unit: "ms", isLessBetter: true, peers: peers,
            demand: .peer("playbin"))
    }

    private var coldStart: Measure {
        Measure(
            title: "start to first sample, first play of a process", unit: "ms", isLessBetter: true,
            peers: [own(["start", "null", "2", corpus.first.path], figure: "cold_ms"), playbinStart("cold_ms")],
            demand: .peer("playbin"),
            knownMiss: .init(limit: 1.8, reason: "a decoder is chosen, bundles and GStreamer are loaded"))
    }

    private func playbinStart(_ figure: String) -> Measure.Peer {
        .init(name: "playbin") { try child(["playbin-start", "8", corpus.first.path], figure: figure) }
    }

    private func mpvStarts(_ program: URL) throws -> Statistics {
        let mpv = try MPVControl(program, folder: corpus.folder)
        var times: [Double] = []
        for round in 0..<8 {
            let time = try mpv.time(["loadfile", corpus.first.path], until: "playback-restart")
            if round > 0 { times.append(time) }
            usleep(30_000)
            _ = try mpv.time(["stop"], until: "idle")
        }
        return Statistics(times)
    }

    // MARK: Seek

    private var seek: Measure {
        let positions = BenchCorpus.seekPositions.map { "\($0)" }
        var peers = [
            own(["seek", "null", "accurate", corpus.folder.path, corpus.long.path] + positions, figure: "seek_ms"),
            .init(name: "playbin") { try child(["playbin-seek", corpus.long.path] + positions, figure: "seek_ms") },
        ]
        if let mpv = ChildProcess.find("mpv") {
            peers.append(.init(name: "mpv") { try mpvSeeks(mpv).median ?? .nan })
        }
        if let ffmpeg = ChildProcess.find("ffmpeg") {
            peers.append(
                .init(name: "ffmpeg (new process)") {
                    try firstByte(ffmpeg, ["-vn", "-ss", positions[0], "-i", corpus.long.path])
                })
        }
        return Measure(
            title: "seek to first sample", unit: "ms", isLessBetter: true, peers: peers, demand: .peer("playbin"))
    }

    /// The 95th percentile of a number of seeks over the whole file.
    private var slowSeek: Measure {
        let positions = BenchCorpus.manyPositions.map { "\($0)" }
        return Measure(
            title: "seek to first sample, 95th percentile of \(positions.count)", unit: "ms", isLessBetter: true,
            peers: [
                own(
                    ["seek", "null", "accurate", corpus.folder.path, corpus.long.path] + positions,
                    figure: "seek_p95_ms")
            ],
            demand: .limit(10))
    }

    private func mpvSeeks(_ program: URL) throws -> Statistics {
        let mpv = try MPVControl(program, folder: corpus.folder)
        _ = try mpv.time(["loadfile", corpus.long.path], until: "playback-restart")
        return Statistics(
            try BenchCorpus.seekPositions.map { position in
                usleep(500_000)
                return try mpv.time(["seek", "\(position)", "absolute+exact"], until: "playback-restart")
            })
    }

    // MARK: Offline mix

    private var crossfade: Measure {
        let output = corpus.folder.appendingPathComponent("crossfade.raw")
        var peers = [
            Measure.Peer(name: TableBench.ownName) {
                _ = try ChildProcess(ChildProcess.this, ["crossfade", output.path]).finish()
                return try CrossfadeBench.error(of: output) * 1e9
            }
        ]
        if let ffmpeg = ChildProcess.find("ffmpeg") {
            peers.append(
                .init(name: "ffmpeg") {
                    var arguments = ["-v", "error", "-nostdin", "-y"]
                    for pitch in CrossfadeBench.pitches {
                        let file = corpus.folder.appendingPathComponent("\(pitch).raw")
                        try CrossfadeBench.write(pitch, to: file)
                        arguments += ["-f", "f32le", "-ar", "48000", "-ac", "2", "-i", file.path]
                    }
                    let filter = "[0][1]acrossfade=d=\(CrossfadeBench.crossfade):c1=qsin:c2=qsin"
                    arguments += ["-filter_complex", filter, "-f", "f32le", output.path]
                    _ = try ChildProcess(ffmpeg, arguments).finish()
                    return try CrossfadeBench.error(of: output) * 1e9
                })
        }
        return Measure(
            title: "crossfade of two tones over 4 s, largest error", unit: "billionths of full scale",
            isLessBetter: true,
            // -85 dB.
            peers: peers, demand: .limit(56_000))
    }

    /// Two tracks with a crossfade and an overlay, resampled to 48 kHz, 16 bit. The gst-launch graph joins the tracks without
    /// a crossfade, which it cannot express, so it has less work.
    private var mix: Measure {
        let length = 2 * BenchCorpus.trackSeconds - BenchCorpus.crossfade
        let files = [corpus.first.path, corpus.second.path, corpus.overlay.path]
        var peers = [
            speed(
                TableBench.ownName, ChildProcess.this, ["mix"] + files + ["48000", "\(BenchCorpus.crossfade)"], length)
        ]
        if let launch = ChildProcess.find("gst-launch-1.0") {
            peers.append(
                speed("gst-launch audiomixer", launch, launchGraph(files), 2 * BenchCorpus.trackSeconds))
        }
        let filter = """
            %0aresample=48000[a];%1aresample=48000[b];[a][b]acrossfade=d=\(BenchCorpus.crossfade):c1=qsin:c2=qsin[x];\
            %2aresample=48000,volume=0.3[o];[x][o]amix=inputs=2:duration=first:normalize=0
            """
        if let ffmpeg = ChildProcess.find("ffmpeg") {
            let inputs = files.flatMap { ["-vn", "-i", $0] }
            let graph = (0...2).reduce(filter) { $0.replacingOccurrences(of: "%\($1)", with: "[\($1):a]") }
            let output = ["-ar", "48000", "-ac", "2", "-c:a", "pcm_s16le", "-f", "null", "-"]
            peers.append(
                speed(
                    "ffmpeg", ffmpeg, ["-v", "error", "-nostdin"] + inputs + ["-filter_complex", graph] + output, length
                ))
        }
        if let mpv = ChildProcess.find("mpv") {
            let graph = (0...2).reduce(filter + "[ao]") {
                $0.replacingOccurrences(of: "%\($1)", with: "[aid\($1 + 1)]")
            }
            peers.append(
                speed(
                    "mpv", mpv,
                    [
                        "--no-config", "--vid=no", "--really-quiet", "--ao=pcm", "--ao-pcm-file=/dev/null",
                        "--ao-pcm-waveheader=no", "--audio-samplerate=48000", "--audio-format=s16",
                        "--external-file=\(files[1])", "--external-file=\(files[2])", "--lavfi-complex=\(graph)",
                        files[0],
                    ], length))
        }
        return Measure(
            title: "offline: two tracks and an overlay", unit: "× real time", isLessBetter: false, peers: peers,
            demand: .peer("gst-launch audiomixer"))
    }

    private func launchGraph(_ files: [String]) -> [String] {
        let caps = "audio/x-raw,format=F32LE,rate=48000,channels=2"
        return """
            -q audiomixer name=m ! audioconvert ! audio/x-raw,format=S16LE,rate=48000,channels=2 ! fakesink sync=false \
            concat name=c ! audioconvert ! audioresample ! \(caps) ! queue ! m. \
            filesrc location=\(files[0]) ! decodebin ! c. filesrc location=\(files[1]) ! decodebin ! c. \
            filesrc location=\(files[2]) ! decodebin ! audioconvert ! audioresample ! \(caps) ! volume volume=0.3 ! queue ! m.
            """.split(separator: " ").map(String.init)
    }

    private func speed(_ name: String, _ program: URL, _ arguments: [String], _ seconds: Double) -> Measure.Peer {
        .init(name: name) {
            let began = BenchOutput.now
            _ = try ChildProcess(program, arguments).finish()
            return seconds / (Double(BenchOutput.now - began) / 1e9)
        }
    }

    /// Playback on a loaded machine with the default buffer.
    private var busy: Measure {
        Measure(
            title: "underruns in \(Int(busySeconds)) s at a sound server beside four busy loops", unit: "count",
            isLessBetter: true, peers: [own(["busy", "\(busySeconds)"], figure: "underruns")], demand: .limit(0),
            rounds: 1)
    }

    // MARK: Processes

    private func own(_ arguments: [String], figure: String) -> Measure.Peer {
        .init(name: TableBench.ownName) { try child(arguments, figure: figure) }
    }

    private func child(_ arguments: [String], figure: String) throws -> Double {
        guard let value = try ChildProcess(ChildProcess.this, arguments).finish().figures[figure] else {
            throw BenchError.failed("\(arguments[0]) prints no \(figure)")
        }
        return value
    }

    private func firstByte(_ program: URL, _ input: [String]) throws -> Double {
        let began = BenchOutput.now
        let arguments = ["-v", "error", "-nostdin"] + input + ["-flush_packets", "1", "-f", "s16le", "-"]
        try ChildProcess(program, arguments).waitForFirstByte()
        return Double(BenchOutput.now - began) / 1e6
    }
}
