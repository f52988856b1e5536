public import Foundation

/// A picture inside a file.
public struct TagPicture: Sendable, Hashable, Codable {
    /// What a picture shows, numbered as ID3v2 and FLAC do.
    public enum Kind: Int, Sendable, Hashable, Codable, CaseIterable {
        /// None of the others.
        case other = 0
        /// An icon of 32 × 32 pixels.
        case fileIcon
        /// Another icon.
        case otherFileIcon
        /// The front cover.
        case frontCover
        /// The back cover.
        case backCover
        /// A page of the leaflet.
        case leaflet
        /// The medium itself.
        case media
        /// The lead artist or soloist.
        case leadArtist
        /// The artist or performer.
        case artist
        /// The conductor.
        case conductor
        /// The band or orchestra.
        case band
        /// The composer.
        case composer
        /// The lyricist.
        case lyricist
        /// Where it was recorded.
        case recordingLocation
        /// During the recording.
        case duringRecording
        /// During a performance.
        case duringPerformance
        /// A frame of a film.
        case screenCapture
        /// A bright coloured fish; the standards have it.
        case colouredFish
        /// An illustration.
        case illustration
        /// The artist's or band's sign.
        case artistLogo
        /// The publisher's or studio's sign.
        case publisherLogo
    }

    /// The maximum picture that is read or written, in bytes: 10 MB.
    public static let sizeLimit = 10_000_000

    /// The picture as stored.
    public var data: Data
    /// What it shows. MP4 files have no kinds: their first picture is the front cover, the others are ``Kind/other``.
    public var kind: Kind
    /// A word about it; empty without one.
    public var description: String

    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - data: The picture as stored.
    ///   - kind: What it shows.
    ///   - description: A word about it.
    public init(data: Data, kind: Kind = .frontCover, description: String = "") {
        self.data = data
        self.kind = kind
        self.description = description
    }

    /// The image format by the first bytes, such as `image/jpeg`; `nil` when they are no image known here (JPEG, PNG, GIF,
    /// WebP, BMP, TIFF).
    public var mimeType: String? { Self.mimeType(of: data) }

    /// The image format by the first bytes.
    ///
    /// - Parameter data: A picture.
    /// - Returns: A MIME type; `nil` when it is not an image known here.
    public static func mimeType(of data: Data) -> String? {
        let head = Array(data.prefix(12))
        let signatures: [([UInt8], String)] = [
            ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47], "image/png"),
            ([0x47, 0x49, 0x46, 0x38], "image/gif"), ([0x42, 0x4D], "image/bmp"),
            ([0x49, 0x49, 0x2A, 0x00], "image/tiff"), ([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
        ]
        if let found = signatures.first(where: { head.starts(with: $0.0) }) { return found.1 }
        let isWebP = head.starts(with: Array("RIFF".utf8)) && head.count == 12 && head[8...].elementsEqual("WEBP".utf8)
        return isWebP ? "image/webp" : nil
    }
}
