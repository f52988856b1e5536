import DescantCore
import DescantTesting
import Testing

/// The output in memory, on which hosts test, keeps the rules of outputs.
struct AudioOutputContractTests {
    @Test func theOutputInMemoryKeepsIt() throws {
        let formats = [PCMFormat(sampleRate: 44_100, channels: 2), PCMFormat(sampleRate: 8_000, channels: 1)]
        let contract = AudioOutputContract(formats: formats) {
            let output = MemoryOutput()
            return .init(output: output) { output.content }
        }
        #expect(try contract.findings() == [])
    }
}
