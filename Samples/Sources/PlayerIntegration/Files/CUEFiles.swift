internal import Foundation
internal import PlayerApp

/// Finds the files of CUE sheets.
enum CUEFiles {
    /// The encodings of sheets that are not UTF-8: Japanese, Chinese, Korean, Cyrillic and Western.
    private static let encodings: [String.Encoding] = [
        .shiftJIS,
        // GB18030, and EUC-KR with the additions of Windows. Foundation has no names for them, but takes the numbers of
        // Core Foundation.
        String.Encoding(rawValue: 0x8000_0632), String.Encoding(rawValue: 0x8000_0422),
        .windowsCP1251, .windowsCP1252,
    ]
    /// How many names of files are looked for in each encoding.
    private static let namesPerEncoding = 20

    /// Returns the tracks of a sheet.
    ///
    /// A sheet that is not UTF-8 is read in the first encoding in which it names a file that exists. Names in ASCII are
    /// the same in all of them, so they tell nothing about the rest of the sheet.
    ///
    /// - Parameters:
    ///   - data: The sheet.
    ///   - decoded: Its text where no encoding is found.
    ///   - sheet: Its file.
    /// - Throws: ``InputError`` naming the line and what is wrong with it, or the file that does not exist and the
    ///   assumption about the encoding.
    static func entries(in data: Data, decoded: TextDecoding, of sheet: URL) throws(InputError) -> [PlaylistEntry] {
        let names = decoded.notices.isEmpty ? [] : namesBeyondASCII(in: decoded.text)
        guard let name = names.first, !hasFile(names, of: sheet) else {
            return try entries(in: decoded.text, of: sheet)
        }
        for encoding in encodings {
            guard let text = String(data: data, encoding: encoding) else { continue }
            if hasFile(namesBeyondASCII(in: text), of: sheet) { return try entries(in: text, of: sheet) }
        }
        let tracks = try entries(in: decoded.text, of: sheet)
        guard !tracks.isEmpty, !tracks.contains(where: { PlaylistFile.exists($0.url.path) }) else { return tracks }
        let notices = decoded.notices.joined(separator: ". ")
        throw InputError(description: "\(sheet.path): the file \(name) does not exist. \(notices)")
    }

    /// Returns the first names of files in a sheet that are not ASCII; none for a sheet that cannot be read.
    private static func namesBeyondASCII(in text: String) -> [String] {
        var names: [String] = []
        _ = try? CUESheet.entries(in: text) { name in
            names.append(name)
            return URL(fileURLWithPath: "/")
        }
        return Array(names.filter { !$0.utf8.allSatisfy { $0 < 0x80 } }.prefix(namesPerEncoding))
    }

    private static func hasFile(_ names: [String], of sheet: URL) -> Bool {
        names.contains { existingFile(named: $0, of: sheet) != nil }
    }

    private static func entries(in text: String, of sheet: URL) throws(InputError) -> [PlaylistEntry] {
        do {
            return try CUESheet.entries(in: text) { file(named: $0, of: sheet) }
        } catch {
            throw InputError(description: "\(sheet.path), line \(error.line): \(error.reason)")
        }
    }

    /// Returns the tracks of sheets that divide a file, by the path of that file. A sheet that cannot be read divides none.
    ///
    /// - Parameter step: Called after each step of the disk.
    static func parts(in sheets: [URL], step: () -> Void) -> [String: [PlaylistEntry]] {
        var parts: [String: [PlaylistEntry]] = [:]
        for sheet in sheets {
            let entries = (try? PlaylistFile.entries(of: sheet, step: step)) ?? []
            for (path, tracks) in Dictionary(grouping: entries, by: \.url.standardizedFileURL.path)
            where tracks.count > 1 && parts[path] == nil {
                parts[path] = tracks
            }
        }
        return parts
    }

    /// Returns the file that a name in a sheet means. A file with the name of the sheet is the last resort.
    private static func file(named name: String, of sheet: URL) -> URL {
        existingFile(named: name, of: sheet)
            ?? encodedFiles(sheet.deletingPathExtension()).first { PlaylistFile.exists($0.path) }
            ?? place(of: name, in: sheet.deletingLastPathComponent())
    }

    /// Returns the file that a name in a sheet means, if it exists: beside the sheet, also when the sheet was written
    /// on another computer, or before the file was encoded as another format.
    private static func existingFile(named name: String, of sheet: URL) -> URL? {
        let folder = sheet.deletingLastPathComponent()
        let forms = PlaylistFile.unicodeForms(of: [name])
        let beside = forms.map { folder.appendingPathComponent((slashed($0) as NSString).lastPathComponent) }
        let named = zip(forms, beside).flatMap { [place(of: $0, in: folder), $1] }
        let encoded = beside.lazy.flatMap { encodedFiles($0.deletingPathExtension()) }
        return named.first { PlaylistFile.exists($0.path) } ?? encoded.first { PlaylistFile.exists($0.path) }
    }

    /// Returns where a name lies that counts from a folder.
    private static func place(of name: String, in folder: URL) -> URL {
        (name.hasPrefix("/") ? URL(fileURLWithPath: name) : folder.appendingPathComponent(slashed(name)))
            .standardizedFileURL
    }

    private static func slashed(_ name: String) -> String { name.replacingOccurrences(of: "\\", with: "/") }

    /// Returns the files of a name without extension in every format.
    private static func encodedFiles(_ stem: URL) -> [URL] {
        InputExpander.endings.sorted().map { stem.appendingPathExtension($0) }
    }
}
