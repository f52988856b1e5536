public import DescantCore
public import Foundation

/// A plugin that was built beside the tests, bundled and found as a host finds it.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#built-plugin -->
/// ```swift
/// let plugin = try BuiltPlugin("Hum")
/// let contract = DecoderContract(fixtures: [fixture]) { try plugin.registry.makeDecoder("hum") }
/// #expect(try contract.findings() == [])
/// ```
public struct BuiltPlugin: Sendable {
    /// A registry that finds this bundle only.
    public let registry: PluginRegistry
    /// The folder that holds the bundle, with room for a test's files; it is removed with its last reference.
    public let folder: TemporaryDirectory

    /// Bundles a library.
    ///
    /// - Parameters:
    ///   - product: The name of the package's dynamic library, without `lib` and `.so`.
    ///   - products: The folder of the built products; that of the test runner by default.
    /// - Throws: `PluginError` when a host would refuse the bundle; `CoreError` when it cannot be written.
    public init(_ product: String, in products: URL = Bundle.main.bundleURL) throws {
        folder = try TemporaryDirectory(label: "descant-plugin")
        try PluginBundleWriter(folder: folder.url).write(library: products.appendingPathComponent("lib\(product).so"))
        registry = PluginRegistry(searchPath: [folder.url])
        registry.scan()
        if let refused = registry.unavailable.first { throw refused.error }
    }
}
