internal import Descant
public import Foundation
internal import Glibc

/// A SwiftPM package of plugins.
public struct PluginPackage: Sendable {
    /// The package's folder.
    public let folder: URL

    /// Finds a package.
    ///
    /// - Parameter folder: A folder with a `Package.swift`.
    /// - Throws: ``InputError`` when there is none.
    public init(folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) else {
            throw InputError(description: "\(folder.path) holds no Package.swift; 'descant plugin new NAME' writes one")
        }
        self.folder = folder
    }

    /// Builds the package's dynamic libraries and writes a bundle of each.
    ///
    /// The messages of the compiler go to the standard error. A library for release finds what lies beside it and the Swift libraries of
    /// the tree that its bundle is shipped in; the rest is loaded by the host. The toolchain's folder, which another machine may not have,
    /// is not in its run path.
    ///
    /// - Parameters:
    ///   - output: The folder for the bundles; created when it is not there.
    ///   - configuration: `release` or `debug`.
    /// - Returns: The bundles' folders.
    /// - Throws: ``InputError`` when the package does not build or has no dynamic library; `PluginError` when a host would refuse the
    ///   library.
    public func build(into output: URL, configuration: String = "release") throws -> [URL] {
        let package = ["--package-path", folder.path]
        let description = try Self.swift(["package"] + package + ["dump-package"], captures: true)
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: description) else {
            throw InputError(description: "\(folder.path): 'swift package dump-package' gave no description")
        }
        let libraries = manifest.products.filter(\.isDynamicLibrary)
        guard !libraries.isEmpty else {
            throw InputError(
                description:
                    "\(folder.path)/Package.swift has no product .library(name: …, type: .dynamic, …), which a bundle is made of"
            )
        }
        var build = ["build"] + package + ["--configuration", configuration]
        // A debug build has the flags of `swift test`, which then compiles nothing again.
        if configuration == "release" {
            build += ["-Xswiftc", "-no-toolchain-stdlib-rpath", "-Xlinker", "-rpath=$ORIGIN/../../swift"]
        }
        for library in libraries { _ = try Self.swift(build + ["--product", library.name], captures: false) }
        let path = String(decoding: try Self.swift(build + ["--show-bin-path"], captures: true), as: UTF8.self)
        let products = URL(fileURLWithPath: path.trimmingCharacters(in: .whitespacesAndNewlines))
        return try libraries.map { library in
            try PluginBundleWriter(folder: output).write(
                library: products.appendingPathComponent("lib\(library.name).so"))
        }
    }

    /// The user's folder for bundles: `descant/plugins` in `XDG_DATA_HOME`.
    ///
    /// - Parameter environment: The variables of the process.
    public static func userFolder(environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return URL(fileURLWithPath: data ?? (environment["HOME"] ?? "/") + "/.local/share")
            .appendingPathComponent("descant/plugins")
    }

    private struct Manifest: Decodable {
        struct Product: Decodable {
            let name: String
            let type: [String: [String]?]
            var isDynamicLibrary: Bool { (type["library"] ?? nil) == ["dynamic"] }
        }
        let products: [Product]
    }

    /// Runs `swift` in this process's group, so that an interruption of the terminal ends both.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - captures: Whether the standard output is returned; otherwise it goes to the standard error.
    private static func swift(_ arguments: [String], captures: Bool) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("descant-swift-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if captures {
            posix_spawn_file_actions_addopen(&actions, 1, file.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 2, 1)
        }
        var words: [UnsafeMutablePointer<CChar>?] = (["swift"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, "swift", &actions, nil, &words, environ)
        guard code == 0 else {
            let remedy = code == ENOENT ? "; install Swift \(PluginEntry.swiftVersion) and put it on the PATH" : ""
            throw InputError(description: "swift cannot be run: \(String(cString: strerror(code)))\(remedy)")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw InputError(description: "'swift \(arguments.joined(separator: " "))' failed; its messages are above")
        }
        return captures ? try Data(contentsOf: file) : Data()
    }
}
