import Foundation

/// Libraries that the build left beside the tests, or that the tests build themselves.
enum BuiltLibrary {
    /// The folder with this run's `libDescant.so` and the fixtures.
    static var folder: URL {
        get throws {
            guard let core = try LoadedImages.paths().first(where: { $0.hasSuffix("/libDescant.so") }) else {
                throw SwiftPackage.Failure(description: "the tests do not share libDescant.so")
            }
            return URL(fileURLWithPath: core).deletingLastPathComponent()
        }
    }

    /// A fixture of this package.
    static func fixture(_ name: String) throws -> URL { try folder.appendingPathComponent("lib\(name).so") }

    /// A first-party plugin: from the folder that `make test` names, else built now.
    static func plugin(_ name: String) throws -> URL {
        let built: URL
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"] {
            built = URL(fileURLWithPath: folder)
        } else {
            built = try SwiftPackage.buildNow(SwiftPackage.root.appendingPathComponent("Plugins"), product: name)
        }
        return built.appendingPathComponent("lib\(name).so")
    }
}
