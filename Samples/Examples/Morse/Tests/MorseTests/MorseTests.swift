import Descant
import DescantTesting
import Testing

@Test(arguments: SpeechSynthesizerContract.Rule.allCases)
func morseKeepsTheSpeechContract(rule: SpeechSynthesizerContract.Rule) async throws {
    let plugin = try BuiltPlugin("Morse")
    let contract = SpeechSynthesizerContract(hostileLength: 200) {
        try plugin.registry.makeSpeechSynthesizer("morse")
    }
    #expect(await contract.check(rule) == [])
}
