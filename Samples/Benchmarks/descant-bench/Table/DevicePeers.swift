internal import Descant
internal import DescantTestSupport
internal import Foundation

/// What is heard, and spent, in real time: commands on a sound server, processor time and wake-ups with and without a device.
struct DevicePeers {
    let corpus: BenchCorpus

    /// How long a load is measured, in seconds.
    private static let seconds = 5.0
    private static let launch = "gst-launch playbin"
    private static let commands = ["pause", "resume", "volume", "seek", "next", "start"]

    var measures: [Measure] {
        let hasCard = ProcessInfo.processInfo.environment["DESCANT_SIMULATED_CARD"] != nil
        let devices: [(TransportBench.Device, String, Double)] = [
            (.pulse, "PulseAudio's null sink", 25), (.pulseCard, "a card of PulseAudio", 25),
            (.pipewireCard, "a card of PipeWire", 35), (.alsaCard, "a card without a server", 25),
        ]
        var players = [(TableBench.ownName, "own"), ("playbin", "playbin")]
        if ChildProcess.find("mpv") != nil { players.append(("mpv", "mpv")) }
        return devices.filter { hasCard || !$0.0.isCard }.flatMap { device, name, limit in
            let files = [corpus.tones.path, corpus.otherTone.path]
            let players = players.map { player, kind in
                (player, ChildRuns(ChildProcess.this, ["transport", kind, device.rawValue] + files))
            }
            return Self.commands.map { transport($0, on: name, limit: limit, players) }
        } + [false, true].flatMap { [cpu(on: $0), wakeUps(on: $0), mixCPU(on: $0)] }
    }

    private func transport(
        _ command: String, on device: String, limit: Double, _ players: [(String, ChildRuns)]
    ) -> Measure {
        Measure(
            title: "\(command), call to audible change on \(device)", unit: "ms", isLessBetter: true,
            peers: players.map { name, runs in
                .init(name: name) { try await runs.next("\(command)_ms") }
            }, demand: .limit(limit), knownMiss: Self.knownMiss(of: command, limit: limit))
    }

    /// The demand for PipeWire is the one of 35 ms.
    private static func knownMiss(of command: String, limit: Double) -> Measure.KnownMiss? {
        if limit > 25 {
            let fades = ["pause", "resume", "seek"].contains(command)
            return .init(
                limit: fades ? 46 : 39,
                reason: "PipeWire's device has taken two steps of 10.7 ms when it tells its position"
                    + (fades ? ", and the sound fades" : ""))
        }
        guard command == "pause" else { return nil }
        return .init(
            limit: 29,
            reason: "15 ms are left for the server and for a thread that is late, and the sound fades out over 10 ms")
    }

    private func cpu(on server: Bool) -> Measure {
        // A share of a core says as much about the machine as about the player.
        load(
            "processor time", unit: "% of a core", on: server, demand: .times(server ? 1 : 1.15, Self.launch)
        ) { begin, end in
            Double(end.cpuNanoseconds - begin.cpuNanoseconds) / Double(end.time - begin.time) * 100
        }
    }

    /// The same with an overlay, which the other players do not have.
    private func mixCPU(on server: Bool) -> Measure {
        let (track, overlay) = (corpus.long.path, corpus.overlay.path)
        return Measure(
            title:
                "a FLAC track and an overlay in real time \(server ? "on a sound server" : "without a device"): processor time",
            unit: "% of a core", isLessBetter: true,
            peers: [
                .init(name: TableBench.ownName) {
                    let start: Start = { address in
                        try ChildProcess(
                            ChildProcess.this, ["rt", server ? "pulse" : "null", "60", track, overlay],
                            environment: address.map { ["PULSE_SERVER": $0] } ?? [:])
                    }
                    return try await measured(on: server, start) { begin, end in
                        Double(end.cpuNanoseconds - begin.cpuNanoseconds) / Double(end.time - begin.time) * 100
                    }
                }
            ], demand: .limit(2))
    }

    private func wakeUps(on server: Bool) -> Measure {
        load("wake-ups", unit: "per second", on: server, demand: .limit(server ? 50 : 25)) { begin, end in
            Double(end.wakeUps - begin.wakeUps) / Double(end.time - begin.time) * 1e9
        }
    }

    private func load(
        _ what: String, unit: String, on server: Bool, demand: Measure.Demand,
        figure: @escaping @Sendable (ProcessLoad, ProcessLoad) -> Double
    ) -> Measure {
        Measure(
            title: "one FLAC track in real time \(server ? "on a sound server" : "without a device"): \(what)",
            unit: unit,
            isLessBetter: true,
            peers: players(on: server).map { name, start in
                .init(name: name) { try await measured(on: server, start, figure) }
            },
            demand: demand, isParallel: true)
    }

    /// Starts a player, on the sound server with this address if there is one.
    private typealias Start = @Sendable (String?) throws -> ChildProcess

    private func measured(
        on server: Bool, _ start: Start, _ figure: (ProcessLoad, ProcessLoad) -> Double
    ) async throws -> Double {
        let pulse = server ? try PrivatePulseServer() : nil
        let child = try start(pulse?.address)
        defer { child.end() }
        // The start, and the growth of the queue after it, are not measured here.
        try await Task.sleep(for: .milliseconds(2_500))
        let begin = child.load
        try await Task.sleep(for: .seconds(Self.seconds))
        guard child.process.isRunning else { throw BenchError.failed("it ended early") }
        return figure(begin, child.load)
    }

    private func players(on server: Bool) -> [(String, Start)] {
        let file = corpus.long
        func player(_ name: String, _ program: URL, _ arguments: [String]) -> (String, Start) {
            (name, { try ChildProcess(program, arguments, environment: $0.map { ["PULSE_SERVER": $0] } ?? [:]) })
        }
        var players = [
            player(TableBench.ownName, ChildProcess.this, ["rt", server ? "pulse" : "null", "60", file.path])
        ]
        if let launch = ChildProcess.find("gst-launch-1.0") {
            let sink = server ? "audio-sink=pulsesink" : "audio-sink=fakesink sync=true"
            let arguments = ["-q", "playbin", "uri=\(file.absoluteString)", "flags=audio+soft-volume", sink]
            players.append(player(Self.launch, launch, arguments))
        }
        if let mpv = ChildProcess.find("mpv") {
            let output = server ? "--ao=pulse" : "--ao=null"
            players.append(player("mpv", mpv, ["--no-config", "--vid=no", "--really-quiet", output, file.path]))
        }
        if let mpd = ChildProcess.find("mpd") {
            let folder = corpus.folder
            players.append(("MPD", { try MPDPeer.play(file, with: mpd, in: folder, on: $0) }))
        }
        return players
    }
}
