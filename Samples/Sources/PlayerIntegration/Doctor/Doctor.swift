public import Descant
internal import Foundation

/// Checks what the player needs from the system.
public struct Doctor: Sendable {
    /// Elements that the engine is built of.
    private static let engineElements = [
        "playbin", "decodebin", "appsrc", "appsink", "audioconvert", "audioresample", "audiomixer", "volume",
        "fakesink",
        "filesink", "wavenc", "flacenc", "scaletempo",
    ]

    /// Every codec with the ways to decode it: each a list of elements that work together.
    private static let codecs: [(name: String, isUsual: Bool, ways: [[String]])] = [
        ("WAVE", true, [["wavparse"]]),
        ("FLAC", true, [["flacparse", "flacdec"]]),
        (
            "MP3", true,
            [["id3demux", "mpegaudioparse", "mpg123audiodec"], ["id3demux", "mpegaudioparse", "avdec_mp3"]]
        ),
        ("Ogg Vorbis", true, [["oggdemux", "vorbisdec"]]),
        ("Opus", true, [["oggdemux", "opusdec"], ["oggdemux", "avdec_opus"]]),
        ("AAC in M4A", false, [["qtdemux", "avdec_aac"], ["qtdemux", "faad"], ["qtdemux", "fdkaacdec"]]),
        ("ALAC in M4A", false, [["qtdemux", "avdec_alac"]]),
        ("WavPack", false, [["wavpackparse", "wavpackdec"]]),
        ("AIFF", false, [["aiffparse"]]),
        ("HTTP streams", false, [["souphttpsrc"]]),
        ("HLS streams", false, [["hlsdemux"]]),
    ]

    private let environment: AudioEnvironment

    /// Creates a doctor.
    ///
    /// - Parameter environment: The library's environment.
    public init(environment: AudioEnvironment) { self.environment = environment }

    /// Looks at everything. Touches the sound server, plays nothing.
    public func examine() async -> DoctorReport {
        var findings = gstreamer()
        // Without GStreamer nothing else about it can be known.
        if findings.allSatisfy({ $0.name != "library" || $0.status == .ok }) { findings += codecs() }
        findings.append(await soundServer())
        if let session = await audioSession() { findings.append(session) }
        findings.append(await sessionBus())
        findings += plugins()
        findings.append(pluginHost())
        findings.append(libraryProgram())
        return DoctorReport(findings: findings)
    }

    private func gstreamer() -> [DoctorFinding] {
        let area = "GStreamer"
        do {
            let library = DoctorFinding(
                area: area, name: "library", status: .ok, detail: try GStreamerInventory.version())
            return try [library]
                + Self.engineElements.map { element in
                    guard try !GStreamerInventory.hasElement(element) else {
                        return DoctorFinding(area: area, name: element, status: .ok)
                    }
                    return DoctorFinding(
                        area: area, name: element, status: .missing, detail: "not installed",
                        remedy: Self.install(GStreamerInventory.package(for: element)))
                }
        } catch {
            return [
                DoctorFinding(
                    area: area, name: "library", status: .missing, detail: "\(error)",
                    remedy: Self.install("libgstreamer1.0-0 gstreamer1.0-plugins-base gstreamer1.0-plugins-good"))
            ]
        }
    }

    private func codecs() -> [DoctorFinding] {
        Self.codecs.map { codec in
            let missing = codec.ways.map { way in way.filter { (try? GStreamerInventory.hasElement($0)) != true } }
            if let way = missing.firstIndex(where: \.isEmpty) {
                let elements = codec.ways[way].joined(separator: ", ")
                return DoctorFinding(area: "codecs", name: codec.name, status: .ok, detail: elements)
            }
            let least = missing.min { $0.count < $1.count } ?? []
            let packages = Set(least.map(GStreamerInventory.package(for:))).sorted().joined(separator: " ")
            return DoctorFinding(
                area: "codecs", name: codec.name, status: codec.isUsual ? .missing : .optional,
                detail: "missing: \(least.joined(separator: ", "))", remedy: Self.install(packages))
        }
    }

    private func soundServer() async -> DoctorFinding {
        let area = "sound server"
        let name = "PulseAudio or PipeWire"
        // A sound card alone is played to with `--output alsa`.
        let status = Self.hasSoundCard ? DoctorFinding.Status.optional : .missing
        guard (try? GStreamerInventory.hasElement("pulsesink")) == true else {
            return DoctorFinding(
                area: area, name: name, status: status,
                detail: "its devices cannot be listed: GStreamer's plugin for PulseAudio is not installed",
                remedy: Self.install("gstreamer1.0-pulseaudio"))
        }
        // A missing device is a finding of its own.
        if case .noAnswer(let reason)? = await OutputChoice.soundServerProblem(in: environment) {
            return DoctorFinding(
                area: area, name: name, status: status, detail: reason, remedy: Self.soundServerRemedy)
        }
        return DoctorFinding(area: area, name: name, status: .ok, detail: "answers")
    }

    /// Whether ALSA has a sound card.
    private static var hasSoundCard: Bool {
        let cards = (try? String(contentsOfFile: "/proc/asound/cards", encoding: .utf8)) ?? ""
        return cards.split(separator: "\n").contains { $0.trimmingCharacters(in: .whitespaces).first?.isNumber == true }
    }

    /// The command that starts the installed sound server, or installs one.
    private static var soundServerRemedy: String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        func has(_ program: String) -> Bool {
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
        if has("pipewire-pulse") { return "systemctl --user start pipewire pipewire-pulse wireplumber" }
        if has("pulseaudio") { return "pulseaudio --start" }
        return install("pipewire-pulse wireplumber") + "    # then log in again"
    }

    /// What a player would find: where sound goes, and who else plays. Nothing without a server, of which there is a finding.
    private func audioSession() async -> DoctorFinding? {
        let session = PulseAudioSession()
        guard (try? await session.activate(AudioSessionConfiguration())) != nil else { return nil }
        let situation = await session.situation
        await session.deactivate()
        let sinks = situation.route.outputs.map(\.identifier)
        guard SoundServerProblem.hasDevice(among: sinks) else {
            return DoctorFinding(
                area: "sound server", name: "audio session", status: .missing,
                detail: "the server has no device to play to",
                remedy: "pactl list short sinks    # lists devices; is the sound card's driver loaded?")
        }
        let others = Set(situation.foreignStreams.map { $0.application.isEmpty ? "unnamed" : $0.application })
        let company = others.isEmpty ? "nobody else plays" : "also playing: \(others.sorted().joined(separator: ", "))"
        return DoctorFinding(
            area: "sound server", name: "audio session", status: .ok,
            detail: "to \(sinks.joined(separator: ", ")); \(company)")
    }

    /// Where media keys come from.
    private func sessionBus() async -> DoctorFinding {
        let remedy = "dbus-run-session -- descant play …    # if that is missing: sudo apt-get install dbus"
        guard let address = SessionBus.address else { return bus(.optional, "no session bus", remedy) }
        if let problem = await SessionBus.problem(at: address) { return bus(.optional, problem, remedy) }
        return bus(.ok, "answers at \(address): media keys and playerctl reach the player", nil)
    }

    private func bus(_ status: DoctorFinding.Status, _ detail: String, _ remedy: String?) -> DoctorFinding {
        let consequence = status == .ok ? "" : ": media keys and playerctl will not reach the player"
        return DoctorFinding(
            area: "session bus", name: "D-Bus", status: status, detail: detail + consequence, remedy: remedy)
    }

    private func plugins() -> [DoctorFinding] {
        environment.plugins.verify()
        let report = PluginReport(environment.plugins)
        guard !report.available.isEmpty || !report.unavailable.isEmpty else {
            return [
                DoctorFinding(
                    area: "plugins", name: "bundles", status: .optional,
                    detail: "none found; GStreamer decodes everything", remedy: PluginReport.remedy)
            ]
        }
        return report.available.map {
            DoctorFinding(
                area: "plugins", name: $0.identifier, status: .ok,
                detail: "\($0.version), \($0.provides.joined(separator: ", "))")
        }
            + report.unavailable.map {
                DoctorFinding(area: "plugins", name: $0.identifier ?? $0.path, status: .optional, detail: $0.reason)
            }
    }

    /// The program that runs bundles apart, such as `EspeakSpeech`, and decoders with `--isolate`.
    private func pluginHost() -> DoctorFinding {
        let (area, name) = ("plugins", "descant-plugin-host")
        do {
            return DoctorFinding(area: area, name: name, status: .ok, detail: try PluginHelper.find())
        } catch {
            return DoctorFinding(
                area: area, name: name, status: .optional, detail: "\(error)",
                remedy: Self.reinstall("libexec/descant/descant-plugin-host"))
        }
    }

    /// The program behind the media library of the players.
    private func libraryProgram() -> DoctorFinding {
        let (area, name) = ("media library", "descant-library")
        guard let program = SiblingProgram.find("library") else {
            return DoctorFinding(
                area: area, name: name, status: .optional, detail: "not found: the players show no media library",
                remedy: Self.reinstall("bin/descant-library"))
        }
        return DoctorFinding(area: area, name: name, status: .ok, detail: program.path)
    }

    /// What brings back a file of an installed tree.
    ///
    /// - Parameter file: Its path below the tree's folder.
    private static func reinstall(_ file: String) -> String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        if folder.path == "/usr/bin" { return "sudo apt-get install --reinstall descant" }
        let tree = folder.deletingLastPathComponent().path
        return "install -D TREE/\(file) \(tree)/\(file)    # TREE is where you have Descant from: build/ of its sources"
    }

    private static func install(_ packages: String) -> String { "sudo apt-get install \(packages)" }
}

/// Everything that the doctor found.
public struct DoctorReport: Sendable, Codable {
    /// The findings, by area.
    public var findings: [DoctorFinding]

    /// Whether nothing is missing that the player needs.
    public var isHealthy: Bool { !findings.contains { $0.status == .missing } }

    /// The commands that make it good, each once, those that are needed first.
    public var remedies: [String] {
        var remedies: [String] = []
        for status in [DoctorFinding.Status.missing, .optional] {
            for finding in findings where finding.status == status {
                if let remedy = finding.remedy, !remedies.contains(remedy) { remedies.append(remedy) }
            }
        }
        return remedies
    }

    /// Creates a report.
    ///
    /// - Parameter findings: The findings, by area.
    public init(findings: [DoctorFinding]) { self.findings = findings }

    private enum CodingKeys: String, CodingKey { case findings, isHealthy, remedies }

    /// Reads a report; what follows from the findings is computed anew.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        findings = try decoder.container(keyedBy: CodingKeys.self).decode([DoctorFinding].self, forKey: .findings)
    }

    /// Writes the findings and what follows from them.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isHealthy, forKey: .isHealthy)
        try container.encode(findings, forKey: .findings)
        try container.encode(remedies, forKey: .remedies)
    }
}

/// One thing that the doctor looked at.
public struct DoctorFinding: Sendable, Codable, Equatable {
    /// The effect on the player.
    public enum Status: String, Sendable, Codable {
        /// It is there.
        case ok
        /// It is not there, and the player works without it.
        case optional
        /// It is not there, and the player needs it.
        case missing
    }

    /// The part of the system: `GStreamer`, `codecs`, `sound server`, …
    public var area: String
    /// The subject of the check.
    public var name: String
    /// The finding.
    public var status: Status
    /// Version, place or reason.
    public var detail: String
    /// The command that makes it good; absent when nothing is to be done.
    public var remedy: String?

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - area: The part of the system.
    ///   - name: What was looked for.
    ///   - status: What was found.
    ///   - detail: Version, place or reason.
    ///   - remedy: The command that makes it good.
    public init(area: String, name: String, status: Status, detail: String = "", remedy: String? = nil) {
        self.area = area
        self.name = name
        self.status = status
        self.detail = detail
        self.remedy = remedy
    }
}
