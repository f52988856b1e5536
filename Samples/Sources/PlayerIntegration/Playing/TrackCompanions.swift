internal import Descant
internal import Dispatch
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// Reads what belongs to a track beside its sound: the chapters, the words, from an LRC file or the tags, and the cover, from
/// the tags or the folder.
final class TrackCompanions: Sendable {
    private let tagReader: any TagReaderService & Sendable
    private let feed: AsyncStream<PlayerUpdate>.Continuation
    private let state = Mutex(State())

    private struct State {
        /// How many tracks were asked for; the last one is wanted.
        var asked = 0
        /// The number of the last track of which something was told.
        var told = 0
    }

    /// How long those of the track before are shown while a disk does not answer, in seconds.
    private static let patience = 0.5

    /// The maximum size of a file with words, in bytes.
    private static let lyricsLimit = 1 << 20
    /// The maximum size of a picture, in bytes.
    private static let coverLimit = 32 << 20
    /// The names of covers in a folder, the best first.
    private static let coverNames = ["cover", "folder", "front", "Cover", "Folder", "Front"].flatMap { name in
        ["jpg", "jpeg", "png"].map { "\(name).\($0)" }
    }

    init(tagReader: any TagReaderService & Sendable, feed: AsyncStream<PlayerUpdate>.Continuation) {
        self.tagReader = tagReader
        self.feed = feed
    }

    /// Reads the words and the cover of a track, and sends them as updates unless another track was asked for meanwhile.
    func load(_ url: URL) {
        let number = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        // A queue of its own: a disk that hangs keeps no later track waiting. Neither does the player wait.
        let queue = DispatchQueue(label: "descant.player.companions", qos: .utility)
        queue.async { [self] in
            let tags = url.isFileURL ? (try? tagReader.readMetadata(for: url))?.tags : nil
            let lyrics = url.isFileURL ? lyrics(of: url, tags) : nil
            let cover = url.isFileURL ? cover(of: url, tags) : nil
            tell(number, TrackPart(of: url) == nil ? tags?.technical?.chapters ?? [] : [], lyrics, cover)
        }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            if self?.state.withLock({ $0.told < number }) == true { self?.tell(number, [], nil, nil) }
        }
    }

    /// Sends what was read of a track, unless another track was asked for meanwhile.
    private func tell(_ number: Int, _ chapters: [Chapter], _ lyrics: Lyrics?, _ cover: CoverArt?) {
        state.withLock { state in
            guard state.asked == number else { return }
            state.told = number
            feed.yield(.chapters(chapters))
            feed.yield(.lyrics(lyrics))
            feed.yield(.cover(cover))
        }
    }

    private func lyrics(of url: URL, _ tags: TagBundle?) -> Lyrics? {
        // The words of a whole file have the times of the file.
        guard TrackPart(of: url) == nil else { return nil }
        let file = url.deletingPathExtension().appendingPathExtension("lrc")
        if let data = Self.read(file, limit: Self.lyricsLimit),
            let text = try? TextDecoding(data, name: file.path).text,
            let lyrics = Lyrics(parsing: text)
        {
            return lyrics
        }
        return (tags?.lyrics ?? []).lazy.map(\.text).filter { $0.utf8.count <= Self.lyricsLimit }
            .compactMap(Lyrics.init(parsing:)).first
    }

    private func cover(of url: URL, _ tags: TagBundle?) -> CoverArt? {
        if let data = tags?.artworkData, data.count <= Self.coverLimit, let cover = CoverArt(decoding: data) {
            return cover
        }
        let folder = url.deletingLastPathComponent()
        return Self.coverNames.lazy.compactMap { Self.read(folder.appendingPathComponent($0), limit: Self.coverLimit) }
            .compactMap { CoverArt(decoding: $0) }.first
    }

    /// Reads a whole regular file; `nil` when it is longer than a limit or cannot be read.
    private static func read(_ file: URL, limit: Int) -> Data? {
        let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values?.isRegularFile == true, let size = values?.fileSize, size <= limit else { return nil }
        return try? Data(contentsOf: file)
    }
}
