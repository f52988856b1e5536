import Descant
import DescantTesting
import Foundation
import Testing

/// Packages that the tests write and build, as an author's own would be.
@Suite struct OutsidePackageTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    /// A complete plugin; the documentation shows the same lines.
    private static let source = #"""
        import Descant
        import Foundation

        struct SilencePlugin: DescantPlugin {
            static let manifest = PluginManifest(
                id: "org.example.silence", name: "Silence", version: "1.0.0", license: "MIT",
                provides: [
                    PluginProvision(
                        kind: .decoder, identifier: "silence", fileTypes: [PluginFileType(extensions: ["silence"])])
                ])

            func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort { SilenceDecoder() }
        }

        /// Every file is a second of silence.
        final class SilenceDecoder: DecoderPort {
            private var left: [DecodeHandle: Int] = [:]

            func open(url: URL) throws -> DecodeHandle {
                let handle = DecodeHandle()
                left[handle] = 44_100
                return handle
            }

            func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
                let frames = min(maxFrames, left[handle] ?? 0)
                buffer.update(repeating: 0, count: frames)
                left[handle]? -= frames
                return frames
            }

            func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
                left[handle] = 44_100 - Int(seconds * 44_100)
            }

            func info(_ handle: DecodeHandle) throws -> StreamInfo {
                StreamInfo(duration: 1, sampleRate: 44_100, channels: 1, bitDepth: 16)
            }

            func close(_ handle: DecodeHandle) { left[handle] = nil }
        }

        @c(descant_plugin_manifest)
        public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: SilencePlugin.self) }

        @c(descant_plugin_entry)
        public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(SilencePlugin.self, host) }
        """#

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func aPackageOutsideTheTreeBuildsAndLoads() throws {
        let package = shelf.directory.file("Silence")
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "Silence",
                products: [.library(name: "Silence", type: .dynamic, targets: ["Silence"])],
                dependencies: [.package(name: "descant", path: "\(SwiftPackage.root.path)")],
                targets: [.target(name: "Silence", dependencies: [.product(name: "Descant", package: "descant")])]
            )
            """
        try write(manifest, to: package.appendingPathComponent("Package.swift"))
        try write(Self.source, to: package.appendingPathComponent("Sources/Silence/Silence.swift"))
        let built = try SwiftPackage.build(package, product: "Silence")
        try shelf.write(built.appendingPathComponent("libSilence.so"))
        let file = try shelf.directory.write(Data("?".utf8), to: "night.silence")
        let stream = try shelf.registry().open(file)
        #expect(stream.plugin == "org.example.silence")
        #expect(stream.info.duration == 1)
        var samples = [Float](repeating: 1, count: 50_000)
        #expect(try stream.decoder.read(stream.handle, into: &samples, maxFrames: 50_000) == 44_100)
        #expect(samples.prefix(44_100).allSatisfy { $0 == 0 })
    }

    /// The usual mistake: the plugin is a target beside a copy of the core, which SwiftPM then links into it.
    @Test func aLibraryWithItsOwnCoreIsRefused() throws {
        // Kept from run to run, so that the core is compiled into it once.
        let package = SwiftPackage.scratch.deletingLastPathComponent().appendingPathComponent("embedding")
        let sources = package.appendingPathComponent("Sources")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        for target in ["CDescant", "DescantCore"] {
            let link = sources.appendingPathComponent(target)
            try? FileManager.default.removeItem(at: link)
            let original = SwiftPackage.root.appendingPathComponent("Sources/\(target)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: original)
        }
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription

            let strict: [SwiftSetting] = [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
            let package = Package(
                name: "Embedding",
                products: [.library(name: "Embedding", type: .dynamic, targets: ["Embedding"])],
                targets: [
                    .target(name: "CDescant"),
                    .target(name: "DescantCore", dependencies: ["CDescant"], swiftSettings: strict),
                    .target(name: "Embedding", dependencies: ["DescantCore"]),
                ]
            )
            """
        try write(manifest, to: package.appendingPathComponent("Package.swift"))
        let source = Self.source.replacingOccurrences(of: "import Descant\n", with: "import DescantCore\n")
        try write(source, to: sources.appendingPathComponent("Embedding/Silence.swift"))
        let scratch = package.appendingPathComponent(".build")
        let built = try SwiftPackage.build(package, product: "Embedding", scratch: scratch)
        let library = built.appendingPathComponent("libEmbedding.so")

        let bundle = try shelf.forge("Embedding", library: Data(contentsOf: library))
        let registry = shelf.registry()
        let error = #expect(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        guard case .embedsCore(bundle.path + "/libEmbedding.so", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(registry.unavailable.first?.error == error)
        #expect(try !LoadedImages.contain(libraryOf: bundle))
        #expect(throws: PluginError.self) { try shelf.write(library) }
    }
}
