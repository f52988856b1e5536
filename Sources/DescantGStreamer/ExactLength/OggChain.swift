internal import DescantContainers

/// The links of a chained Ogg file: streams that follow each other, each with a serial number of its own (RFC 3533, section 4).
///
/// The place where a link ends is found by bisection, as libvorbisfile does: every page before it has the link's serial number, and no
/// page behind it.
enum OggChain {
    /// The maximum number of links. Files with more are left to one pipeline.
    private static let maximumLinks = 1_000
    /// The number of bytes that are searched page by page.
    private static let linearLimit: Int64 = 1 << 16
    /// The number of bytes that are read at a time when a page is searched.
    private static let window = 1 << 13
    /// The number of bytes behind which a search for a page ends.
    private static let searchLimit: Int64 = 1 << 20

    /// Reads the place and the length of every link.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - lastSerial: The serial number of the last link.
    /// - Returns: `nil` when streams are multiplexed, such as sound and pictures, or when the length of a link is not known.
    static func read(_ file: some RandomAccessBytes<Never>, lastSerial: UInt32) -> ExactLength? {
        var links: [ExactLength.Link] = []
        var start: Int64 = 0
        while links.count < maximumLinks {
            guard let first = page(of: file, at: start), first.beginsStream,
                page(of: file, at: start + Int64(first.size))?.beginsStream != true
            else { return nil }
            let isLast = first.serial == lastSerial
            guard let end = isLast ? file.size : self.end(of: first.serial, from: start + Int64(first.size), in: file)
            else { return nil }
            let part = PartOfFile(file, start..<end)
            guard let length = OggLength.read(part, isChain: false), length.isPossible(inBytes: part.size) else {
                return nil
            }
            links.append(ExactLength.Link(bytes: start..<end, length: length))
            if isLast { return ExactLength(frames: nil, sampleRate: links[0].length.sampleRate, links: links) }
            start = end
        }
        return nil
    }

    /// The offset of the first page of another stream; `nil` when none is found.
    private static func end(of serial: UInt32, from start: Int64, in file: some RandomAccessBytes<Never>) -> Int64? {
        // Pages of the stream lie before `low`; no page that was not seen begins at `high` or behind it, up to `end`.
        var (low, high) = (start, file.size)
        var end: Int64?
        while high - low > linearLimit {
            let middle = low + (high - low) / 2
            guard let found = firstPage(of: file, from: middle, before: high) else {
                high = middle
                continue
            }
            if found.page.serial == serial {
                low = found.offset + Int64(found.page.size)
            } else {
                (end, high) = (found.offset, middle)
            }
        }
        while let found = firstPage(of: file, from: low, before: high) {
            guard found.page.serial == serial else { return found.offset }
            low = found.offset + Int64(found.page.size)
        }
        return end
    }

    /// The page that begins at an offset; `nil` when none does or its checksum is wrong.
    private static func page(of file: some RandomAccessBytes<Never>, at offset: Int64) -> OggPage? {
        let start = file.bytes(at: offset, count: window)
        guard let page = OggPage(start) else { return nil }
        let whole = page.size <= start.count ? start : file.bytes(at: offset, count: page.size)
        return OggPage(intactIn: whole, at: 0)
    }

    /// The first page that begins in a part of the file, and where; `nil` when none does within the limit of a search.
    private static func firstPage(
        of file: some RandomAccessBytes<Never>, from start: Int64, before end: Int64
    ) -> (page: OggPage, offset: Int64)? {
        let end = min(end, start + searchLimit)
        var offset = start
        while offset < end {
            let bytes = file.bytes(at: offset, count: window)
            for index in bytes.indices where bytes[index] == 0x4F && offset + Int64(index) < end {
                guard bytes[index...].starts(with: Array("OggS".utf8)) || index + 4 > bytes.count,
                    let page = page(of: file, at: offset + Int64(index))
                else { continue }
                return (page, offset + Int64(index))
            }
            guard bytes.count == window else { return nil }
            offset += Int64(window)
        }
        return nil
    }
}

/// A part of a file.
private struct PartOfFile<File: RandomAccessBytes>: RandomAccessBytes where File.Failure == Never {
    private let file: File
    private let range: Range<Int64>

    init(_ file: File, _ range: Range<Int64>) {
        self.file = file
        self.range = range
    }

    var size: Int64 { range.upperBound - range.lowerBound }

    func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        return file.bytes(at: range.lowerBound + offset, count: Int(min(Int64(count), size - offset)))
    }
}
