import Foundation
import MusicAssistantKit
import Testing

@Suite struct TokenFileTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func mode(of url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test func tokensAreStoredByServerWithMode0600() throws {
        try withFolder { folder in
            let file = TokenFile(url: folder.appendingPathComponent("deep/tokens.json"))
            let one = try #require(URL(string: "ws://one:8095/ws"))
            let two = try #require(URL(string: "ws://two:8095/ws"))
            #expect(try file.token(for: one) == nil)
            try file.store("first", for: one)
            try file.store("second", for: two)
            try file.store("third", for: one)
            #expect(try file.token(for: one) == "third")
            #expect(try file.token(for: two) == "second")
            #expect(try mode(of: file.url) == 0o600)
            #expect(try mode(of: folder.appendingPathComponent("deep")) == 0o700)
            try file.store(nil, for: one)
            #expect(try file.token(for: one) == nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("deep").path)
            #expect(names == ["tokens.json"])
        }
    }

    @Test func fileReadableByOthersIsRefused() throws {
        try withFolder { folder in
            let file = TokenFile(url: folder.appendingPathComponent("tokens.json"))
            let server = try #require(URL(string: "ws://one:8095/ws"))
            try file.store("hush", for: server)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.url.path)
            let error = #expect(throws: TokenFileError.self) { try file.token(for: server) }
            #expect(error?.description.contains("chmod 600") == true)
            #expect(throws: TokenFileError.self) { try file.store("new", for: server) }
        }
    }

    @Test func fileBehindASymbolicLinkIsUsed() throws {
        try withFolder { folder in
            let stored = TokenFile(url: folder.appendingPathComponent("stored/tokens.json"))
            let file = TokenFile(url: folder.appendingPathComponent("tokens.json"))
            let server = try #require(URL(string: "ws://one:8095/ws"))
            try stored.store("hush", for: server)
            try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: stored.url)
            #expect(try file.token(for: server) == "hush")
            try file.store("new", for: server)
            #expect(try stored.token(for: server) == "new")
            #expect(try mode(of: stored.url) == 0o600)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.url.path) == stored.url.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: stored.url.path)
            #expect(throws: TokenFileError.readableByOthers(file.url.path)) { try file.token(for: server) }
        }
    }

    @Test func damagedFileErrorNamesTheFile() throws {
        try withFolder { folder in
            let file = TokenFile(url: folder.appendingPathComponent("tokens.json"))
            let server = try #require(URL(string: "ws://one:8095/ws"))
            try file.store("hush", for: server)
            try Data("hush, broken".utf8).write(to: file.url)
            let error = #expect(throws: TokenFileError.self) { try file.token(for: server) }
            #expect(error?.description.contains(file.url.path) == true)
            #expect(error?.description.contains("hush") == false)
        }
    }
}
