public import Foundation

/// The text of the arguments: words, a file, or standard input.
public struct SpokenInput: Sendable {
    /// The text.
    public let text: String
    /// The problems of the file, which do not prevent speech.
    public let warnings: [String]

    /// The maximum length of a file.
    private static let longest = 64 << 20
    /// The extensions by which a word is recognised as a file name.
    private static let endings: Set<String> = [
        "adoc", "csv", "epub", "htm", "html", "json", "log", "markdown", "md", "org", "rst", "tex", "text", "txt",
        "xhtml",
    ]

    /// Reads the named inputs.
    ///
    /// - Parameters:
    ///   - words: Words of a text; the name of a file is replaced by its text, and `-` by `standardInput`.
    ///   - standardInput: The source of the text for `-`.
    /// - Throws: ``InputError`` for a file that is missing, cannot be read, or is not text.
    public init(_ words: [String], standardInput: FileHandle) throws {
        guard words.count == 1, let word = words.first else {
            (text, warnings) = (words.joined(separator: " "), [])
            return
        }
        if word == "-" {
            (text, warnings) = try Self.decode(try Self.read(standardInput, "the standard input"), "the standard input")
            return
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: word, isDirectory: &isFolder) else {
            guard !Self.isPath(word) else {
                throw InputError(description: "\(word): there is no such file; - speaks what comes by standard input")
            }
            (text, warnings) = (word, [])
            return
        }
        guard !isFolder.boolValue else { throw InputError(description: "\(word) is a folder; name a text file") }
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: word))
        } catch {
            throw InputError(description: "\(word) cannot be read: \(error.localizedDescription)")
        }
        (text, warnings) = try Self.decode(try Self.read(file, word), word)
    }

    private static func isPath(_ word: String) -> Bool {
        guard !word.contains(where: \.isWhitespace) else { return false }
        return ["/", "./", "../", "~"].contains(where: word.hasPrefix)
            || endings.contains((word as NSString).pathExtension.lowercased())
    }

    private static func read(_ file: FileHandle, _ name: String) throws -> Data {
        var data = Data()
        do {
            while let more = try file.read(upToCount: 1 << 16), !more.isEmpty {
                data += more
                guard data.count <= longest else {
                    throw InputError(description: "\(name) is longer than \(longest >> 20) MiB; divide it")
                }
            }
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(description: "\(name) cannot be read: \(error.localizedDescription)")
        }
        return data
    }

    private static func decode(_ data: Data, _ name: String) throws -> (String, [String]) {
        if data.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw InputError(description: "\(name) is an archive; for books there is: descant read")
        }
        let decoded = try TextDecoding(data, name: name)
        return (decoded.text, decoded.notices)
    }
}
