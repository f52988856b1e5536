internal import Foundation

/// Bytes at a fixed offset that identify a format.
public struct FileSignature: Sendable, Hashable, Codable {
    /// Where the bytes lie, counted from the beginning of the file (after a leading ID3v2 tag, if there is one).
    public var offset: Int
    /// The bytes in hexadecimal, two digits each: `664c6143` for "fLaC".
    public var bytes: String

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - bytes: The bytes in hexadecimal.
    ///   - offset: Where they lie, 0…4,095.
    public init(_ bytes: String, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The bytes themselves; `nil` when the text is not hexadecimal or empty.
    var pattern: [UInt8]? {
        let digits = bytes.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        var pattern: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            pattern.append(UInt8(high << 4 | low))
        }
        return pattern
    }

    /// Whether the bytes are there.
    ///
    /// - Parameters:
    ///   - header: The beginning of a file.
    ///   - start: Where the format's own first byte is expected.
    func matches(_ header: Data, from start: Int) -> Bool {
        guard let pattern, offset >= 0, header.count - start >= offset + pattern.count else { return false }
        return header.dropFirst(start + offset).prefix(pattern.count).elementsEqual(pattern)
    }
}

/// A file format by extensions, MIME types and signatures.
public struct PluginFileType: Sendable, Hashable, Codable {
    /// File extensions in lower case, without the dot.
    ///
    /// `*` alone matches every file, with the lowest score: for a fallback decoder.
    public var extensions: [String]
    /// MIME types in lower case, such as `audio/flac`.
    public var mimeTypes: [String]
    /// Any of these identifies the format.
    public var signatures: [FileSignature]
    /// Decides between decoders of equal score; the highest wins.
    ///
    /// 0 is usual, below 0 for fallbacks.
    public var priority: Int

    /// Creates a file type.
    ///
    /// - Parameters:
    ///   - extensions: File extensions, without the dot.
    ///   - mimeTypes: MIME types.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between decoders of equal score.
    public init(
        extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [], priority: Int = 0
    ) {
        self.extensions = extensions
        self.mimeTypes = mimeTypes
        self.signatures = signatures
        self.priority = priority
    }

    /// Reads a file type; every key may be left out.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            extensions: try container.decodeIfPresent([String].self, forKey: .extensions) ?? [],
            mimeTypes: try container.decodeIfPresent([String].self, forKey: .mimeTypes) ?? [],
            signatures: try container.decodeIfPresent([FileSignature].self, forKey: .signatures) ?? [],
            priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0)
    }

    /// The score of a file by this description alone.
    ///
    /// - Parameter input: The file's first bytes, extension and MIME type.
    /// - Returns: ``ProbeScore/content`` for a signature, ``ProbeScore/mimeType``, ``ProbeScore/fileExtension``, 1 for the
    ///   extension `*`, else ``ProbeScore/none``.
    public func score(_ input: ProbeInput) -> ProbeScore {
        let starts = Set([0, input.endOfLeadingID3v2Tag])
        if signatures.contains(where: { signature in starts.contains { signature.matches(input.header, from: $0) } }) {
            return .content
        }
        if let mimeType = input.mimeType, mimeTypes.contains(mimeType.lowercased()) { return .mimeType }
        if extensions.contains(input.fileExtension.lowercased()) { return .fileExtension }
        return extensions == ["*"] ? ProbeScore(1) : .none
    }

    /// What is wrong with the description; `nil` for a valid one.
    var problem: String? {
        for signature in signatures {
            let bytes = signature.bytes.clippedForMessage
            guard signature.pattern != nil else {
                return "the signature \"\(bytes)\" is not pairs of hexadecimal digits"
            }
            guard (0..<4096).contains(signature.offset) else {
                return "the signature \"\(bytes)\" lies at offset \(signature.offset); 0 to 4095 are possible"
            }
        }
        if extensions.isEmpty, mimeTypes.isEmpty, signatures.isEmpty {
            return "a file type has no extension, MIME type or signature"
        }
        return nil
    }
}
