public import Foundation
internal import Glibc

/// Turns a built library into a bundle.
public struct PluginBundleWriter: Sendable {
    /// The folder in which bundles are written.
    public let folder: URL

    /// Creates a writer.
    ///
    /// - Parameter folder: Where bundles go; created when it is not there.
    public init(folder: URL) { self.folder = folder }

    /// Writes `NAME.descantplugin` with the manifest, the library and whatever lies beside it.
    ///
    /// The library is loaded into this process to read the manifest inside it, and stays loaded: do not write bundles
    /// from a long-lived program. A bundle of the same name is replaced as a whole.
    ///
    /// - Parameters:
    ///   - library: The built library.
    ///   - files: Further files, copied beside the library, such as libraries that it needs; programs stay executable.
    ///   - name: The bundle's name without its ending; `nil` takes the library's without `lib` and `.so`.
    /// - Returns: The bundle's folder.
    /// - Throws: ``PluginError`` when a host would refuse the library; ``CoreError/ioError(underlying:)`` when something
    ///   cannot be written, and for a folder among the files; ``CoreError/notFound(_:)`` for one that is not there.
    @discardableResult
    public func write(library: URL, files: [URL] = [], name: String? = nil) throws -> URL {
        try PluginInspection.check(library: library.path)
        try Self.check(files, library: library)
        var manifest = try Self.embeddedManifest(of: library, files: files)
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = library.lastPathComponent
        let bundle = folder.appendingPathComponent((name ?? Self.name(of: library)) + PluginBundle.suffix)
        do {
            try write(manifest, library: library, files: files, to: bundle)
        } catch let error as CocoaError {
            throw CoreError.ioError("\(bundle.path) cannot be written: \(error.localizedDescription)")
        }
        return bundle
    }

    /// Throws for files that would replace one another in the bundle.
    private static func check(_ files: [URL], library: URL) throws {
        var names: Set = [library.lastPathComponent, "manifest.json", PluginTrust.signatureFile]
        for file in files where !names.insert(file.lastPathComponent).inserted {
            throw CoreError.invalidArgument(
                "\(file.path): the bundle has another file called \(file.lastPathComponent); rename one of them")
        }
    }

    /// Reads the manifest inside a library.
    ///
    /// A library that needs one of the files is loaded from a folder in which they lie beside it, as in the bundle.
    /// The bundle is not loaded itself: a program that writes it may load it as a host afterwards.
    private static func embeddedManifest(of library: URL, files: [URL]) throws -> PluginManifest {
        do {
            return try PluginLoader.embeddedManifest(library.path)
        } catch PluginError.missingDependency(_, _) where !files.isEmpty {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("descant-bundle-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            do {
                try makeLinks(to: [library] + files, in: folder)
            } catch let error as CocoaError {
                throw CoreError.ioError("\(folder.path) cannot be written: \(error.localizedDescription)")
            }
            return try PluginLoader.embeddedManifest(
                folder.path + "/" + library.lastPathComponent, named: library.path)
        }
    }

    /// Makes a folder of links. To the dynamic linker `$ORIGIN` is the folder of a link, and not that of its target.
    private static func makeLinks(to files: [URL], in folder: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for file in files {
            try LocalFile(path: file.path).examine()
            try manager.createSymbolicLink(
                at: folder.appendingPathComponent(file.lastPathComponent),
                withDestinationURL: file.resolvingSymlinksInPath())
        }
    }

    /// Writes into a folder of another name first, so that a bundle is never seen half written.
    private func write(_ given: PluginManifest, library: URL, files: [URL], to bundle: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        let draft = folder.appendingPathComponent(".\(bundle.lastPathComponent).\(getpid())")
        try? manager.removeItem(at: draft)
        defer { try? manager.removeItem(at: draft) }
        try manager.createDirectory(
            at: draft, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])

        var manifest = given
        manifest.sha256 = try copy(library, into: draft, permissions: 0o755)
        for file in files {
            manifest.files = manifest.files ?? [:]
            // A program beside the library stays one.
            let permissions = manager.isExecutableFile(atPath: file.path) ? 0o755 : 0o644
            manifest.files?[file.lastPathComponent] = try copy(file, into: draft, permissions: permissions)
        }
        // A host would refuse the name of a file that has a control character.
        if let problem = manifest.problem { throw PluginError.badManifest(path: bundle.path, reason: problem) }
        let text = draft.appendingPathComponent("manifest.json")
        try manifest.json().write(to: text)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: text.path)

        if manager.fileExists(atPath: bundle.path) { try manager.removeItem(at: bundle) }
        try manager.moveItem(at: draft, to: bundle)
    }

    /// Copies a file and returns its digest.
    private func copy(_ file: URL, into folder: URL, permissions: Int) throws -> String {
        let copy = folder.appendingPathComponent(file.lastPathComponent)
        // A folder would be copied whole.
        try LocalFile(path: file.path).examine()
        // The file that a link leads to, as a bundle with links is refused.
        try FileManager.default.copyItem(at: file.resolvingSymlinksInPath(), to: copy)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: copy.path)
        return try CheckedFiles.digest(of: copy.path)
    }

    private static func name(of library: URL) -> String {
        let file = library.deletingPathExtension().lastPathComponent
        return file.hasPrefix("lib") ? String(file.dropFirst(3)) : file
    }
}
