public import Descant
public import Foundation
public import PlayerApp

/// The inputs and options of live playback.
public struct PlayRequest: Sendable {
    /// The tracks, in order.
    public var entries: [PlaylistEntry]
    /// Where sound goes; a destination that plays in real time.
    public var output: OutputDestination
    /// How the playlist sounds.
    public var options: PlayOptions
    /// Where the first track begins, in seconds.
    public var start: TimeInterval
    /// The track to begin with; `nil` for the first, or a drawn one while the order is shuffled.
    public var startIndex: Int?
    /// Where the queue and the place in it are kept; `nil` for nowhere.
    public var store: PlayerStateStore?
    /// Whether the desktop's media controls reach the player.
    public var isRemoteControlled: Bool
    /// Whether a view shows position and levels as they change. Without one the position is told twice a second, as often as it is kept.
    public var isWatched = true
    /// Whether the view shows levels, which are told 60 times a second.
    public var showsLevels = true
    /// The base name of the app's `.desktop` file; `nil` for a player without one.
    public var desktopEntry: String?
    /// Brings the app's window to the front; `nil` without a window.
    public var raise: (@Sendable () async -> Void)?
    /// Opens a book that a remote control wants to hear; `nil` for an app that reads no books.
    public var openBook: (@Sendable (URL) async -> Void)?

    /// What to say when a command is for an overlay and there is none.
    var missingOverlay: String {
        desktopEntry == nil ? "there is no overlay; start with --overlay FILE" : "there is no overlay; choose one first"
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - entries: The tracks, in order.
    ///   - output: Where sound goes.
    ///   - options: How the playlist sounds.
    ///   - start: Where the first track begins, in seconds.
    ///   - isRemoteControlled: Whether the desktop's media controls reach the player.
    public init(
        entries: [PlaylistEntry], output: OutputDestination, options: PlayOptions, start: TimeInterval = 0,
        isRemoteControlled: Bool = true
    ) {
        self.entries = entries
        self.output = output
        self.options = options
        self.start = start
        self.isRemoteControlled = isRemoteControlled
    }
}

/// How a playlist sounds, live or into a file.
public struct PlayOptions: Sendable {
    /// Crossfades, repeats, volume.
    public var configuration: PlayerConfiguration
    /// The seed of a shuffled order; `nil` for the playlist's own.
    public var shuffleSeed: UInt64?
    /// The order that a shuffled playlist goes on in, with each of its indices once; `nil` to have one drawn.
    public var shuffledOrder: [Int]?
    /// Speed, pitch kept, 0.5…3.
    public var rate = 1.0
    /// How loudness tags are used.
    public var replayGain = ReplayGainSettings()
    /// The equaliser of the mix.
    public var equalizer = EqualizerSettings()
    /// The effects on the mix, behind the equaliser.
    public var inserts: [EffectInsert] = []
    /// Sounds over the tracks; the first one is the one that timeline commands act on.
    public var overlays: [OverlayRequest] = []
    /// The ducking of the tracks by overlays and effects; `nil` for none.
    public var ducking: Ducking?
    /// Whether the overlays count as music: then only effects duck, and they duck tracks and overlays.
    public var overlaysAreMusic = false
    /// The sources of URLs that no engine opens, such as texts to be spoken; `nil` for none.
    public var trackSources: (any TrackSourceProvider)?
    /// The timed commands.
    public var steps: [TimelineStep] = []

    /// Creates options.
    ///
    /// - Parameter configuration: Crossfades, repeats, volume.
    public init(configuration: PlayerConfiguration = PlayerConfiguration(crossfadeDuration: 0)) {
        self.configuration = configuration
    }

    /// Whether the tracks repeat without end, and no timed command stops them.
    public var isEndless: Bool {
        configuration.repeatMode != .off && configuration.repeatCount == nil
            && !steps.contains { $0.command == .stop }
    }

    /// How the playlist is played, in the app's terms.
    public var modes: PlaybackModes {
        PlaybackModes(
            repeats: RepeatSetting(configuration.repeatMode), isShuffled: shuffleSeed != nil, rate: rate,
            crossfade: configuration.crossfadeDuration, loudness: LoudnessSetting(replayGain.mode),
            equalizer: equalizer,
            gaplessAlbums: configuration.gaplessAlbums)
    }

    /// Every file that sounds beside the tracks.
    var filesBeside: [URL] {
        overlays.map(\.url)
            + steps.compactMap { step in
                switch step.command {
                case .replace(let url), .overlayReplace(let url), .effect(let url): url
                default: nil
                }
            }
    }
}

/// A sound to lie over the tracks.
public struct OverlayRequest: Sendable, Hashable {
    /// Where the sound is.
    public var url: URL
    /// Its volume, 0…1.
    public var volume: Double
    /// How many times it is played; `nil` for as long as the main layer.
    public var passes: Int?
    /// Silence between passes, in seconds.
    public var delay: TimeInterval
    /// Fade at its beginning and its natural end, in seconds; 0 for none.
    public var fade: TimeInterval

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - volume: Its volume, 0…1.
    ///   - passes: How many times it is played; `nil` for as long as the main layer.
    ///   - delay: Silence between passes, in seconds.
    ///   - fade: Fade at its beginning and its natural end, in seconds; 0 for none.
    public init(
        url: URL, volume: Double = 1, passes: Int? = 1, delay: TimeInterval = 0, fade: TimeInterval = 0
    ) {
        self.url = url
        self.volume = volume
        self.passes = passes
        self.delay = delay
        self.fade = fade
    }

    /// The configuration for the player.
    var configuration: OverlayConfiguration {
        // The fade after a stop by the user is short.
        OverlayConfiguration(
            volume: Float(volume), loopMode: passes.map { .count($0) } ?? .infinite, loopDelay: delay,
            fadeInDuration: fade, fadeOutDuration: min(fade, 0.3), fadesEnds: fade > 0)
    }
}

/// The destination of the sound: `auto`, `pulse`, `alsa`, `alsa:DEVICE`, `snapcast:HOST`, `null` or a file.
public enum OutputChoice: Sendable, Hashable {
    /// The sound server, if there is one.
    case auto
    /// The sound server.
    case pulse
    /// ALSA without a sound server, on a device such as `hw:0`; `nil` is ALSA's default.
    case alsa(device: String?)
    /// A Snapcast server, which plays in several rooms: `HOST:PORT` of its TCP source.
    case snapcast(String)
    /// Silence, in real time.
    case null
    /// A WAVE or FLAC file.
    case file(URL)

    /// Parses an argument.
    ///
    /// - Parameter argument: `auto`, `pulse`, `alsa`, `alsa:DEVICE`, `snapcast:HOST`, `snapcast:HOST:PORT`, `null`, or a path that ends
    ///   in .wav or .flac; anything else returns `nil`.
    public init?(argument: String) {
        switch argument {
        case "auto": self = .auto
        case "pulse": self = .pulse
        case "null": self = .null
        case "alsa": self = .alsa(device: nil)
        case let device where device.hasPrefix("alsa:"): self = .alsa(device: String(device.dropFirst(5)))
        case let server where server.hasPrefix("snapcast:"):
            guard let receiver = Self.receiver(server.dropFirst(9)) else { return nil }
            self = .snapcast(receiver)
        default:
            let url = InputExpander.url(for: argument)
            guard ["wav", "wave", "flac"].contains(url.pathExtension.lowercased()) else { return nil }
            self = .file(url)
        }
    }

    /// `HOST:PORT` of a Snapcast server's TCP source, whose usual port is 4953.
    private static func receiver(_ text: Substring) -> String? {
        guard var parts = URLComponents(string: "tcp://\(text)"), parts.host?.isEmpty == false,
            (1...65_535).contains(parts.port ?? 4_953), parts.user == nil, parts.path.isEmpty, parts.query == nil,
            parts.fragment == nil
        else { return nil }
        parts.port = parts.port ?? 4_953
        return parts.string.map { String($0.dropFirst("tcp://".count)) }
    }

    /// Where a player plays that writes no file; `nil` for a file. `auto` is the sound server.
    ///
    /// - Parameter environment: Which bundles there are; the Snapcast server is reached by the bundle `PCMStreamOutput`.
    public func destination(in environment: AudioEnvironment) -> OutputDestination? {
        switch self {
        case .auto, .pulse: .pulse()
        case .alsa(let device): .alsa(device: device)
        case .snapcast(let receiver):
            environment.output(
                "pcm-stream", address: "tcp://\(receiver)?format=s16", bits: 16, name: "the Snapcast server")
        case .null: .null
        case .file: nil
        }
    }

    /// What the listener should do when the output cannot be opened; `nil` where the error says it.
    ///
    /// - Parameter environment: Which bundles there are.
    public func remedy(in environment: AudioEnvironment) -> String? {
        guard case .snapcast(let receiver) = self else { return nil }
        guard environment.plugins.providers(of: .output).contains(where: { $0.provision.identifier == "pcm-stream" })
        else { return "Snapcast servers are reached by the bundle PCMStreamOutput, which is not installed" }
        let port = receiver.split(separator: ":").last ?? "4953"
        return "snapserver.conf needs the line: "
            + "source = tcp://0.0.0.0:\(port)?name=Descant&mode=server&sampleformat=48000:16:2"
    }

    /// Whether a sound server answers and has a device, and if not, why.
    ///
    /// - Parameter environment: The library's environment.
    /// - Returns: `nil` when sound can be heard there.
    public static func soundServerProblem(in environment: AudioEnvironment) async -> SoundServerProblem? {
        do {
            let engine = try environment.makeEngine(output: .pulse())
            defer { Task { await engine.shutdown() } }
            let devices = try await engine.outputDevices()
            return SoundServerProblem.hasDevice(among: devices.map(\.identifier)) ? nil : .noDevice
        } catch let error as CoreError {
            return .noAnswer(error.message)
        } catch {
            return .noAnswer("\(error)")
        }
    }
}

/// Why nothing would be heard from a sound server.
public enum SoundServerProblem: Sendable, Hashable, CustomStringConvertible {
    /// It does not answer, or its devices cannot be listed: the reason and the remedy.
    case noAnswer(String)
    /// It has no device.
    case noDevice

    /// The silent sink that PulseAudio and PipeWire have while there is no device.
    private static let placeholder = "auto_null"

    /// Whether sinks of a server, by their names, include a device that can be heard.
    static func hasDevice(among sinks: some Sequence<String>) -> Bool { sinks.contains { $0 != placeholder } }

    /// The problem, for a person.
    public var description: String {
        switch self {
        case .noAnswer(let reason): "there is no sound server to play to: \(reason)"
        case .noDevice: "the sound server has no device to play to"
        }
    }
}
