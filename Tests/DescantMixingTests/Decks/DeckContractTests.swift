import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// The contract of decks, checked on decks in memory.
@Suite(.timeLimit(.minutes(2))) struct DeckContractTests {
    private let content = TestSignal.noise(seconds: 1).samples()

    @Test func memoryDecksKeepTheContract() async throws {
        let decks = MemoryDecks()
        let url = URL(fileURLWithPath: "/sounds/noise")
        decks.register(content, for: url)
        let contract = DeckContract(content: content) {
            try await decks.open(.url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in }.deck
        }
        let found = try await contract.findings()
        #expect(found == [])
    }
}
