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
