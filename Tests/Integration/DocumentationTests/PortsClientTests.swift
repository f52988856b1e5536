import PortsClient
import Testing

/// Code written against the ports' first form, mocks included, compiles with `import Descant` alone and behaves.
struct PortsClientTests {
    @Test func behavesAsWritten() throws {
        #expect(
            try PortsClient.run() == [
                "stopped", "invalidState", "paused at 0.0 of 2.0", "playing", "paused true",
                "Unsupported: a.other", "in error", "stopped false false", "Title false", "read only",
                "paused stopped true",
            ])
    }
}
