public import Descant
public import Foundation

/// Opens files as the player does, and describes them without playing.
public struct StreamInspector: Sendable {
    private let engine: any MixingEngine

    /// Creates an inspector.
    ///
    /// - Parameter environment: Which plugins and decoders there are.
    /// - Throws: `CoreError` when GStreamer cannot be used.
    public init(environment: AudioEnvironment) throws {
        engine = try environment.makeEngine(output: .discard)
    }

    /// Opens a file, reads its first frame and closes it.
    ///
    /// - Parameter url: A file or stream.
    /// - Throws: `CoreError` naming the file, also when it has no frame.
    public func inspect(_ url: URL) async throws -> DeckInfo {
        let info = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        await engine.closeDeck(info.id)
        return info
    }

    /// Releases the engine of the inspector.
    public func close() async { await engine.shutdown() }
}

/// The output of `info` for a file.
public struct StreamReport: Sendable, Codable {
    /// Where the sound is.
    public var url: String
    /// The tagged title, or the file's name.
    public var title: String
    /// The tagged artist.
    public var artist: String?
    /// The tagged album.
    public var album: String?
    /// The tagged genre.
    public var genre: String?
    /// The tagged year.
    public var year: Int?
    /// The tagged track number.
    public var trackNumber: Int?
    /// Bytes of the embedded cover; absent without one.
    public var artworkBytes: Int?
    /// The codec's name.
    public var codec: String
    /// Frames per second, in Hz.
    public var sampleRate: Int
    /// Samples per frame.
    public var channels: Int
    /// Bits per sample, for lossless codecs.
    public var bitDepth: Int?
    /// Length in frames; absent while unknown.
    public var frames: Int64?
    /// Length in seconds; absent while unknown.
    public var seconds: Double?
    /// The decoder that serves the file: `gstreamer`, or a plugin's.
    public var decoder: String
    /// Why this one was chosen, and which others there were.
    public var decoderReason: String
    /// Everything that the file's tags say; absent for streams and for files without tags that can be read.
    public var tags: TagReport?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - info: The description by the engine.
    ///   - url: Where the sound is.
    ///   - file: The file with its tags; `nil` for a stream.
    public init(_ info: DeckInfo, url: URL, file: Track? = nil) {
        tags = file.map { TagReport($0) }
        self.url = url.shownAddress
        title = info.track.title
        artist = info.track.artist
        album = info.track.tags.album
        genre = info.track.tags.genre
        year = info.track.tags.year
        trackNumber = info.track.tags.trackNumber
        artworkBytes = info.track.tags.artworkData?.count
        codec = info.track.format.codec
        sampleRate = info.sourceFormat.sampleRate
        channels = info.sourceFormat.channels
        bitDepth = info.track.format.bitDepth
        frames = info.frameCount
        seconds =
            info.frameCount.map { info.sourceFormat.seconds(of: $0) }
            ?? (info.track.duration > 0 ? info.track.duration : nil)
        decoder = info.decoder
        decoderReason = info.decoderReason
    }
}
