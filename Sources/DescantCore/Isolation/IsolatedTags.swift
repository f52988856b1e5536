internal import Foundation

/// Tags as a helper sends them: the length of a text in eight bytes, the text, which is JSON, and the bytes of the pictures.
///
/// A helper that was taken over may send anything. JSON has no references, so what it is decoded to is not much larger than itself, and
/// Foundation limits its depth. A property list may name one long text a million times, and Foundation's decoder traps on large counts.
struct IsolatedTags: Sendable {
    /// The maximum of the text, in bytes.
    static let maximumText = 8 << 20
    /// The maximum of all, in bytes.
    static let maximumLength = 64 << 20

    private struct Text: Codable {
        /// The tags without the bytes of pictures.
        var tags: TagBundle
        /// The lengths of the pictures' bytes, which follow the text in this order.
        var lengths: [Int]
        /// Which of them are those of ``TagBundle/artworkData``.
        var artwork: Int?
    }

    let tags: TagBundle

    init(_ tags: TagBundle) { self.tags = tags }

    /// Reads what a helper has sent.
    ///
    /// - Returns: `nil` when it is anything else.
    init?(bytes: Data) {
        guard bytes.count >= 8, bytes.count <= Self.maximumLength else { return nil }
        let length = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var rest = bytes.dropFirst(8)
        guard length <= min(Self.maximumText, rest.count) else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let text = try? decoder.decode(Text.self, from: rest.prefix(Int(length))) else { return nil }
        rest = rest.dropFirst(Int(length))
        var pictures: [Data] = []
        for length in text.lengths {
            guard length >= 0, length <= rest.count else { return nil }
            pictures.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        var tags = text.tags
        guard rest.isEmpty, tags.pictures?.count ?? 0 <= pictures.count else { return nil }
        for index in (tags.pictures ?? []).indices { tags.pictures?[index].data = pictures[index] }
        if let artwork = text.artwork {
            guard pictures.indices.contains(artwork) else { return nil }
            tags.artworkData = pictures[artwork]
        }
        self.tags = tags
    }

    /// What a helper sends; `nil` when it is too long.
    func bytes() throws -> Data? {
        var text = Text(tags: tags, lengths: [])
        var pictures = (tags.pictures ?? []).map(\.data)
        for index in pictures.indices { text.tags.pictures?[index].data = Data() }
        text.tags.artworkData = nil
        if let artwork = tags.artworkData {
            // Usually it is one of the pictures.
            text.artwork = pictures.firstIndex(of: artwork) ?? pictures.count
            if text.artwork == pictures.count { pictures.append(artwork) }
        }
        text.lengths = pictures.map(\.count)
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let encoded = try encoder.encode(text)
        let total = pictures.reduce(8 + encoded.count) { $0 + $1.count }
        guard encoded.count <= Self.maximumText, total <= Self.maximumLength else { return nil }
        var bytes = Data(capacity: total)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: encoded.count >> shift)) }
        bytes.append(encoded)
        for picture in pictures { bytes.append(picture) }
        return bytes
    }
}
