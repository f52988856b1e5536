internal import Foundation

/// A run of playlist entries whose URLs lie in one block of bytes.
///
/// A `URL` of its own takes about 450 bytes for a path of ordinary length; here an entry takes its text and 16 bytes.
struct PlaylistChunk: Sendable {
    /// More entries than this are kept in two chunks, so that an edit moves little memory.
    static let capacity = 512

    private struct Entry {
        var id: PlaylistItem.ID
        var start: UInt32
        var length: UInt32
    }

    private var entries: [Entry] = []
    private var text: [UInt8] = []
    /// Bytes of `text` that belonged to removed entries.
    private var unused = 0

    /// Most URLs begin with this; it is stored as one byte that no URL begins with.
    private static let filePrefix = Array("file://".utf8)
    private static let filePrefixMark: UInt8 = 0

    /// How many entries there are.
    var count: Int { entries.count }

    private mutating func reserve(entries count: Int, bytes: Int) {
        entries.reserveCapacity(count)
        text.reserveCapacity(bytes)
    }

    func id(at offset: Int) -> PlaylistItem.ID { entries[offset].id }

    func item(at offset: Int) -> PlaylistItem {
        let entry = entries[offset]
        return PlaylistItem(id: entry.id, url: Self.url(text[range(of: entry)]))
    }

    func offset(of id: PlaylistItem.ID) -> Int? { entries.firstIndex { $0.id == id } }

    mutating func insert(_ id: PlaylistItem.ID, url: URL, at offset: Int) {
        let start = text.count
        var string = url.absoluteString
        string.withUTF8 { bytes in
            // Without slices of generic collections, which take longer than all the rest.
            let prefix = Self.filePrefix.count
            if bytes.count >= prefix, (0..<prefix).allSatisfy({ bytes[$0] == Self.filePrefix[$0] }) {
                text.append(Self.filePrefixMark)
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[prefix...]))
            } else {
                text.append(contentsOf: bytes)
            }
        }
        entries.insert(Entry(id: id, start: UInt32(start), length: UInt32(text.count - start)), at: offset)
    }

    mutating func remove(at offset: Int) {
        unused += Int(entries.remove(at: offset).length)
        if unused > text.count / 2 { compact() }
    }

    mutating func replace(at offset: Int, with id: PlaylistItem.ID, url: URL) {
        remove(at: offset)
        insert(id, url: url, at: offset)
    }

    /// Moves the second half of the entries into a chunk of its own.
    mutating func split() -> PlaylistChunk {
        let middle = entries.count / 2
        var upper = PlaylistChunk()
        upper.adopt(entries[middle...], from: text)
        entries.removeSubrange(middle...)
        compact()
        return upper
    }

    /// Takes over the entries of the chunk that follows.
    mutating func merge(_ next: PlaylistChunk) { adopt(next.entries[...], from: next.text) }

    private mutating func adopt(_ moved: ArraySlice<Entry>, from source: [UInt8]) {
        for entry in moved {
            let start = text.count
            text.append(contentsOf: source[Int(entry.start)..<Int(entry.start + entry.length)])
            entries.append(Entry(id: entry.id, start: UInt32(start), length: entry.length))
        }
    }

    /// Gives back the memory of removed entries and the room kept for growing.
    mutating func compact() {
        var compacted = PlaylistChunk()
        compacted.reserve(entries: entries.count, bytes: text.count - unused)
        compacted.adopt(entries[...], from: text)
        self = compacted
    }

    private func range(of entry: Entry) -> Range<Int> { Int(entry.start)..<Int(entry.start + entry.length) }

    private static func url(_ bytes: ArraySlice<UInt8>) -> URL {
        let isFile = bytes.first == filePrefixMark
        let string =
            isFile
            ? "file://" + String(decoding: bytes.dropFirst(), as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
        // The text came from a URL, so it is one; a path is the nearest reading of anything else.
        return URL(string: string) ?? URL(filePath: string, directoryHint: .notDirectory)
    }
}
