import Foundation
import PlayerApp

@testable import PlayerIntegration

/// A folder of books for one test, removed afterwards.
final class Shelf {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-shelf-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @discardableResult
    func put(_ data: Data, as name: String) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }

    func load(_ data: Data, as name: String, language: String? = nil) throws -> BookLoader {
        try BookLoader([try put(data, as: name).path], language: language)
    }

    func load(_ text: String, as name: String = "book.txt") throws -> BookLoader {
        try load(Data(text.utf8), as: name)
    }

    /// Why a file is refused.
    func refusal(of data: Data, as name: String) throws -> String {
        do {
            _ = try load(data, as: name)
            return ""
        } catch let error as InputError {
            return error.description
        }
    }
}

extension Book {
    var paragraphTexts: [String] { paragraphs.map(string) }
    var sentenceTexts: [String] { sentences.map(string) }
    var chapterTitles: [String] { chapters.map(\.title) }
}
