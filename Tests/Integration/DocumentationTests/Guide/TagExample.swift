import Descant
import Foundation

// snippet
/// Describes one file by its tags.
func describe(_ file: URL) throws -> String {
    let service = AudioEnvironment.shared.makeTagReaderService()
    let track = try service.readMetadata(for: file)
    return "\(track.title) by \(track.artist ?? "nobody"), \(track.tags.technical?.codec ?? "?")"
}

/// Every audio file in a folder and below it, several at once, with progress.
func titles(in folder: URL) async -> [String] {
    var titles: [String] = []
    for await result in AudioEnvironment.shared.makeTagReaderService().readMetadata(in: folder) {
        switch result.outcome {
        case .success(let track): titles.append(track.title)
        case .failure(let error): print("\(result.url.path): \(error)")
        }
        if let share = result.progress.fraction { print("\(Int(share * 100)) %") }
    }
    return titles
}

/// Changes only two fields.
func rename(_ file: URL, to title: String, by artists: [String]) throws {
    var tags = TagBundle(title: title)
    tags.artists = artists
    try AudioEnvironment.shared.makeTagWriter().write(url: file, tags: tags)
}
