import Descant
import Dispatch
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

@Suite(.timeLimit(.minutes(1)))
struct InputExpanderTests {
    /// Otherwise it would keep everything waiting that comes after it.
    @Test func aDiskThatHangsIsGivenUp() async {
        let disk = DispatchSemaphore(value: 0)
        let failure = await #expect(throws: InputError.self) {
            try await InputExpander.inTime("/disk", patience: 0.05) { step in
                step()
                disk.wait()
                return [PlaylistEntry(url: URL(fileURLWithPath: "/disk/a.flac"))]
            }
        }
        #expect(failure?.description.hasPrefix("/disk: the disk has not answered for ") == true)
        // What it brings now is dropped.
        disk.signal()
    }

    @Test func whatIsTypedIsFoundOrMissing() async throws {
        let shelf = try Shelf()
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let file = try shelf.put(Data([0]), as: "a.wav").path
        let list = try shelf.put(Data("a.wav\nhttp://127.0.0.1:9/b.ogg\n".utf8), as: "list.m3u").path
        func found(_ input: String) async throws -> [String] {
            try await InputExpander.entries(named: input, in: environment).map { entry in
                entry.url.isFileURL ? entry.url.path : entry.url.absoluteString
            }
        }
        #expect(try await found(file) == [file])
        #expect(try await found(shelf.folder.path) == [file])
        #expect(try await found(list) == [file, "http://127.0.0.1:9/b.ogg"])
        #expect(try await found("http://127.0.0.1:9/c.ogg") == ["http://127.0.0.1:9/c.ogg"])
        for name in [shelf.folder.path + "/b.wav", "~/\(UUID())/b.wav"] {
            let failure = await #expect(throws: InputError.self) { try await found(name) }
            #expect(failure?.description.hasPrefix("/") == true)
            #expect(failure?.description.hasSuffix("/b.wav: there is no such file or folder") == true)
        }
    }

    @Test func aCancelledCallDoesNotWaitForTheDisk() async {
        let disk = DispatchSemaphore(value: 0)
        let call = Task {
            try await InputExpander.inTime("/disk", patience: 1_000) { _ in
                disk.wait()
                return [PlaylistEntry]()
            }
        }
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        disk.signal()
    }
}
