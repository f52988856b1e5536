public import DescantCore
internal import DescantDesktop
public import DescantGStreamer
public import DescantPlayback
internal import DescantTagLib
public import Foundation
internal import Synchronization

extension AudioEnvironment {
    /// The audio session for what plays to an output: that of the sound server it goes to.
    ///
    /// Everything that plays to one server shares one session. A session that the host gave serves all.
    ///
    /// - Parameter output: Where something plays.
    /// - Returns: The session; `nil` for an output that goes to no sound server.
    public func session(for output: OutputDestination) -> AudioSessionCoordinator? {
        guard case .pulse(_, _, let server) = output else { return nil }
        guard let server, !isSessionGiven else { return session }
        return otherSessions.withLock { sessions in
            if let present = sessions[server] { return present }
            let new = Self.makeSession(server: server, policy: sessionPolicy, clock: clock, logger: logger)
            sessions[server] = new
            return new
        }
    }

    static func makeSession(
        server: String?, policy: AudioSessionPolicy, clock: any ClockPort, logger: any LoggerPort
    ) -> AudioSessionCoordinator {
        AudioSessionCoordinator(
            port: PulseAudioSession(server: server, clock: clock),
            others: SessionBus.address.map { MPRISOtherPlayers(busAddress: $0, logger: logger) }, policy: policy,
            clock: clock, logger: logger)
    }
}

extension AudioEnvironment {
    /// Makes a controller over the built-in engine, `gstreamer`, and the engines and synthesizers of every installed bundle; a
    /// synthesizer is an engine under its own name.
    ///
    /// No engine is made before the controller's `launch()` or first play, and no bundle loaded before its engine is selected.
    ///
    /// - Parameters:
    ///   - output: Where engines play that make sound here: through one mixer, or, for a ``DeviceEngine``, through a stream of its own
    ///     to the same device. Files and callbacks are for the mixer only.
    ///   - session: The audio session to play in; `nil` for that of the output, see ``session(for:)``.
    ///   - selection: Where the selected engine is kept.
    ///   - policy: When engines are made.
    ///   - preferred: Identifiers of the engines that come first, in this order.
    ///   - configuration: How synthesizers speak.
    ///   - gate: Why the host does not let an engine be used; `nil` when it may.
    public func makeController(
        output: OutputDestination = .pulse(), session: AudioSessionCoordinator? = nil,
        selection: any EngineSelection = MemoryEngineSelection(),
        policy: EngineInitializationPolicy = .selectedAtLaunch, preferred: [String] = [],
        speech configuration: SpeechConfiguration = SpeechConfiguration(),
        gate: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> MediaPlaybackController {
        let shared = SharedMixer { try self.makeEngine(output: output) }
        let speech: RegistryEngines.SpeechMaker = { [clock, logger] name, synthesizer, mixer in
            SpeechEngine(
                identifier: name, synthesizer: synthesizer, mixer: mixer,
                settings: configuration.engines[name] ?? configuration.settings, clock: clock, logger: logger,
                cacheLimit: configuration.cacheLimit, synthesisLimit: configuration.synthesisLimit)
        }
        let catalog = RegistryEngines(
            plugins, mixerName: "gstreamer", preferred: preferred, speech: speech, gate: gate,
            output: { try output.device(for: $0) }
        ) { try shared.mixer }
        return MediaPlaybackController(
            catalog: catalog, session: session ?? self.session(for: output), selection: selection, policy: policy,
            clock: clock, logger: logger)
    }
}

extension AudioEnvironment {
    /// Makes an engine that speaks, with a synthesizer of an installed bundle. Loads the bundle.
    ///
    /// The engine takes no part in the audio session by itself: ``AudioPlayerService/include(_:)`` makes it a part of a player, and the
    /// engines of ``makeController(output:session:selection:policy:preferred:speech:gate:)`` have the controller's session.
    ///
    /// - Parameters:
    ///   - identifier: The synthesizer; `nil` for the first one that is installed.
    ///   - mixer: Where it sounds, among other things; `nil` for a mixer of its own.
    ///   - output: Where a mixer of its own plays.
    ///   - settings: The voice, its rate, pitch and pauses.
    /// - Throws: `CoreError.unsupported` when no synthesizer is installed, `PluginError` when this one cannot be loaded, or what
    ///   ``makeEngine(output:format:blockDuration:idleRelease:role:)`` throws.
    public func makeSpeech(
        _ identifier: String? = nil, on mixer: (any MixingEngine)? = nil, output: OutputDestination = .pulse(),
        settings: SpeechSettings = SpeechSettings()
    ) async throws -> SpeechEngine {
        guard let identifier = identifier ?? plugins.providers(of: .speech).first?.provision.identifier else {
            throw CoreError.unsupported(
                "no bundle with a synthesizer is installed, such as EspeakSpeech or FliteSpeech")
        }
        // Loading a bundle takes time, and keeps none of the threads that tasks share.
        let synthesizer = try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("descant.speech.making") { [plugins] in
                continuation.resume(with: Result { try plugins.makeSpeechSynthesizer(identifier) })
            }
        }
        return SpeechEngine(
            identifier: identifier, synthesizer: synthesizer,
            mixer: try mixer ?? makeEngine(output: output, role: .speech),
            settings: settings, clock: clock, logger: logger)
    }
}

extension AudioEnvironment {
    /// An output of an installed bundle, as a destination of a mix. Nothing is loaded before the mix needs it; what is missing then is
    /// the error of the start.
    ///
    /// - Parameters:
    ///   - identifier: The output, as its manifest names it.
    ///   - address: The receiver, for an ``AddressedOutput``; `nil` for the one of the output's own settings.
    ///   - bits: 16 or 24 for a receiver with so many bits a sample, see ``OutputDestination/port(name:bits:make:)``.
    ///   - name: What errors call it; `nil` for the identifier and the address.
    public func output(
        _ identifier: String, address: String? = nil, bits: Int? = nil, name: String? = nil
    ) -> OutputDestination {
        let called = name ?? "the output \(identifier)\(address.map { " to \($0)" } ?? "")"
        return .port(name: called, bits: bits) { [plugins] in
            let output = try plugins.makeOutput(identifier)
            guard let address else { return output }
            guard let addressed = output as? any AddressedOutput else {
                throw CoreError.unsupported("it takes no address; leave \(address) out")
            }
            try addressed.setAddress(address)
            return output
        }
    }
}

extension OutputDestination {
    /// The sound device for an engine that opens one itself.
    ///
    /// - Parameter engine: What errors call the engine.
    /// - Throws: `CoreError.unsupported` for a file or a callback, which only the mixer writes to.
    fileprivate func device(for engine: String) throws -> EngineOutput {
        switch self {
        case .pulse(let device, let latency, let server): .pulse(device: device, latency: latency, server: server)
        case .alsa(let device, _, _): .alsa(device: device)
        case .null: .null
        case .discard, .wav, .flac, .raw, .callback, .port:
            throw CoreError.unsupported(
                "\(engine) plays to sound devices only; for files, blocks and outputs of bundles, select the engine gstreamer"
            )
        }
    }
}

/// One mixer for all engines of a controller, made when the first of them needs it.
private final class SharedMixer: Sendable {
    private let made = Mutex<(any MixingEngine)?>(nil)
    private let make: @Sendable () throws -> any MixingEngine

    init(_ make: @escaping @Sendable () throws -> any MixingEngine) { self.make = make }

    var mixer: any MixingEngine {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let new = try make()
                made = new
                return new
            }
        }
    }
}

extension AudioEnvironment {
    /// Makes a decoder for everything that can be played here: the decoders of installed bundles, by content, and
    /// ``GStreamerDecoder`` after them.
    ///
    /// - Parameter gate: Why the host does not let a file be played, for a person; `nil` when it may be. See
    ///   ``RegistryDecoder/init(_:fallback:gate:)``.
    public func makeDecoder(
        gate: @escaping @Sendable (ProbeInput) -> String? = { _ in nil }
    ) -> RegistryDecoder {
        // When everything is isolated, the registry has GStreamer's decoder in helper processes.
        let network: @Sendable () -> NetworkAccess = { [networkAccess] in networkAccess.withLock { $0 } }
        let gstreamer = isolatedTags == nil ? GStreamerDecoder(network: network, logger: logger) : nil
        return RegistryDecoder(plugins, fallback: gstreamer, gate: gate)
    }

    /// Makes a service that plays one file. With an output to a sound server it is in the session of everything that plays there, and
    /// pauses for calls and unplugged headphones.
    ///
    /// Nothing is acquired before its first load. Its calls may block; ``AsyncPlaybackService`` makes them for callers that must not
    /// wait.
    ///
    /// - Parameters:
    ///   - output: Where it plays.
    ///   - decoder: Opens and decodes files; `nil` for that of ``makeDecoder(gate:)``.
    ///   - fileAccess: Is asked to open every file before the decoder is; `nil` allows everything.
    public func makePlaybackService(
        output: OutputDestination = .pulse(), decoder: (any DecoderPort)? = nil,
        fileAccess: (any FileAccessPort)? = nil
    ) -> DefaultPlaybackService {
        DefaultPlaybackService(
            audio: GStreamerOutput(destination: output), decoder: decoder ?? makeDecoder(), clock: clock,
            logger: logger,
            fileAccess: fileAccess, session: session(for: output))
    }
}

extension AudioEnvironment {
    /// Loads a document of a web server, such as a playlist, with the headers and passwords of ``network``. Redirections are followed.
    ///
    /// - Parameters:
    ///   - url: An `http:` or `https:` address.
    ///   - limit: The maximum size in bytes.
    ///   - timeLimit: The time limit in seconds, all redirections included; clamped to 0…86,400.
    ///   - reads: Whether a document of a media type is read; asked on any thread, before its first byte. A station's endless sound, for
    ///     instance, is not.
    /// - Returns: The document, without bytes when it is not read.
    /// - Throws: `CoreError` naming the address: `.unsupported` for other addresses, for a document that is too large, and when
    ///   everything is isolated; `.notFound`; `.ioError`. `CancellationError`.
    public func webDocument(
        at url: URL, limit: Int, timeLimit: Double = 7,
        reads: @escaping @Sendable (_ contentType: String?) -> Bool = { _ in true }
    ) async throws -> WebDocument {
        guard isolatedTags == nil else {
            throw CoreError.unsupported(
                "\(AudioSource.url(url).name): network addresses are not opened when everything is isolated")
        }
        return try await WebDocumentLoader(access: network, limit: limit, reads: reads).load(url, within: timeLimit)
    }
}

extension AudioEnvironment {
    /// Makes the desktop's media controls for a player: media keys, the player panel, `playerctl`. Nothing is visible before a player
    /// is connected, and nothing ever is without a session bus.
    ///
    /// - Parameter identity: How the program presents itself.
    public func makeRemoteControl(_ identity: RemoteIdentity) -> any RemoteControlPort {
        MPRISRemote(identity: identity, logger: logger)
    }
}

extension AudioEnvironment {
    /// Makes a reader of tags: those of installed bundles for the files that they declare, and TagLib for the rest. Several threads may
    /// call it at once.
    ///
    /// Readers are chosen as decoders are; TagLib comes before bundles with an equal score and priority. When a bundle's reader fails,
    /// TagLib is asked; the error is the bundle's when both fail.
    public func makeTagReader() -> any TagReaderPort & Sendable {
        RegistryTagReader(plugins, builtIn: isolatedTags ?? TagLibReader(), identifier: TagLibReader.identifier)
    }

    /// Makes a writer of tags that changes nothing but what it is asked for. Several threads may call it at once.
    public func makeTagWriter() -> any TagEditorPort & Sendable { TagLibWriter() }

    /// Makes the service by which apps read tags, one file or whole folders. In folders it finds the formats of installed decoders, too.
    public func makeTagReaderService() -> any TagReaderService & Sendable {
        DefaultTagReaderService(tagReaderPort: makeTagReader()) { [plugins] in
            let declared = plugins.providers(of: .decoder).flatMap(\.provision.fileTypes).flatMap(\.extensions)
            return TagReading.fileExtensions.union(declared.map { $0.lowercased() }).subtracting(["*"])
        }
    }

    /// Offers the built-in reader and writer under the name `taglib`, beside those of bundles. When everything is isolated, the reader
    /// runs in helper processes, and so does GStreamer's decoder.
    ///
    /// - Returns: The isolated reader.
    static func registerBuiltIn(in plugins: PluginRegistry) -> (any TagReaderPort & Sendable)? {
        let extensions = TagReading.fileExtensions.sorted()
        var isolated: (any TagReaderPort & Sendable)?
        if plugins.isolation.scope == .everything {
            isolated = plugins.registerBuiltInHelpers(
                decoder: "gstreamer", tagReader: TagLibReader.identifier, extensions: extensions)
        } else {
            plugins.register(.tagReader(TagLibReader.identifier, extensions: extensions) { TagLibReader() })
        }
        plugins.register(.tagWriter(TagLibWriter.identifier, extensions: extensions) { TagLibWriter() })
        return isolated
    }
}

extension AudioPlayerService {
    /// Creates a player that plays to the desktop's sound server through an engine of its own, with the plugins, logger and
    /// clock of ``AudioEnvironment/shared``.
    ///
    /// Nothing is acquired before the first command; a missing sound server or GStreamer element is the error of the call that
    /// needs it. From its first command on, the player is shown to the desktop and obeys media keys, without a further call.
    ///
    /// - Parameter remoteControl: How the player appears on the desktop's media controls; `nil` keeps it off them.
    public init(remoteControl: RemoteIdentity? = .program) {
        let environment = AudioEnvironment.shared
        self.init(
            engine: environment.makeDesktopEngine(), clock: environment.clock, logger: environment.logger,
            session: environment.session, remoteControl: remoteControl.map(environment.remoteControlMaker))
    }
}

extension RemoteIdentity {
    /// This program, under the name of its executable.
    public static var program: RemoteIdentity {
        let name = ProcessInfo.processInfo.processName
        return RemoteIdentity(name: name, displayName: name)
    }
}
