import Foundation
import Testing

@testable import DescantCore

@Suite struct PluginManifestTests {
    private func read(_ json: String) throws -> PluginManifest {
        try PluginManifest(json: Data(json.utf8), path: "manifest.json")
    }

    @Test func shortFormByHand() throws {
        let manifest = try read(
            #"""
            {"id": "org.example.x", "name": "X", "version": "1", "license": "MIT", "later": {"unknown": true},
             "provides": [{"kind": "decoder", "identifier": "x", "fileTypes": [{"extensions": ["x"]}]}]}
            """#)
        #expect(
            manifest
                == PluginManifest(
                    id: "org.example.x", name: "X", version: "1", license: "MIT",
                    provides: [.decoder("x", extensions: ["x"]) { throw CoreError.unsupported("not made") }]))
    }

    @Test func everyFieldRoundTrips() throws {
        var manifest = PluginManifest(
            id: "org.example.everything", name: "Ünïcode \"quoted\"", version: "1.2.3-beta",
            license: "MIT OR Apache-2.0",
            provides: PluginKind.allCases.map { kind in
                PluginProvision(
                    kind: kind, identifier: "\(kind)", capabilities: ["a"],
                    fileTypes: [
                        PluginFileType(
                            extensions: ["a"], mimeTypes: ["audio/a"], signatures: [FileSignature("00ff", at: 8)],
                            priority: -3)
                    ], languages: ["de-CH"], schemes: ["a"])
            }, isolation: "process")
        manifest.abi = 1
        manifest.swiftVersion = "6.3"
        manifest.library = "libx.so"
        manifest.sha256 = "00"
        manifest.files = ["data/x": "11"]
        #expect(try PluginManifest(json: manifest.json(), path: "") == manifest)
    }

    @Test(arguments: [
        (#""id": "x""#, "reverse-DNS"), (#""id": "org..x""#, "reverse-DNS"), (#""id": "org.x/../y""#, "reverse-DNS"),
        (#""name": """#, "'name' is empty"), (#""name": 3"#, "'name'"), (#""version": null"#, "'version'"),
        (#""provides": []"#, "'provides' is empty"),
        (#""provides": [{"kind": "toaster", "identifier": "x"}]"#, "'provides.[0].kind'"),
        (#""provides": [{"kind": "decoder"}]"#, "'provides.[0].identifier' is missing"),
        (#""provides": [{"kind": "decoder", "identifier": ""}]"#, "empty"),
        (#""provides": [{"kind": "engine", "identifier": "x"}, {"kind": "engine", "identifier": "x"}]"#, "twice"),
        (#""provides": [{"kind": "decoder", "identifier": "x", "fileTypes": [{}]}]"#, "no extension"),
        (
            #""provides": [{"kind": "decoder", "identifier": "x", "fileTypes": [{"signatures": [{"offset": 0, "bytes": "0g"}]}]}]"#,
            "hexadecimal"
        ),
        (
            #""provides": [{"kind": "decoder", "identifier": "x", "fileTypes": [{"signatures": [{"offset": -1, "bytes": "00"}]}]}]"#,
            "offset -1"
        ),
    ])
    func anErrorNamesTheInvalidField(_ field: String, _ words: String) throws {
        let good = [
            "id": #""id": "org.example.x""#, "name": #""name": "X""#, "version": #""version": "1""#,
            "license": #""license": "MIT""#, "provides": #""provides": [{"kind": "engine", "identifier": "x"}]"#,
        ]
        let key = String(field.split(separator: "\"")[0])
        let text = good.map { $0.key == key ? field : $0.value }.joined(separator: ", ")
        let error = #expect(throws: PluginError.self) { _ = try read("{\(text)}") }
        #expect(error?.cause.contains(words) == true, "\(String(describing: error))")
        #expect(error?.subject == "manifest.json")
    }

    @Test(arguments: ["", "[]", "{", "\u{0}", "{\"id\":", String(repeating: "[", count: 100_000)])
    func invalidManifestsAreRefused(_ text: String) {
        #expect(throws: PluginError.self) { _ = try read(text) }
    }

    @Test func fileTypesScore() {
        let type = PluginFileType(
            extensions: ["flac"], mimeTypes: ["audio/flac"],
            signatures: [FileSignature("664c6143"), FileSignature("5741", at: 3)])
        func score(_ header: [UInt8], _ fileExtension: String = "", _ mimeType: String? = nil) -> ProbeScore {
            type.score(ProbeInput(header: Data(header), fileExtension: fileExtension, mimeType: mimeType))
        }
        #expect(score(Array("fLaC".utf8)) == .content)
        #expect(score(Array("fLa".utf8)) == .none)
        #expect(score([0, 0, 0, 0x57, 0x41]) == .content)
        #expect(score([0, 0, 0, 0x57]) == .none)
        #expect(score([], "FLAC") == .fileExtension)
        #expect(score([], "", "Audio/FLAC") == .mimeType)
        #expect(score([], "flac", "audio/flac") == .mimeType)
        #expect(score([], "wav", "audio/wav") == .none)
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 9, 9, 9]
        #expect(score(tag + Array("fLaC".utf8)) == .content)
        #expect(PluginFileType(extensions: ["*"]).score(ProbeInput(header: Data(), fileExtension: "")) == ProbeScore(1))
    }
}
