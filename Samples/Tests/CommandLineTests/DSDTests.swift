import Foundation
import Testing

extension RenderingSuite {
    /// The DSD bundle in the output of `descant`.
    @Suite struct DSDTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        /// A silent stereo DSF file.
        static func silence(blocks: Int) -> Data {
            func little(_ value: Int, _ size: Int) -> Data {
                Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
            }
            let sound = blocks * 2 * 4_096
            var data = Data("DSD ".utf8) + little(28, 8) + little(92 + sound, 8) + little(0, 8)
            data += Data("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
            data +=
                little(2_822_400, 4) + little(1, 4) + little(blocks * 4_096 * 8, 8) + little(4_096, 4) + little(0, 4)
            data += Data("data".utf8) + little(12 + sound, 8)
            return data + Data(repeating: 0x96, count: sound)
        }

        @Test func dsdBundleIsListedAndUsed() async throws {
            struct Info: Decodable {
                let sampleRate: Int
                let channels: Int
                let frames: Int64?
                let decoder: String
            }
            let library = Program.products.appendingPathComponent("libDSDDecoder.so").path
            try #require(FileManager.default.fileExists(atPath: library), "build the plugins: Scripts/plugins.sh debug")
            let bundles = shop.path("bundles")
            let bundling = try await Program.descant("plugin", "bundle", library, "--output", bundles)
            #expect(bundling.status == 0, "\(bundling.errors)")
            let environment = ["DESCANT_PLUGIN_PATH": bundles]
            let plugins = try await Program.descant("plugins", environment: environment)
            #expect(plugins.output.contains("org.descant.dsd") && plugins.output.contains("decoder dsd-352.8"))
            let file = shop.path("silence.dsf")
            try Self.silence(blocks: 16).write(to: URL(fileURLWithPath: file))
            let result = try await Program.descant("info", "--json", file, environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            let info = try result.json(Info.self)
            #expect(info.decoder == "dsd" && info.sampleRate == 88_200 && info.channels == 2)
            #expect(info.frames == 16_384)
        }
    }
}
