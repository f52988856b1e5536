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
        let error = #expect(throws: PluginError.self) { _ = try read(manifest(with: field)) }
        #expect(error?.cause.contains(words) == true, "\(String(describing: error))")
        #expect(error?.subject == "manifest.json")
    }

    /// A valid manifest in which a field replaces the one with the same key, or is added.
    private func manifest(with field: String) -> String {
        var fields = [
            "id": #""id": "org.example.x""#, "name": #""name": "X""#, "version": #""version": "1""#,
            "license": #""license": "MIT""#, "provides": #""provides": [{"kind": "engine", "identifier": "x"}]"#,
        ]
        fields[String(field.split(separator: "\"")[0])] = field
        return "{\(fields.values.joined(separator: ", "))}"
    }

    /// What is listed and quoted goes to terminals and logs.
    @Test(arguments: [
        #""id": "org.example.\u001b[2J""#, #""name": "X\u001b[2J""#, #""name": "X\u2028""#, #""version": "1\n""#,
        #""license": "MIT\u009b2J""#, #""isolation": "\u0007""#, #""swiftVersion": "\r""#, #""library": "x\u0000.so""#,
        #""sha256": "\u0085""#, #""files": {"\u001b": "00"}"#, #""files": {"a": "\u2029"}"#,
        #""files": {"\u001b": 3}"#, #""provides": [{"kind": "\u001b", "identifier": "x"}]"#,
        #""provides": [{"kind": "engine", "identifier": "\u001b"}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "capabilities": ["a", "\u001b"]}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "languages": ["\u001b"]}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "schemes": ["\u001b"]}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "fileTypes": [{"extensions": ["\u001b"]}]}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "fileTypes": [{"mimeTypes": ["\u001b"]}]}]"#,
        #""provides": [{"kind": "engine", "identifier": "x", "fileTypes": [{"signatures": [{"offset": 0, "bytes": "\u001b"}]}]}]"#,
    ])
    func controlCharactersAreRefusedAndNotQuoted(_ field: String) throws {
        let error = try #require(throws: PluginError.self) { _ = try read(manifest(with: field)) }
        let text = "\(error)"
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
        }
        #expect(!text.unicodeScalars.contains(where: isControl), "\(text.debugDescription)")
    }

    @Test func quotedIdentifierIsClipped() throws {
        let text = manifest(with: "\"id\": \"\(String(repeating: "x", count: 100_000))\"")
        let error = try #require(throws: PluginError.self) { _ = try read(text) }
        #expect(error.cause.contains("xxx…\"; a reverse-DNS name") && error.cause.utf8.count < 500)
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
