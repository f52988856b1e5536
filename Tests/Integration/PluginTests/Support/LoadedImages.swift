import Foundation

/// The files mapped into this process, from the kernel.
enum LoadedImages {
    /// Every mapped file.
    static func paths() throws -> Set<String> {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        // The kernel returns one page at a time and no length.
        var data = Data()
        while let more = try file.read(upToCount: 4096), !more.isEmpty { data += more }
        let maps = String(decoding: data, as: UTF8.self)
        return Set(
            maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
    }

    /// Whether a bundle's library is in this process.
    static func contain(libraryOf bundle: URL) throws -> Bool {
        let path = bundle.resolvingSymlinksInPath().path + "/"
        return try paths().contains { $0.hasPrefix(path) }
    }

    /// The mapped file with a name, after a call that loads it.
    static func path(of name: String, loadedBy load: () throws -> Any) throws -> URL? {
        let loaded = try load()
        return try withExtendedLifetime(loaded) {
            try paths().first { $0.contains("/\(name)") }.map { URL(fileURLWithPath: $0) }
        }
    }
}
