internal import Dispatch
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// A queue as text: a line with the number of its tracks, and a line for each track, which has its address, title, artist, album and length in
/// seconds with tabs between them.
///
/// Foundation's JSON takes ten times as long: a queue of 100,000 tracks would be seen to come late.
enum QueueText {
    private static let heading = "descant queue 1, tracks: "
    private static let (tab, newline, escape) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\\"))

    static func encode(_ entries: [PlaylistEntry]) -> Data {
        var text: [UInt8] = []
        text.reserveCapacity(entries.count * 160)
        text += "\(heading)\(entries.count)\n".utf8
        for entry in entries {
            append(entry.url.absoluteString, to: &text, tab)
            append(entry.title, to: &text, tab)
            append(entry.artist ?? "", to: &text, tab)
            append(entry.album ?? "", to: &text, tab)
            append(entry.duration.flatMap { $0.isFinite ? "\($0)" : nil } ?? "", to: &text, newline)
        }
        return Data(text)
    }

    private static func append(_ field: String, to text: inout [UInt8], _ end: UInt8) {
        var field = field
        field.withUTF8 { bytes in
            if bytes.contains(where: { $0 == tab || $0 == newline || $0 == escape }) {
                for byte in bytes {
                    switch byte {
                    case tab: text += [escape, UInt8(ascii: "t")]
                    case newline: text += [escape, UInt8(ascii: "n")]
                    case escape: text += [escape, escape]
                    default: text.append(byte)
                    }
                }
            } else {
                text += bytes
            }
        }
        text.append(end)
    }

    /// Reads a queue, on all processors.
    ///
    /// - Returns: `nil` when the text is none, or damaged.
    static func decode(_ data: Data) -> [PlaylistEntry]? {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            guard let first = line(of: &rest).flatMap(string), first.hasPrefix(heading),
                let count = Int(first.dropFirst(heading.count))
            else { return nil }
            // The bytes are only read, and outlive the call.
            nonisolated(unsafe) let texts = parts(of: rest)
            let read = Mutex([[PlaylistEntry]?](repeating: nil, count: texts.count))
            DispatchQueue.concurrentPerform(iterations: texts.count) { index in
                let part = entries(of: texts[index])
                read.withLock { $0[index] = part }
            }
            return read.withLock { parts -> [PlaylistEntry]? in
                // The first part grows by the others.
                guard var all = parts[0].take() else { return nil }
                for part in parts.dropFirst() {
                    guard let part else { return nil }
                    all += part
                }
                return all.count == count ? all : nil
            }
        }
    }

    /// Cuts a text at ends of lines into a part for each processor.
    private static func parts(of text: Bytes) -> [Bytes] {
        var (parts, rest) = ([Bytes](), text)
        let size = text.count / ProcessInfo.processInfo.activeProcessorCount + 1
        while rest.count > size, let end = rest.dropFirst(size).firstIndex(of: newline) {
            parts.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return parts + [rest]
    }

    /// What a short line has. Of the memory that is reserved, only what is used takes room.
    private static let bytesOfLine = 40

    /// The tracks of lines; `nil` when one is damaged.
    private static func entries(of text: Bytes) -> [PlaylistEntry]? {
        var (entries, rest) = ([PlaylistEntry](), text)
        entries.reserveCapacity(text.count / bytesOfLine)
        while let line = line(of: &rest) {
            guard let entry = entry(line) else { return nil }
            entries.append(entry)
        }
        return rest.isEmpty ? entries : nil
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// Takes a line off; `nil` when no line ends.
    private static func line(of rest: inout Bytes) -> Bytes? { field(of: &rest, newline) }

    private static func field(of rest: inout Bytes, _ end: UInt8) -> Bytes? {
        guard let place = rest.firstIndex(of: end) else { return nil }
        defer { rest = rest[(place + 1)...] }
        return rest[..<place]
    }

    private static func entry(_ line: Bytes) -> PlaylistEntry? {
        var rest = line
        guard let address = field(of: &rest, tab).flatMap(string), let url = URL(string: address),
            let title = field(of: &rest, tab).flatMap(string), let artist = field(of: &rest, tab).flatMap(string),
            let album = field(of: &rest, tab).flatMap(string), let duration = string(rest),
            duration.isEmpty || Double(duration) != nil
        else { return nil }
        return PlaylistEntry(
            url: url, title: title, artist: artist.isEmpty ? nil : artist, album: album.isEmpty ? nil : album,
            duration: Double(duration))
    }

    /// The text of a field; `nil` for bytes that are none.
    private static func string(_ field: Bytes) -> String? {
        guard field.contains(escape) else { return String(validating: field, as: UTF8.self) }
        var (bytes, isEscaped) = ([UInt8](), false)
        for byte in field {
            switch (isEscaped, byte) {
            case (false, escape):
                isEscaped = true
                continue
            case (false, _), (true, escape): bytes.append(byte)
            case (true, UInt8(ascii: "t")): bytes.append(tab)
            case (true, UInt8(ascii: "n")): bytes.append(newline)
            case (true, _): return nil
            }
            isEscaped = false
        }
        return isEscaped ? nil : String(validating: bytes, as: UTF8.self)
    }
}
