import Descant
import Foundation
import Synchronization

/// A plugin whose files and texts say what harm it does, and where: "HOST crash read".
struct HostilePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.hostile", name: "Hostile fixture", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .decoder("hostile", extensions: ["hostile"], signatures: [FileSignature("484f5354")]) { HostileDecoder() },
            .tagReader("hostile-tags", extensions: ["hostile"]) { HostileTags() },
            .speechSynthesizer("hostile-speech") { HostileSpeech() },
            .speechSynthesizer("hostile-rates") { HostileSpeech(rates: 0...0) },
            .speechSynthesizer("hostile-length") { HostileSpeech(longestRequest: .max) },
        ])
}

/// The words of a file behind "HOST".
struct Harm {
    let words: [String]

    init(_ url: URL) throws {
        words = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: " ").map(String.init)
        guard words.first == "HOST" else { throw CoreError.unsupported("\(url.path) is not of this format") }
    }

    /// The harm in a text to be spoken.
    init(text: String) { words = ["HOST"] + text.split(separator: " ").map(String.init) }

    /// Does the harm that is meant for a call.
    func act(_ place: String) throws {
        guard words.count >= 3, words[2] == place else { return }
        switch words[1] {
        case "crash": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "abort": abort()
        case "trap": fatalError("a trap")
        case "exit": exit(7)
        case "hang": while true { pause() }
        case "allocate": Self.allocate()
        case "throw": throw CoreError.decodeError("thrown in its \(place)")
        case "foreign": throw ForeignError()
        case "garbage": Self.writeGarbage()
        case "nest": Self.answerWithNestedArrays()
        // The socket that the host opens files for is sent over the one for answers, and stays open in a message that nobody reads.
        case "give": for _ in 0..<4 { Self.send(5, over: 3, byteCount: 1) }
        case "leak":
            Self.send(0, over: 5, byteCount: 0)
            exit(7)
        case "close": for descriptor in 0..<256 as Range<Int32> { close(descriptor) }
        case "open": try Self.expectRefusal(Glibc.open(words[3], O_RDONLY))
        case "status": throw CoreError.unsupported("read: \(try String(contentsOfFile: words[3], encoding: .utf8))")
        case "write": try Self.expectRefusal(Glibc.open("/tmp/descant-hostile", O_WRONLY | O_CREAT, 0o600))
        case "socket": try Self.expectRefusal(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        case "fork": try Self.expectRefusal(Self.spawn())
        case "kill": try Self.expectRefusal(Glibc.kill(getppid(), SIGTERM))
        default: break
        }
    }

    private static func expectRefusal(_ result: Int32) throws {
        let code = errno
        guard result < 0 else { return }
        throw CoreError.unsupported("refused: \(String(cString: strerror(code)))")
    }

    private static func spawn() -> Int32 {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        let result = posix_spawn(&child, "/bin/true", nil, nil, &arguments, environ)
        errno = result
        return result == 0 ? 0 : -1
    }

    /// Takes memory until there is none. The optimiser would remove calls of malloc whose result nobody uses.
    private static func allocate() {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
        while mmap(nil, 64 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED {}
        abort()
    }

    /// Sends a message with a descriptor.
    private static func send(_ descriptor: Int32, over socket: Int32, byteCount: Int) {
        // The length, SOL_SOCKET, SCM_RIGHTS and the descriptor, filled up to a multiple of 8 bytes.
        var control = [UInt8](repeating: 0, count: 24)
        var bytes: [UInt8] = [0x5a]
        control.withUnsafeMutableBytes { control in
            control.storeBytes(of: 20, as: Int.self)
            control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            control.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
            control.storeBytes(of: descriptor, toByteOffset: 16, as: Int32.self)
            bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: byteCount)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    _ = sendmsg(socket, &message, 0)
                }
            }
        }
    }

    /// Answers the first request of this helper, which is for tags, with arrays within arrays.
    private static func answerWithNestedArrays() {
        let depth = 100_000
        let json = ["[", "]"].map { String(repeating: $0, count: depth) }.joined()
        let length = withUnsafeBytes(of: UInt64(json.utf8.count).littleEndian, Array.init)
        let text = length + Array(json.utf8)
        for descriptor in 3..<256 as Range<Int32> {
            // The memory for the answer, by its size. Helpers write to it through a mapping only.
            let size = 64 << 20
            guard lseek(descriptor, 0, SEEK_END) == size else { continue }
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            if address != MAP_FAILED { address?.copyMemory(from: text, byteCount: text.count) }
        }
        // The mark, the request's number, the kind and the length of the answer.
        var head = [0x4453_4e31 | 1 << 32, 100, text.count, 0, 0]
        _ = Glibc.write(3, &head, 40)
        while true { pause() }
    }

    private static func writeGarbage() {
        let garbage = [UInt8](repeating: 0x5a, count: 3_000)
        for descriptor in 0..<64 as Range<Int32> { _ = Glibc.write(descriptor, garbage, garbage.count) }
    }
}

/// An error of a type that the host does not know.
struct ForeignError: Error, CustomStringConvertible {
    let description = "thrown with a type of its own"
}

/// Half a second of 0.25 at 48 kHz on two channels.
final class HostileDecoder: DecoderPort, Sendable {
    private struct Stream {
        var harm: Harm
        var position = 0
    }

    private let streams = Mutex<[DecodeHandle: Stream]>([:])
    private static let length = 24_000

    func open(url: URL) throws -> DecodeHandle {
        let harm = try Harm(url)
        try harm.act("open")
        let handle = DecodeHandle()
        streams.withLock { $0[handle] = Stream(harm: harm) }
        return handle
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        let words = streams.withLock { $0[handle]?.harm.words ?? [] }
        return StreamInfo(
            duration: 0.5, sampleRate: 48_000, channels: words.contains("channels") ? 9 : 2, bitDepth: 16)
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        guard var stream = streams.withLock({ $0[handle] }) else { return 0 }
        try stream.harm.act(stream.position < 8_192 ? "read" : "later")
        if stream.harm.words.contains("excess") { return maxFrames + 1 }
        let frames = min(maxFrames, Self.length - stream.position)
        for index in 0..<frames * 2 { buffer[index] = 0.25 }
        stream.position += frames
        let changed = stream
        streams.withLock { $0[handle] = changed }
        return frames
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        try streams.withLock { $0[handle]?.harm }?.act("seek")
        streams.withLock { $0[handle]?.position = Int(seconds * 48_000) }
    }

    func close(_ handle: DecodeHandle) {
        let stream = streams.withLock { $0.removeValue(forKey: handle) }
        try? stream?.harm.act("close")
    }
}

final class HostileTags: TagReaderPort, Sendable {
    func read(url: URL) throws -> TagBundle {
        let harm = try Harm(url)
        try harm.act("tags")
        return TagBundle(title: harm.words.joined(separator: "-"))
    }
}

/// Speaks every word as a tenth of a second of 0.25 at 16 kHz.
final class HostileSpeech: SpeechSynthesizer {
    private static let wordLength = 1_600

    let capabilities: SpeechCapabilities
    private let workers = SpeechWorkers(name: "hostile", limit: 1)

    init(rates: ClosedRange<Double> = 0.5...2, longestRequest: Int = 400) {
        capabilities = SpeechCapabilities(
            wordTiming: .exact, cancelGranularity: .immediate, concurrency: 4, rateRange: rates,
            longestRequest: longestRequest)
    }

    func voices() async throws -> [SpeechVoice] {
        [SpeechVoice(identifier: "quarter", name: "Quarter", languages: ["en"])]
    }

    /// A voice may be a harm too.
    func prepare(_ request: SpeechRequest) async throws {
        try Harm(text: request.voice ?? "").act("prepare")
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let harm = Harm(text: request.text)
        return workers.speak { feed in
            try harm.act("speak")
            let words = SpokenWords.ranges(in: request.text)
            for (index, word) in words.enumerated() {
                if index == 1 { try harm.act("later") }
                guard feed.send(Self.chunk(index, word, harm.words)) else { return }
            }
            while harm.words.contains("endless"), feed.send(Self.chunk(0, nil, [])) {}
            while harm.words.contains("soundless"), feed.send(SpeechChunk(samples: [], sampleRate: 16_000)) {}
        }
    }

    func shutdown() async { await workers.shutdown() }

    /// The sound of a word; a wrong one when the text asks for it.
    private static func chunk(_ index: Int, _ word: Range<Int>?, _ words: [String]) -> SpeechChunk {
        var chunk = SpeechChunk(samples: [Float](repeating: 0.25, count: wordLength), sampleRate: 16_000)
        if let word {
            let frame = Int64(index * wordLength)
            chunk.marks = [SpeechMark(kind: .word, utf8Range: word, frame: frame, isEstimated: false)]
        }
        guard index == 1 else { return chunk }
        if words.contains("backwards") { chunk.marks[0].frame = -1 }
        if words.contains("behind") { chunk.marks[0].frame = 1_000_000 }
        if words.contains("huge") { chunk.marks[0].frame = .max }
        if words.contains("many") { chunk.marks = [SpeechMark](repeating: chunk.marks[0], count: 1_000) }
        if words.contains("outside") { chunk.marks[0].utf8Range = 0..<1_000 }
        if words.contains("faster") { chunk.sampleRate = 48_000 }
        if words.contains("silent") { chunk.sampleRate = 0 }
        if words.contains("infinite") { chunk.samples[7] = .infinity }
        if words.contains("warned") {
            chunk.warnings = [SpeechWarning(kind: .unknownWord, utf8Range: -1..<4, message: "outside")]
        }
        return chunk
    }
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: HostilePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(HostilePlugin.self, host) }
