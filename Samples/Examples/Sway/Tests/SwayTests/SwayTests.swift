import Descant
import DescantTesting
import Testing

@Test func swayKeepsTheEffectContract() throws {
    let plugin = try BuiltPlugin("Sway")
    #expect(try plugin.registry.makeEffect("sway").parameters.map(\.identifier) == ["rate", "depth"])
    #expect(AudioEffectContract { try plugin.registry.makeEffect("sway") }.findings() == [])
}
