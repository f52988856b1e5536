import Testing

extension ServerSuite {
    @Suite struct GuideExampleTests {
        @Test func guideExampleRuns() async throws {
            try await testMyClient { url in #expect(url.hasPrefix("ws://127.0.0.1:")) }
        }
    }
}
