public import Foundation

/// One line of the playlist as views show it.
public struct PlaylistEntry: Sendable, Hashable {
    /// Where the sound is.
    public var url: URL { didSet { searchText = SearchText(searchedTexts) } }
    /// The tagged title, or the file's name until tags are known.
    public var title: String { didSet { searchText = SearchText(searchedTexts) } }
    /// The tagged artist.
    public var artist: String? { didSet { searchText = SearchText(searchedTexts) } }
    /// The tagged album.
    public var album: String? { didSet { searchText = SearchText(searchedTexts) } }
    /// Length in seconds; `nil` while unknown.
    public var duration: TimeInterval?
    /// Codec, sample rate and channels as text: "FLAC · 44.1 kHz · stereo".
    public var format: String?
    /// Why the track could not be played; `nil` without an error.
    public var failure: String?
    /// Made with the entry, which happens beside the views: a view that filters a long list compares bytes only.
    private(set) var searchText: SearchText

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - title: What to show; the file's name without its extension by default.
    ///   - artist: The artist.
    ///   - album: The album.
    ///   - duration: Length in seconds.
    public init(
        url: URL, title: String? = nil, artist: String? = nil, album: String? = nil, duration: TimeInterval? = nil
    ) {
        self.url = url
        let title = title ?? Self.name(of: url)
        self.title = title
        self.artist = artist
        self.album = album
        self.duration = duration
        searchText = SearchText(Self.searchedTexts(url, title, artist, album))
    }

    /// The part of the file that the track is, as a CUE sheet gives it; `nil` for the whole file.
    public var part: TrackPart? { TrackPart(of: url) }

    /// Whether a filter shows the entry.
    ///
    /// - Parameter words: The words of the filter, each of which is in the title, the artist, the album or the name of the file.
    func contains(_ words: [SearchText.Word]) -> Bool {
        // A closure would copy the entry.
        for word in words where !(searchText.contains(word) ?? word.isFound(in: searchedTexts)) { return false }
        return true
    }

    private var searchedTexts: [String] { Self.searchedTexts(url, title, artist, album) }

    private static func searchedTexts(_ url: URL, _ title: String, _ artist: String?, _ album: String?) -> [String] {
        let name = name(of: url)
        return [title, artist, album, name == title ? nil : name].compactMap(\.self)
    }

    /// The name of a file without its extension.
    private static func name(of url: URL) -> String {
        // Most addresses of files have their path as it is. To ask for it takes as long as all the rest.
        let address = url.absoluteString
        let isPlain = address.hasPrefix("file:///") && !address.utf8.contains(where: Self.isSpecial)
        let path = (isPlain ? address : url.isFileURL ? url.path : "").utf8
        let file = path[(path.lastIndex(of: UInt8(ascii: "/")).map(path.index(after:)) ?? path.startIndex)...]
        // Foundation knows what an extension is. It takes five times as long, and nearly all files have one of letters and digits.
        guard let dot = file.lastIndex(of: UInt8(ascii: ".")), let last = file[..<dot].last, last != UInt8(ascii: "."),
            dot < file.index(before: file.endIndex), file[dot...].dropFirst().allSatisfy(Self.isLetterOrDigit)
        else { return url.deletingPathExtension().lastPathComponent }
        return String(Substring(file[..<dot]))
    }

    /// Whether the path behind a byte of an address is not what it looks like.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
