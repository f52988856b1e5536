internal import Descant
internal import Foundation
internal import Glibc

/// A FLAC file, read through a large buffer.
final class FLACFile {
    /// The first bytes of every FLAC stream.
    static let marker = Array("fLaC".utf8)
    /// The mark at byte 28 of the first page of an Ogg file with FLAC.
    static let markerInOgg = [0x7f] + Array("FLAC".utf8)

    /// Whether a file has the header of an Ogg file with FLAC.
    static func isOgg(_ header: some Collection<UInt8>) -> Bool {
        header.starts(with: Array("OggS".utf8)) && header.dropFirst(28).starts(with: markerInOgg)
    }

    /// The path, for errors.
    let path: String
    /// The open file.
    let pointer: UnsafeMutablePointer<FILE>
    /// Whether the stream is packed into Ogg pages.
    let isOgg: Bool
    /// The length in bytes when it was opened.
    let length: Int
    /// The header of a stream that is not in Ogg pages, if it is where it should be.
    private(set) var streamInfo: FLACStreamInfo?
    /// The system's last error while reading; 0 when there was none.
    var readError: Int32 = 0

    /// Opens a file that contains the FLAC marker near its beginning, possibly behind an ID3v2 tag or other bytes.
    ///
    /// - Throws: `CoreError` naming the file.
    init(_ url: URL) throws {
        path = url.path
        let probe = try ProbeInput(file: url)
        let start = probe.endOfLeadingID3v2Tag
        isOgg = Self.isOgg(probe.header)
        guard let file = fopen(path, "re") else { throw CoreError.opening(path, errno) }
        pointer = file
        // Large enough for few reads, small enough for cheap probes during a seek.
        setvbuf(file, nil, _IOFBF, 1 << 16)
        var status = stat()
        length = fstat(fileno(file), &status) == 0 ? Int(status.st_size) : 0
        guard try containsMarker(from: start) else {
            throw CoreError.unsupported("\(path) is not a FLAC file: it has no 'fLaC' marker near its beginning")
        }
        rewind()
    }

    deinit { fclose(pointer) }

    /// Returns to the first byte.
    func rewind() {
        Glibc.rewind(pointer)
        readError = 0
    }

    private func containsMarker(from start: Int) throws -> Bool {
        let bytes = try bytes(at: start, count: 1 << 16)
        guard let marker = Data(bytes).range(of: Data(Self.marker)) else { return false }
        if !isOgg { streamInfo = FLACStreamInfo(bytes[(marker.upperBound)...], at: start + marker.upperBound) }
        return true
    }

    private func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard offset >= 0, offset < length, fseeko(pointer, offset, SEEK_SET) == 0 else { return [] }
        let got = fread(&bytes, 1, count, pointer)
        if ferror(pointer) != 0 { throw CoreError.opening(path, errno) }
        return Array(bytes[..<got])
    }

    /// The end of the file, long enough for a block of usual size.
    func tail() throws -> [UInt8] {
        let place = ftello(pointer)
        defer { fseeko(pointer, place, SEEK_SET) }
        return try bytes(at: max(0, length - 1 << 16), count: min(length, 1 << 16))
    }

    /// Whether another stream begins at a place.
    func hasMarker(at offset: Int) -> Bool {
        let place = ftello(pointer)
        defer { fseeko(pointer, place, SEEK_SET) }
        return (try? bytes(at: offset, count: 4)) == Self.marker
    }

    /// Reads the next bytes with the corrections for libFLAC.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        let place = Int(ftello(pointer))
        let got = fread(buffer, 1, count, pointer)
        streamInfo?.correct(UnsafeMutableBufferPointer(start: buffer, count: got), at: place)
        return got
    }

    /// Replaces the block size in the header that libFLAC sees.
    func correct(blockSize: Int) { streamInfo?.set(blockSize: blockSize) }

    /// Replaces the length in the header that libFLAC sees; 0 stands for an unknown one.
    func correct(frameCount: Int64) { streamInfo?.set(frameCount: frameCount) }
}
