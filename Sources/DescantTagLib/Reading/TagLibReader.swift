internal import CTagLibShim
public import DescantCore
public import Foundation

/// Reads tags with TagLib.
///
/// Knows ID3v1, ID3v2, APE, Vorbis comments, MP4, RIFF INFO and ASF, in MP3, AAC (ADTS), FLAC, Ogg (Vorbis, Opus, Speex, FLAC), MP4,
/// WAVE, AIFF, ASF, Monkey's Audio, WavPack, Musepack, True Audio, DSF and DFF files; the format is told by the file's content. Where a file
/// carries several kinds of tags, each field comes from the first that has it: ID3v2, then APE, then ID3v1; Vorbis comments before
/// ID3; ID3v2 before RIFF INFO.
///
/// TagLib does not tell a Vorbis comment or an APE item without a value from one that is not there: both are absent here.
///
/// May be called from any number of threads at once. A crafted file ends in an error: no more than eight times its length and
/// 64 MB are read.
public final class TagLibReader: TagReaderPort, Sendable {
    /// The identifier under which hosts find it in a registry.
    public static let identifier = "taglib"

    /// Creates a reader; userCommandCount nothing.
    public init() {}

    /// Reads every tag of a file, its pictures and its technical properties.
    ///
    /// - Parameter url: A file URL.
    /// - Returns: The tags.
    /// - Throws: As ``TagReaderPort/read(url:)``.
    public func read(url: URL) throws -> TagBundle {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.absoluteString): tags are read from files only")
        }
        return try Self.read(url, called: url.path)
    }

    /// Reads a file that has another name than it shall be known by, or none.
    ///
    /// - Parameters:
    ///   - url: Where it can be opened.
    ///   - name: Its path, for errors and where the format follows from the ending.
    static func read(_ url: URL, called name: String) throws -> TagBundle {
        var records: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = url.withUnsafeFileSystemRepresentation { path in
            path.map { dtl_read($0, name, &records, &count) } ?? ENOENT
        }
        guard status == 0 else { throw error(status, name) }
        defer { free(records) }
        return TagRecords(UnsafeRawBufferPointer(start: records, count: count)).bundle()
    }

    private static func error(_ status: Int32, _ path: String) -> CoreError {
        switch dtl_status(rawValue: status) {
        case DTL_UNSUPPORTED: .unsupported("\(path): no file format with tags that are known here")
        case DTL_DAMAGED: .decodeError("\(path): the file's headers are damaged")
        case DTL_ENDLESS: .decodeError("\(path): its structure leads in circles; reading it was given up")
        case DTL_FAILED: .ioError("\(path): TagLib could not read it, or memory ran out")
        default: SystemError(status).error(path)
        }
    }
}

/// What the system answered when a file could not be used.
struct SystemError: Error {
    let code: Int32

    init(_ code: Int32 = errno) { self.code = code }

    /// The error of a port: `notFound` for what is not there, else `ioError` in the system's words.
    func error(_ path: String) -> CoreError {
        if code == ENOENT || code == ENOTDIR { return .notFound(path) }
        return .ioError("\(path): \(String(cString: strerror(code)))")
    }
}
