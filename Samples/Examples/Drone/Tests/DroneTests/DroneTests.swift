import Descant
import DescantTesting
import Foundation
import Testing

@Test(arguments: MediaEngineContract.Rule.allCases)
func droneKeepsTheEngineContract(rule: MediaEngineContract.Rule) async throws {
    let plugin = try BuiltPlugin("Drone")
    func content(_ text: String) throws -> MediaContent { .url(try #require(URL(string: text))) }
    let contract = MediaEngineContract(
        content: try content("drone:110?seconds=8"), short: try content("drone:110?seconds=1"),
        refused: [.init(try content("drone:-3"), named: "drone:-3")]
    ) {
        let host = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        return try plugin.registry.makeEngine("drone", mixer: try host.makeEngine(output: .null))
    }
    #expect(await contract.check(rule) == [])
}
