internal import Foundation

/// One message between a host and a helper: a datagram of a fixed head and a payload.
///
/// Every request is answered by one message with its number. The host takes nothing in an answer for granted.
struct HelperMessage: Sendable {
    enum Kind: UInt32 {
        // Requests.
        /// Opens a file; the payload is an ``OpenRequest``, the descriptors are the file's.
        case open = 1
        /// Decodes up to `second` frames to the part `first` of the shared memory.
        case read
        /// Moves to `number` seconds.
        case seek
        /// Closes the file.
        case close
        /// Scores a file; the payload is a ``ScoreRequest``.
        case score
        /// Reads tags; the payload is an ``OpenRequest``, the descriptors are the file's and one of memory for the answer.
        case tags
        /// Makes a synthesizer, whose identifier is the payload. The answer's payload is its ``SpeechCapabilities``.
        case synthesizer
        /// Lists the voices of the synthesizer whose identifier is the payload: a JSON text of `first` bytes in the shared memory.
        case voices
        /// Loads what a ``SpeakRequest`` needs.
        case prepare
        /// Begins to speak a ``SpeakRequest``, whose text of `first` bytes is in the shared memory.
        case speak
        /// Asks for the next sound.
        case sound
        /// Ends the speech.
        case stop
        // Answers.
        /// The request was carried out; the payload depends on the request.
        case done = 100
        /// `first` frames were decoded. `second` is 0, or 1 at the end of the stream; a payload is the ``HelperFailure`` behind them.
        case frames
        /// The payload is a ``HelperFailure``.
        case failed
        /// `first` samples of speech are in the shared memory, at the rate `number`; the payload is ``SpeechNotes``. `second` is 1 at
        /// the end of the speech, where there are no samples.
        case speech
    }

    /// The file that a request is for.
    struct OpenRequest: Codable {
        /// The provision's identifier.
        var decoder: String
        /// The path that the plugin opens the file by.
        var path: String
    }

    struct ScoreRequest: Codable {
        var decoder: String
        var header: Data
        var fileExtension: String
        var mimeType: String?
    }

    /// A ``SpeechRequest`` without its text. Numbers travel as bits, because JSON has no NaN.
    struct SpeakRequest: Codable {
        var synthesizer: String
        var voice: String?
        var language: String?
        var rate: UInt64
        var pitch: UInt64
    }

    /// What comes with the samples of speech.
    struct SpeechNotes: Codable {
        var marks: [SpeechMark]
        var warnings: [SpeechWarning]
    }

    /// The longest message, in bytes.
    static let maximumLength = 32_768
    private static let headLength = 40
    private static let mark: UInt32 = 0x4453_4e31

    var kind: Kind
    var sequence: UInt32
    var first: Int64 = 0
    var second: Int64 = 0
    var number: Double = 0
    var payload: [UInt8] = []

    init(_ kind: Kind, sequence: UInt32 = 0, payload: [UInt8] = []) {
        self.kind = kind
        self.sequence = sequence
        self.payload = payload
    }

    /// A message with a value as its payload.
    init(_ kind: Kind, _ value: some Encodable) throws {
        self.init(kind, payload: Array(try JSONEncoder().encode(value)))
    }

    /// Reads a datagram; `nil` for one that no host or helper of this release sends.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headLength,
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self) == Self.mark,
            let kind = Kind(rawValue: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        else { return nil }
        self.init(kind, sequence: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        first = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
        second = bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self)
        number = bytes.loadUnaligned(fromByteOffset: 32, as: Double.self)
        payload = Array(bytes[Self.headLength...])
    }

    /// The datagram; `nil` when it would be too long.
    var bytes: [UInt8]? {
        guard payload.count <= Self.maximumLength - Self.headLength else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.headLength)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: Self.mark, toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: sequence, toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(of: kind.rawValue, toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(of: first, toByteOffset: 16, as: Int64.self)
            bytes.storeBytes(of: second, toByteOffset: 24, as: Int64.self)
            bytes.storeBytes(of: number, toByteOffset: 32, as: Double.self)
        }
        return bytes + payload
    }

    /// The payload as a value.
    ///
    /// - Throws: `DecodingError`.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(payload))
    }
}

/// An error of a plugin on its way to the host.
struct HelperFailure: Codable, Sendable {
    /// The longest text that is passed on, in bytes: JSON may need six for one, and a message holds 32 KiB. One character may have any
    /// number of bytes.
    private static let longestText = 4_096

    /// The case of a ``CoreError``, that of a ``PluginError`` when loading failed, or "other".
    var code: String
    var message: String
    /// Whether code of the library may have run; only with a ``PluginError``.
    var ranCode: Bool?

    init(_ error: any Error) {
        let known = error as? CoreError
        code = known?.code ?? "other"
        message = Self.shortened(known?.message ?? "\(error)")
    }

    private static func shortened(_ text: String) -> String {
        String(decoding: text.utf8.prefix(longestText), as: UTF8.self)
    }

    /// The error as the plugin threw it; one that is not a ``CoreError`` becomes ``CoreError/unsupported(_:)``, which lets other decoders
    /// have the file.
    var error: CoreError {
        let text = Self.shortened(message)
        return switch code {
        case "invalidArgument": .invalidArgument(text)
        case "invalidState": .invalidState(text)
        case "notFound": .notFound(text)
        case "ioError": .ioError(text)
        case "decodeError": .decodeError(text)
        default: .unsupported(text)
        }
    }

    /// The failure as a payload.
    var payload: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}

/// Failures of the start of a helper.
extension HelperFailure {
    /// Describes why a helper has not started.
    ///
    /// - Parameter error: A ``PluginLoader/Failure`` or ``PluginError`` tells that the bundle cannot be used, any other error does not.
    init(loading error: any Error) {
        self.init(error)
        let failure = error as? PluginLoader.Failure
        guard let cause = failure?.error ?? error as? PluginError else { return }
        ranCode = failure?.ranCode ?? false
        let text: String
        switch cause {
        case .missingDependency(_, let library): (code, text) = ("missingDependency", library)
        case .undefinedSymbol(_, let symbol): (code, text) = ("undefinedSymbol", symbol)
        case .loaderRefused(_, let message): (code, text) = ("loaderRefused", message)
        case .missingEntry(_, let symbol): (code, text) = ("missingEntry", symbol)
        case .initializerThrew(_, let message): (code, text) = ("initializerThrew", message)
        case .badManifest(_, let reason): (code, text) = ("badManifest", reason)
        case .manifestMismatch: (code, text) = ("badManifest", cause.cause)
        case .badLibrary(_, let reason): (code, text) = ("badLibrary", reason)
        // The host has checked the files just before, so that nothing else is usual.
        default: (code, text) = ("badLibrary", cause.cause)
        }
        message = Self.shortened(text)
    }

    /// The error of a bundle that a helper could not load; `nil` for a failure that says nothing about the bundle.
    func pluginError(of bundle: PluginBundle) -> PluginError? {
        let path = bundle.libraryPath
        let text = Self.shortened(message)
        return switch code {
        case "missingDependency": .missingDependency(path: path, library: text)
        case "undefinedSymbol": .undefinedSymbol(path: path, symbol: text)
        case "loaderRefused": .loaderRefused(path: path, message: text)
        case "missingEntry": .missingEntry(path: path, symbol: text)
        case "initializerThrew": .initializerThrew(identifier: bundle.manifest.id, message: text)
        case "badManifest": .badManifest(path: bundle.path, reason: text)
        case "badLibrary": .badLibrary(path: path, reason: text)
        default: nil
        }
    }
}

/// The memory that a host and a helper share: two parts, one of which is filled while the other is played.
struct SharedFrames: Sendable {
    /// The frames of one part with the highest number of channels.
    static let framesPerPart = 32_768
    static let partCount = 2
    static let size = partCount * framesPerPart * 8 * MemoryLayout<Float>.size

    // Safe to share: the address never changes, and who may touch which part is settled by messages.
    nonisolated(unsafe) let address: UnsafeMutableRawPointer

    /// How many samples of speech it holds.
    static let speechLength = size / MemoryLayout<Float>.size

    /// The whole memory as samples of one channel.
    var speech: UnsafeMutablePointer<Float> { part(0) }

    func part(_ index: Int) -> UnsafeMutablePointer<Float> {
        (address + index * Self.size / Self.partCount).assumingMemoryBound(to: Float.self)
    }
}
