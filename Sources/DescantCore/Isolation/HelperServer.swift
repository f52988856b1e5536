internal import CDescant
internal import Foundation
internal import Glibc
internal import Synchronization

/// The helper's side: loads what it serves, gives up its rights, and answers requests until the host closes the socket.
package enum HelperServer {
    /// What a helper without a bundle serves.
    package struct BuiltIn {
        let prepare: () throws -> Void
        let decoder: any DecoderPort
        let tagReader: any TagReaderPort

        /// - Parameters:
        ///   - prepare: Loads everything that decoding may need; afterwards no file can be opened.
        ///   - decoder: The decoder.
        ///   - tagReader: The tag reader.
        package init(
            prepare: @escaping () throws -> Void, decoder: any DecoderPort, tagReader: any TagReaderPort
        ) {
            self.prepare = prepare
            self.decoder = decoder
            self.tagReader = tagReader
        }
    }

    /// The argument of a helper that may read files which the host opens.
    static let readsFiles = "reads-files"
    private static let hasStarted = Atomic(false)

    /// Whether this process is a helper.
    static var isRunning: Bool { hasStarted.load(ordering: .relaxed) }

    /// How many descriptors a helper may have, besides those of its bundle's files.
    private static let descriptorLimit = 256

    /// Serves the host that started this process.
    ///
    /// - Parameters:
    ///   - arguments: The program, the host's process, the limit of the memory in bytes, a bundle's folder, the SHA-256 of its manifest,
    ///     and ``readsFiles`` for a helper that may read files; without a folder the built-in decoder and tag reader are served.
    ///   - builtIn: Makes them.
    package static func run(_ arguments: [String], builtIn: () -> BuiltIn) -> Never {
        let socket = Int32(descant_helper_socket)
        guard [3, 5, 6].contains(arguments.count), let host = pid_t(arguments[1]), let memory = UInt64(arguments[2]),
            descant_helper_attach(host, socket) == 0, let frames = SharedFrames(inherited: ())
        else {
            let text = "descant-plugin-host is started by hosts of Descant to run plugins in a process of their own\n"
            FileHandle.standardError.write(Data(text.utf8))
            exit(64)
        }
        let connection = HelperConnection(socket: socket)
        hasStarted.store(true, ordering: .relaxed)
        if arguments.last == readsFiles { descant_sandbox_ask_for_files(Int32(descant_helper_files)) }
        do {
            let served =
                arguments.count > 3
                ? try Self.bundle(arguments[3], digest: arguments[4], memory: memory)
                : try Self.builtIn(builtIn, memory: memory)
            connection.send(HelperMessage(.done), to: 0)
            HelperSession(served, connection: connection, frames: frames).run()
        } catch {
            connection.send(HelperMessage(.failed, payload: HelperFailure(loading: error).payload), to: 0)
            exit(1)
        }
    }

    private static func bundle(_ path: String, digest: String, memory: UInt64) throws -> ServedPlugins {
        let bundle = try PluginBundle(path: path, trust: .everybody)
        // The host has checked the signature of its manifest.
        guard bundle.manifestDigest == digest else {
            throw PluginError.badManifest(
                path: path + "/manifest.json", reason: "it has changed since the host read it")
        }
        let files = try PluginInspection.check(bundle: bundle.path, manifest: bundle.manifest)
        // The check reads whole files, which may be longer than the limit of the plugin's memory, and leaves them open until the
        // library is loaded.
        try limit(memory, openFiles: files.count)
        let plugin = try PluginLoader.load(
            bundle.libraryPath, manifest: bundle.manifest, files: files, limit: .infinity, PluginLoading(),
            mapped: enterSandbox)
        let context = PluginContext(
            logger: NoopLogger(), clock: MonotonicClock(), bundleURL: URL(fileURLWithPath: path, isDirectory: true))
        return ServedPlugins(
            name: bundle.manifest.id,
            decoder: { name in
                let provision = plugin.provides.first { $0.kind == .decoder && $0.identifier == name }
                return try provision?.factory.decoder?(context)
            },
            tagReader: { name in
                let provision = plugin.provides.first { $0.kind == .tagReader && $0.identifier == name }
                return try provision?.factory.tagReader?(context)
            },
            synthesizer: { name in
                let provision = plugin.provides.first { $0.kind == .speech && $0.identifier == name }
                return try provision?.factory.speech?(context)
            })
    }

    private static func builtIn(_ make: () -> BuiltIn, memory: UInt64) throws -> ServedPlugins {
        try limit(memory)
        let builtIn = make()
        try builtIn.prepare()
        try enterSandbox()
        return ServedPlugins(
            name: "gstreamer", decoder: { _ in builtIn.decoder }, tagReader: { _ in builtIn.tagReader },
            synthesizer: { _ in nil })
    }

    private static func limit(_ memory: UInt64, openFiles: Int = 0) throws {
        let descriptors = UInt32(clamping: descriptorLimit + openFiles)
        try check(descant_sandbox_limit(memory, descriptors), "its limits cannot be set")
    }

    private static func enterSandbox() throws {
        try check(
            descant_sandbox_enter(), "this system cannot take rights away from a process (seccomp with TSYNC is needed)"
        )
    }

    private static func check(_ code: Int32, _ what: String) throws {
        guard code == 0 else { throw CoreError.unsupported("\(what): \(String(cString: strerror(code)))") }
    }
}

extension SharedFrames {
    /// The memory that this process got from its host.
    fileprivate init?(inherited: Void) {
        let memory = Int32(descant_helper_memory)
        let address = mmap(nil, SharedFrames.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)
        guard let address, address != MAP_FAILED else { return nil }
        close(memory)
        self.init(address: address)
    }
}

/// Makes what a helper serves.
struct ServedPlugins {
    let name: String
    let decoder: (String) throws -> (any DecoderPort)?
    let tagReader: (String) throws -> (any TagReaderPort)?
    let synthesizer: (String) throws -> (any SpeechSynthesizer)?
}

/// The helper's end of the socket.
struct HelperConnection {
    let socket: Int32

    /// Answers a request. A host that does not take the answer has ended.
    func send(_ answer: HelperMessage, to sequence: UInt32) {
        var message = answer
        message.sequence = sequence
        guard let bytes = message.bytes, descant_send(socket, bytes, bytes.count, nil, 0) == 0 else { _exit(1) }
    }

    /// The next request with its descriptors. Ends the process when the host has closed the socket.
    func receive() -> (HelperMessage, [Int32]) {
        var bytes = [UInt8](repeating: 0, count: HelperMessage.maximumLength)
        var descriptors = [Int32](repeating: -1, count: 16)
        var count: Int32 = 0
        guard descant_wait_readable(socket, -1) > 0 else { _exit(1) }
        let length = descant_receive(socket, &bytes, bytes.count, &descriptors, &count)
        guard length > 0 else { _exit(0) }
        let message = bytes.withUnsafeBytes { HelperMessage(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        guard let message else { _exit(1) }
        return (message, Array(descriptors[..<Int(count)]))
    }
}

/// Answers the requests of one host, one after the other.
final class HelperSession {
    private struct Stream {
        let decoder: any DecoderPort
        let handle: DecodeHandle
        let channels: Int
        let path: String
    }

    private let served: ServedPlugins
    private let connection: HelperConnection
    private let frames: SharedFrames
    private var decoders: [String: any DecoderPort] = [:]
    private var stream: Stream?
    private let speech: ServedSpeech

    /// How many frames a decoder is asked for at a time.
    private static let chunk = 4_096

    init(_ served: ServedPlugins, connection: HelperConnection, frames: SharedFrames) {
        self.served = served
        self.connection = connection
        self.frames = frames
        speech = ServedSpeech(served, connection: connection, frames: frames)
    }

    func run() -> Never {
        while true {
            let (request, descriptors) = connection.receive()
            do {
                // Sound is sent when there is some.
                if request.kind == .sound {
                    try speech.send(to: request.sequence)
                } else {
                    connection.send(try perform(request, descriptors), to: request.sequence)
                }
            } catch {
                connection.send(HelperMessage(.failed, payload: HelperFailure(error).payload), to: request.sequence)
            }
        }
    }

    private func perform(_ request: HelperMessage, _ descriptors: [Int32]) throws -> HelperMessage {
        switch request.kind {
        case .open: return try open(request.value(HelperMessage.OpenRequest.self), descriptors)
        case .read: return try read(part: Int(clamping: request.first), frames: Int(clamping: request.second))
        case .seek:
            let stream = try present()
            if !descriptors.isEmpty { try grant(stream.path, descriptors) }
            try stream.decoder.seek(stream.handle, toSeconds: request.number)
            return HelperMessage(.done)
        case .close:
            close()
            return HelperMessage(.done)
        case .score: return try score(request.value(HelperMessage.ScoreRequest.self))
        case .tags: return try tags(request.value(HelperMessage.OpenRequest.self), descriptors)
        case .synthesizer, .voices, .prepare, .speak, .stop: return try speech.perform(request)
        case .sound, .done, .frames, .failed, .speech: throw CoreError.invalidArgument("an answer is not a request")
        }
    }

    private func present() throws -> Stream {
        guard let stream else { throw CoreError.invalidState("no file is open in this helper") }
        return stream
    }

    private func decoder(_ name: String) throws -> any DecoderPort {
        if let known = decoders[name] { return known }
        guard let made = try served.decoder(name) else {
            throw CoreError.unsupported("\(served.name) has no decoder \(name)")
        }
        decoders[name] = made
        return made
    }

    private func open(_ request: HelperMessage.OpenRequest, _ descriptors: [Int32]) throws -> HelperMessage {
        close()
        try grant(request.path, descriptors)
        let decoder = try decoder(request.decoder)
        let handle: DecodeHandle
        do {
            handle = try decoder.open(url: URL(fileURLWithPath: request.path, isDirectory: false))
        } catch {
            descant_sandbox_grant(nil, nil, 0)
            throw error
        }
        do {
            let info = try decoder.info(handle)
            try info.validate()
            stream = Stream(decoder: decoder, handle: handle, channels: info.channels, path: request.path)
            return HelperMessage(.done, payload: info.bytes)
        } catch {
            decoder.close(handle)
            descant_sandbox_grant(nil, nil, 0)
            throw error
        }
    }

    private func grant(_ path: String, _ descriptors: [Int32]) throws {
        let result = descant_sandbox_grant(path, descriptors, Int32(descriptors.count))
        guard result == 0 else {
            descriptors.forEach { _ = Glibc.close($0) }
            throw CoreError.opening(path, result)
        }
    }

    private func close() {
        if let stream { stream.decoder.close(stream.handle) }
        stream = nil
        descant_sandbox_grant(nil, nil, 0)
    }

    /// Decodes to a part of the shared memory; an error comes behind the frames before it.
    private func read(part: Int, frames count: Int) throws -> HelperMessage {
        let stream = try present()
        guard (0..<SharedFrames.partCount).contains(part), (1...SharedFrames.framesPerPart).contains(count) else {
            throw CoreError.invalidArgument("part \(part), \(count) frames")
        }
        let start = frames.part(part)
        var answer = HelperMessage(.frames)
        var total = 0
        do {
            while total < count {
                let asked = min(Self.chunk, count - total)
                let given = try stream.decoder.read(
                    stream.handle, into: start + total * stream.channels, maxFrames: asked)
                let got = try DecodedSamples.checked(given, of: asked, from: served.name)
                guard got > 0 else {
                    answer.second = 1
                    break
                }
                total += got
            }
        } catch {
            answer.payload = HelperFailure(error).payload
        }
        answer.first = Int64(total)
        return answer
    }

    private func score(_ request: HelperMessage.ScoreRequest) throws -> HelperMessage {
        var answer = HelperMessage(.done)
        let input = ProbeInput(
            header: request.header, fileExtension: request.fileExtension, mimeType: request.mimeType)
        answer.first = Int64((try decoder(request.decoder) as? any DecoderProbe)?.score(input).value ?? -1)
        return answer
    }

    private func tags(_ request: HelperMessage.OpenRequest, _ descriptors: [Int32]) throws -> HelperMessage {
        guard let memory = descriptors.last else { throw CoreError.invalidArgument("no memory for the tags") }
        defer { _ = Glibc.close(memory) }
        close()
        try grant(request.path, Array(descriptors.dropLast()))
        defer { descant_sandbox_grant(nil, nil, 0) }
        guard let reader = try served.tagReader(request.decoder) else {
            throw CoreError.unsupported("\(served.name) has no tag reader \(request.decoder)")
        }
        let tags = try reader.read(url: URL(fileURLWithPath: request.path, isDirectory: false))
        var less = tags
        less.pictures = nil
        less.artworkData = nil
        guard let data = try IsolatedTags(tags).bytes() ?? IsolatedTags(less).bytes() else {
            throw CoreError.unsupported("\(request.path): its tags are longer than \(IsolatedTags.maximumText) bytes")
        }
        // Files cannot be written here; shared memory can, through a mapping.
        let address = mmap(nil, IsolatedTags.maximumLength, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)
        guard let address, address != MAP_FAILED else { throw CoreError.opening(request.path, errno) }
        data.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { address.copyMemory(from: start, byteCount: bytes.count) }
        }
        munmap(address, IsolatedTags.maximumLength)
        var answer = HelperMessage(.done)
        answer.first = Int64(data.count)
        return answer
    }
}

extension StreamInfo {
    /// Four numbers of eight bytes.
    fileprivate var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: duration, toByteOffset: 0, as: Double.self)
            bytes.storeBytes(of: sampleRate, toByteOffset: 8, as: Double.self)
            bytes.storeBytes(of: Int64(channels), toByteOffset: 16, as: Int64.self)
            bytes.storeBytes(of: Int64(bitDepth), toByteOffset: 24, as: Int64.self)
        }
        return bytes
    }
}
