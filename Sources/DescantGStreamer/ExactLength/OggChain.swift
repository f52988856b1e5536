internal import DescantContainers
internal import DescantCore

/// The links of a chained Ogg file: streams that follow each other, each with a serial number of its own (RFC 3533, section 4).
///
/// The place where a link ends is found by bisection, as libvorbisfile does: the pages before it continue the link, and those behind
/// it do not. Joined files may share a serial number, so the numbers and the positions of the pages count as well.
enum OggChain {
    /// The maximum number of links. Files with more are left to one pipeline.
    private static let maximumLinks = 1_000
    /// The number of bytes that are searched page by page.
    private static let linearLimit: Int64 = 1 << 16
    /// The number of bytes that are read at a time when a page is searched.
    private static let window = 1 << 13
    /// The number of bytes behind which a search for a page ends.
    private static let searchLimit: Int64 = 1 << 20
    /// The number of bytes that are read for a file, which some hundred links need.
    private static let byteLimit = 1 << 27
    /// The number of bytes that are read to find out whether a file is one stream.
    private static let byteLimitOfOneStream = 1 << 24
    /// The time that is taken for a file, in seconds: a host or a server of files may answer slowly, and the opening has a limit, too.
    private static let timeLimit = 3.0
    /// How many times as high the highest sample rate of a chain's links may be as the lowest. A block that is resampled to the rate of the
    /// first link takes that many times its memory.
    private static let maximumRatio = 64

    /// A page and its offset in the file.
    typealias PlacedPage = (page: OggPage, offset: Int64)

    /// Reads the place and the length of every link.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - last: The last page of the file.
    /// - Returns: `nil` when streams are multiplexed, such as sound and pictures, when the length of a link is not known, or when that would
    ///   take too much time.
    static func read(_ file: some RandomAccessBytes<Never>, last: PlacedPage) -> ExactLength? {
        read(MeteredBytes(file, Allowance(bytes: byteLimit, seconds: timeLimit)), last: last)
    }

    /// Whether the stream that begins a file ends with it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - head: The first ``OggPage/maximumSize`` bytes of the file, which begin with a page.
    ///   - last: The last page of the file, of the same serial number as the first one.
    static func isOneStream(_ file: some RandomAccessBytes<Never>, head: [UInt8], last: PlacedPage) -> Bool {
        let metered = MeteredBytes(file, Allowance(bytes: byteLimitOfOneStream, seconds: timeLimit))
        return end(from: 0, head: head, last: last, in: metered) == file.size
    }

    private static func read<File>(_ file: MeteredBytes<File>, last: PlacedPage) -> ExactLength? {
        var links: [ExactLength.Link] = []
        var start: Int64 = 0
        var total: Int64 = 0
        while links.count < maximumLinks {
            let head = file.bytes(at: start, count: OggPage.maximumSize)
            guard let first = OggPage(intactIn: head, at: 0), first.beginsStream,
                page(of: file, at: start + Int64(first.size))?.beginsStream != true,
                let end = self.end(from: start, head: head, last: last, in: file)
            else { return nil }
            let isLast = end == file.size
            let part = PartOfFile(file, start..<end)
            // A recording may end behind the headers of a link.
            if !OggLength.isWithoutSound(part) {
                guard let length = OggLength.read(part, isChain: false), length.isPossible(inBytes: part.size) else {
                    return nil
                }
                links.append(ExactLength.Link(bytes: start..<end, length: length))
                total += length.frames ?? 0
                guard total <= FrameCount.limit / Int64(maximumRatio) else { return nil }
            } else if isLast, !links.isEmpty, OggLength.isCutOff(part) {
                links[links.count - 1].length.isCutOff = true
            }
            if isLast { return chain(of: links) }
            start = end
        }
        return nil
    }

    private static func chain(of links: [ExactLength.Link]) -> ExactLength? {
        let rates = links.map(\.length.sampleRate)
        guard let first = rates.first, let lowest = rates.min(), let highest = rates.max(),
            highest / maximumRatio < lowest
        else { return nil }
        return ExactLength(frames: nil, sampleRate: first, links: links)
    }

    /// The offset behind a stream: that of the first page of the next one, or the end of the file; `nil` without a page.
    ///
    /// - Parameters:
    ///   - start: Where the stream begins.
    ///   - head: The first ``OggPage/maximumSize`` bytes from there.
    ///   - last: The last page of the file.
    private static func end(
        from start: Int64, head: [UInt8], last: PlacedPage, in file: some RandomAccessBytes<Never>
    ) -> Int64? {
        guard let first = OggPage(intactIn: head, at: 0) else { return nil }
        var newest = first
        // Pages of the stream lie before `low`; no page that was not seen begins at `high` or behind it, up to `end`.
        var low = start + Int64(first.size)
        while let page = OggPage(intactIn: head, at: Int(low - start)) {
            guard page.serial == first.serial, !page.beginsStream else { return low }
            newest = page
            low += Int64(page.size)
        }
        var (high, end) = (last.offset, last.offset)
        var isFound = false
        // The steps grow with the distance. Larger ones could lead so far into another stream of the same serial number that its pages
        // look like later ones of this stream.
        var place = low
        while !isFound, place < last.offset {
            if let found = firstPage(of: file, from: place, before: last.offset) {
                if found.page.continues(newest) {
                    newest = found.page
                    low = found.offset + Int64(found.page.size)
                } else {
                    (end, high, isFound) = (found.offset, place, true)
                }
            }
            place = max(place, low)
            place += max(1, (place - start) / 2)
        }
        if !isFound, last.offset < low || last.page.continues(newest) { return file.size }
        while high - low > linearLimit {
            let middle = low + (high - low) / 2
            guard let found = firstPage(of: file, from: middle, before: high) else {
                high = middle
                continue
            }
            if found.page.continues(newest) {
                newest = found.page
                low = found.offset + Int64(found.page.size)
            } else {
                (end, high) = (found.offset, middle)
            }
        }
        while let found = firstPage(of: file, from: low, before: high) {
            guard found.page.serial == first.serial, !found.page.beginsStream else { return found.offset }
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
    ) -> PlacedPage? {
        let end = min(end, start + searchLimit)
        var offset = start
        while offset < end {
            let bytes = file.bytes(at: offset, count: window)
            for index in bytes.indices where bytes[index] == 0x4F && offset + Int64(index) < end {
                guard bytes[index...].starts(with: Array("OggS".utf8)) || index + 4 > bytes.count else { continue }
                let found = OggPage(intactIn: bytes, at: index) ?? page(of: file, at: offset + Int64(index))
                if let found { return (found, offset + Int64(index)) }
            }
            guard bytes.count == window else { return nil }
            offset += Int64(window)
        }
        return nil
    }
}

extension OggPage {
    /// Whether this page may be a later one of the stream of another page.
    fileprivate func continues(_ page: OggPage) -> Bool {
        guard serial == page.serial, !beginsStream, sequence > page.sequence else { return false }
        // A page on which no packet ends has no granule position, and a damaged one may have any number.
        let possible = 0...FrameCount.limit
        return !possible.contains(granule) || !possible.contains(page.granule) || granule >= page.granule
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

/// How much may still be read of a file.
private final class Allowance {
    private var bytes: Int
    private let deadline: UInt64

    init(bytes: Int, seconds: Double) {
        self.bytes = bytes
        deadline = MonotonicClock().now() + UInt64(seconds * 1e9)
    }

    /// Whether so many bytes may be read.
    func take(_ count: Int) -> Bool {
        bytes -= count
        return bytes >= 0 && MonotonicClock().now() < deadline
    }
}

/// A file that seems to end once too much was read of it.
private struct MeteredBytes<File: RandomAccessBytes>: RandomAccessBytes where File.Failure == Never {
    private let file: File
    private let allowance: Allowance

    init(_ file: File, _ allowance: Allowance) {
        self.file = file
        self.allowance = allowance
    }

    var size: Int64 { file.size }

    func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0, allowance.take(Int(min(Int64(count), size - offset))) else {
            return []
        }
        return file.bytes(at: offset, count: count)
    }
}
