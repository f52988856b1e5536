internal import Foundation
internal import PlayerApp

/// Finds the files of CUE sheets.
enum CUEFiles {
    /// Returns the tracks of a sheet.
    ///
    /// - Parameters:
    ///   - text: The sheet.
    ///   - sheet: Its file.
    /// - Throws: ``InputError`` naming the line and what is wrong with it.
    static func entries(in text: String, of sheet: URL) throws(InputError) -> [PlaylistEntry] {
        do {
            return try CUESheet.entries(in: text) { file(named: $0, of: sheet) }
        } catch {
            throw InputError(description: "\(sheet.path), line \(error.line): \(error.reason)")
        }
    }

    /// Returns the tracks of sheets that divide a file, by the path of that file. A sheet that cannot be read divides none.
    static func parts(in sheets: [URL]) -> [String: [PlaylistEntry]] {
        var parts: [String: [PlaylistEntry]] = [:]
        for sheet in sheets {
            let entries = (try? PlaylistFile.entries(of: sheet)) ?? []
            for (path, tracks) in Dictionary(grouping: entries, by: \.url.standardizedFileURL.path)
            where tracks.count > 1 && parts[path] == nil {
                parts[path] = tracks
            }
        }
        return parts
    }

    /// Returns the file that a name in a sheet means: beside the sheet, also when the sheet was written on another computer, or
    /// before the file was encoded as another format.
    private static func file(named name: String, of sheet: URL) -> URL {
        let folder = sheet.deletingLastPathComponent()
        let path = name.replacingOccurrences(of: "\\", with: "/")
        let named = (name.hasPrefix("/") ? URL(fileURLWithPath: name) : folder.appendingPathComponent(path))
            .standardizedFileURL
        let beside = folder.appendingPathComponent((path as NSString).lastPathComponent)
        let stems = [beside.deletingPathExtension(), sheet.deletingPathExtension()]
        let encoded = stems.flatMap { stem in InputExpander.endings.sorted().map { stem.appendingPathExtension($0) } }
        return ([named, beside] + encoded).first { FileManager.default.fileExists(atPath: $0.path) } ?? named
    }
}
