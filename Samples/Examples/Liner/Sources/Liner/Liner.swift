import Descant
import Foundation

/// Reads tags from a text file with lines such as `title: Rain`; its first line is `liner`.
final class LinerReader: TagReaderPort, Sendable {
    func read(url: URL) throws -> TagBundle {
        let data = try content(of: url)
        guard let text = String(data: data, encoding: .utf8) else {
            throw CoreError.decodeError("\(url.path) is not UTF-8")
        }
        var lines = text.split(whereSeparator: \.isNewline)[...]
        guard lines.popFirst()?.trimmingCharacters(in: .whitespaces) == "liner" else {
            throw CoreError.unsupported("\(url.path): the first line is not \"liner\"")
        }
        var tags = TagBundle()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[1].isEmpty else { continue }
            switch parts[0].lowercased() {
            case "title": tags.title = parts[1]
            case "artist": tags.artists = (tags.artists ?? []) + [parts[1]]
            case "album": tags.album = parts[1]
            case "genre": tags.genres = (tags.genres ?? []) + [parts[1]]
            case "year": tags.year = Int(parts[1].prefix(4)).flatMap { (1_000...9_999).contains($0) ? $0 : nil }
            case "track": tags.trackNumber = Int(parts[1]).flatMap { $0 >= 1 ? $0 : nil }
            default: break
            }
        }
        var technical = TechnicalProperties()
        technical.fileSize = Int64(data.count)
        tags.technical = technical
        return tags
    }

    private func content(of url: URL) throws -> Data {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw CoreError.notFound(url.path)
        }
        if isDirectory.boolValue { throw CoreError.ioError("\(url.path) is a directory") }
        do { return try Data(contentsOf: url) } catch { throw CoreError.ioError("\(url.path): \(error)") }
    }
}

struct LinerPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.liner", name: "Liner", version: "1.0.0", license: "Apache-2.0",
        provides: [.tagReader("liner", extensions: ["liner"]) { LinerReader() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: LinerPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(LinerPlugin.self, host) }
