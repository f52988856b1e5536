public import Foundation
internal import Glibc

/// The search path.
extension PluginRegistry {
    /// `DESCANT_PLUGIN_PATH`, beside the executable, `../lib/descant/plugins` from there, the user's and the system's
    /// data folders.
    ///
    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - executable: The program's file.
    public static func standardSearchPath(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    ) -> [URL] {
        func paths(_ list: String) -> [String] { list.split(separator: ":").map(String.init) }
        func folder(_ path: String) -> URL { URL(fileURLWithPath: path, isDirectory: true) }
        func variable(_ name: String, default value: String) -> String {
            environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? value
        }
        let program = executable.deletingLastPathComponent()
        let home = variable("HOME", default: "/")
        // The XDG base directory specification: XDG_DATA_HOME is one folder, and relative paths are ignored.
        let dataHome = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        let dataFolders = paths(variable("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share"))
        let data = [dataHome] + dataFolders.filter { $0.hasPrefix("/") }
        return paths(environment["DESCANT_PLUGIN_PATH"] ?? "").map(folder)
            + [program, program.deletingLastPathComponent().appendingPathComponent("lib/descant/plugins")]
            + data.map { folder($0).appendingPathComponent("descant/plugins") }
    }

    /// The bundles in folders, in the order of the folders and of their names.
    static func bundlePaths(in folders: [URL]) -> [String] {
        var paths: [String] = []
        for folder in folders {
            // A missing folder is the usual case and no error.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names.sorted() where name.hasSuffix(PluginBundle.suffix) {
                let path = folder.appendingPathComponent(name).resolvingSymlinksInPath().path
                if !paths.contains(path) { paths.append(path) }
            }
        }
        return paths
    }
}

/// Tells whether entries of a folder were added, removed or renamed.
struct FolderStamp: Equatable {
    private let inode: UInt
    private let links: UInt
    private let seconds: Int
    private let nanoseconds: Int

    init(_ folder: URL) {
        var status = stat()
        // A missing folder has zeros.
        _ = stat(folder.path, &status)
        inode = UInt(status.st_ino)
        links = UInt(status.st_nlink)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
