package import Foundation

/// The properties of a source by which decoders are chosen.
package struct ProbedSource {
    /// What is known of the source.
    ///
    /// An empty ID3v2 tag of 10 bytes stands for the tags that a file begins with: the format shows behind them, and one with a picture
    /// is longer than the header.
    package let input: ProbeInput
    /// The same with the file's own first bytes; `nil` when ``input`` has them. Decoders that skip bytes behind a tag may know by these
    /// that the file is possible.
    let unshortened: ProbeInput?

    /// The length in bytes of an ID3v2 tag without content.
    private static let emptyTagLength = 10
    /// The maximum number of tags in a row that are skipped. Each one costs a read.
    private static let tagLimit = 16

    /// Creates a source of which no more is known.
    init(_ input: ProbeInput) {
        self.input = input
        unshortened = nil
    }

    /// Reads the beginning of a file, and what follows its leading ID3v2 tags; of another URL only the extension is known.
    ///
    /// - Parameters:
    ///   - url: The source.
    ///   - mimeType: The declared MIME type, if any.
    /// - Throws: What ``ProbeInput/init(file:mimeType:)`` throws.
    package init(_ url: URL, mimeType: String? = nil) throws {
        guard url.isFileURL else {
            self.init(ProbeInput(header: Data(), fileExtension: url.pathExtension.lowercased(), mimeType: mimeType))
            return
        }
        let file = try LocalFile(path: url.path)
        let whole = ProbeInput(
            header: try file.readBeginning(ProbeInput.headerLength),
            fileExtension: OpenedFileNames.fileExtension(of: url), mimeType: mimeType)
        guard let header = try Self.shortened(whole.header, of: file) else {
            self.init(whole)
            return
        }
        self.init(whole, shortened: header)
    }

    private init(_ whole: ProbeInput, shortened header: Data) {
        var shortened = whole
        shortened.header = header
        input = shortened
        unshortened = whole
    }

    /// An empty tag and what follows the tags of a file; `nil` when the file begins with none, or ends within the first.
    private static func shortened(_ header: Data, of file: LocalFile) throws -> Data? {
        let size = try file.examine()
        var end: Int64 = 0
        var rest = header
        for _ in 0..<tagLimit {
            let length = Int64(ProbeInput(header: rest, fileExtension: "").endOfLeadingID3v2Tag)
            // The file may be shorter than its tag says.
            guard length > 0, length < size - end else { break }
            end += length
            rest = try file.bytes(ProbeInput.headerLength - emptyTagLength, at: end)
        }
        guard end > 0 else { return nil }
        // The name and the version; neither flags nor a length.
        var shortened = Data(header.prefix(5))
        shortened.append(Data(count: emptyTagLength - shortened.count))
        shortened.append(rest)
        return shortened
    }
}
