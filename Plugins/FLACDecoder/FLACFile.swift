internal import Descant
internal import Foundation
internal import Glibc

/// A FLAC file on the disk, read through a large buffer.
final class FLACFile {
    /// The first bytes of every FLAC stream.
    static let marker = Array("fLaC".utf8)
    /// What the first page of an Ogg file that carries FLAC has at its 28th byte.
    static let markerInOgg = [0x7f] + Array("FLAC".utf8)

    /// Whether a file begins as an Ogg file with FLAC does.
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
        // Large enough that the disk is asked seldom, small enough that the probes of a seek cost little.
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
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        guard start < length, fseeko(pointer, start, SEEK_SET) == 0 else { return false }
        let count = fread(&bytes, 1, bytes.count, pointer)
        if ferror(pointer) != 0 { throw CoreError.opening(path, errno) }
        return Data(bytes[..<count]).range(of: Data(Self.marker)) != nil
    }
}
