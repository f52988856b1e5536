import Foundation

/// The files mapped into a process, from the kernel.
enum LoadedImages {
    /// Every mapped file.
    static func paths(of process: pid_t = getpid()) throws -> Set<String> {
        let maps = try Processes.text("maps", of: process)
        return Set(
            maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
    }

    /// Whether espeak-ng, which is under the GPL, is in a process.
    static func containEspeak(_ process: pid_t = getpid()) throws -> Bool {
        try paths(of: process).contains { $0.contains("/libespeak-ng.so") }
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
