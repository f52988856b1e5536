internal import DescantContainers
public import DescantCore
public import Foundation

/// Writes tags, as conservatively as can be.
///
/// Only what is asked for changes: frames, items, blocks and chunks of other programs stay byte by byte, and so does the sound.
/// TagLib would parse them and write them anew, and lose what it does not know; so the containers are edited here, and TagLib reads
/// the result (see docs/decisions). ID3v2 tags keep their version (new ones are 2.4), padding is used before the file grows.
///
/// | file | where tags go |
/// |---|---|
/// | MP3, AAC (ADTS), True Audio | ID3v2; an APE tag and ID3v1 that are there are kept in step |
/// | FLAC | Vorbis comments and picture blocks |
/// | Ogg Vorbis, Opus | Vorbis comments with pictures; gains in Opus as R128 |
/// | MP4 (M4A) | the item list |
/// | WAVE, AIFF | an ID3v2 chunk; RIFF INFO fields that are there are kept in step |
/// | Monkey's Audio, WavPack, Musepack | APE; ID3v1 that is there is kept in step |
///
/// Languages of lyrics are kept by ID3v2 only, kinds of pictures by all but MP4 and APE (which has a front and a back cover).
///
/// A file that ``TagLibReader`` cannot read is not changed. The new file grows beside the old one, is read back, gets its mode, owner and extended attributes, and takes its name in one step when it is
/// safely on the disk. One that cannot be read back is dropped, with an error, and the old one stays. A link to a file is followed; other hard links go on naming the old file. May be called from any number of
/// threads at once.
public final class TagLibWriter: TagWriterPort, Sendable {
    /// The identifier under which hosts find it in a registry.
    public static let identifier = "taglib"

    private let step: Int
    private let goesOn: @Sendable () -> Bool

    /// Creates a writer; userCommandCount nothing.
    public convenience init() { self.init(step: 8 << 20) { true } }

    /// Creates a writer for tests that stops as if killed.
    ///
    /// - Parameters:
    ///   - step: How many bytes are written between two questions.
    ///   - goesOn: Asked before every change of the disk; no ends the work there and leaves everything as it is.
    package init(step: Int, goesOn: @escaping @Sendable () -> Bool) {
        self.step = step
        self.goesOn = goesOn
    }

    /// Writes the fields that are not `nil`.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - tags: The fields to change; an empty bundle leaves the file untouched.
    /// - Throws: As ``TagWriterPort/write(url:tags:)``.
    public func write(url: URL, tags: TagBundle) throws {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.absoluteString): tags are written into files only")
        }
        do {
            let file = try SourceFile(url)
            let change = try TagChange(tags)
            let container = try WritableContainer(file)
            guard !change.isEmpty else { return }
            // What the reader does not know before is not changed, and what it does not know afterwards does not stay.
            _ = try TagLibReader().read(url: url)
            let pieces = try container.pieces(of: file, change: change)
            try FileReplacement(source: file, goesOn: goesOn, step: step).write(pieces)
        } catch let error as ContainerError {
            throw Self.error(error, url.path)
        } catch let error as SystemError {
            throw error.error(url.path)
        } catch is FileReplacement.Ended {
            throw CoreError.ioError("\(url.path): writing was ended")
        }
    }

    private static func error(_ error: ContainerError, _ path: String) -> CoreError {
        switch error {
        case .damaged(let what): .decodeError("\(path): \(what)")
        case .unsupported(let what): .unsupported("\(path): \(what)")
        case .invalidValue(let what): .invalidArgument("\(path): \(what)")
        }
    }
}
