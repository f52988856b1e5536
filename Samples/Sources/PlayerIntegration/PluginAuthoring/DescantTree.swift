public import Foundation

/// What a plugin is built against: an installed tree with the SDK, or a checkout of the repository.
public struct DescantTree: Sendable, Hashable {
    /// How a package uses the tree.
    public enum Form: Sendable, Hashable {
        /// `lib/descant/sdk` holds the compiled modules: only the plugin is compiled.
        case installed
        /// The package depends on the repository by its path: the library is compiled, too.
        case checkout
    }

    /// The folder: the installation's prefix, or the root of the repository.
    public let folder: URL
    /// How a package uses the tree.
    public let form: Form

    /// Recognises a tree.
    ///
    /// - Parameter folder: An installation's prefix, or the root of a repository.
    /// - Throws: ``InputError`` for any other folder.
    public init(_ folder: URL) throws {
        guard let tree = Self.recognise(folder) else {
            throw InputError(
                description:
                    "\(folder.path) is neither a prefix that 'make install' filled (with lib/descant/sdk) nor a checkout "
                    + "of Descant; name one with --descant")
        }
        self = tree
    }

    private init(folder: URL, form: Form) {
        self.folder = folder
        self.form = form
    }

    /// The tree that this program belongs to: the prefix that it is installed in, or the checkout that it was built in.
    ///
    /// - Parameter executable: The program's file.
    /// - Throws: ``InputError`` when it belongs to neither.
    public static func ofProgram(
        _ executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    ) throws -> DescantTree {
        var folder = executable.deletingLastPathComponent()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if let tree = recognise(folder) { return tree }
        }
        // The Debian package has the files for authors of plugins in a package of its own.
        let remedy = executable.path == "/usr/bin/descant" ? "install descant-dev, or " : ""
        throw InputError(
            description:
                "\(executable.path) lies neither in an installed tree nor in a checkout of Descant; \(remedy)name one with --descant"
        )
    }

    private static func recognise(_ folder: URL) -> DescantTree? {
        let manager = FileManager.default
        for (form, mark) in [(Form.installed, "lib/descant/sdk/examples/Hum"), (.checkout, "Samples/Examples/Hum")]
        where manager.fileExists(atPath: folder.appendingPathComponent(mark).path) {
            return DescantTree(folder: folder.standardizedFileURL, form: form)
        }
        return nil
    }

    /// The folder with the packages that ``PluginTemplate`` copies.
    var examples: URL {
        folder.appendingPathComponent(form == .installed ? "lib/descant/sdk/examples" : "Samples/Examples")
    }

    private static let head = "// swift-tools-version: 6.1\nimport PackageDescription"

    /// The text of a package's `Package.swift`.
    ///
    /// - Parameter name: The package's, its product's and its module's name.
    func manifest(of name: String) -> String {
        switch form {
        case .installed:
            """
            \(Self.head)

            let descant = Context.environment["DESCANT_PREFIX"] ?? "\(folder.path)"
            let use: [SwiftSetting] = [.unsafeFlags(["-I", "\\(descant)/lib/descant/sdk"])]
            let link: [LinkerSetting] = [.unsafeFlags(["-L\\(descant)/lib", "-lDescant"])]
            let find: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-rpath=\\(descant)/lib"])]

            let package = Package(
                name: "\(name)", products: [.library(name: "\(name)", type: .dynamic, targets: ["\(name)"])],
                targets: [
                    .target(name: "\(name)", swiftSettings: use, linkerSettings: link),
                    .testTarget(name: "\(name)Tests", swiftSettings: use, linkerSettings: link + find),
                ])

            """
        case .checkout:
            """
            \(Self.head)

            let descant = Target.Dependency.product(name: "Descant", package: "descant")

            let package = Package(
                name: "\(name)",
                products: [.library(name: "\(name)", type: .dynamic, targets: ["\(name)"])],
                dependencies: [.package(name: "descant", path: "\(folder.path)")],
                targets: [
                    .target(name: "\(name)", dependencies: [descant]),
                    .testTarget(name: "\(name)Tests", dependencies: [descant]),
                ])

            """
        }
    }
}
