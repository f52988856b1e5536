import Descant
import Testing

/// The example of "Add a voice".
@Suite struct LicenseExampleTests {
    @Test func environmentExcludesGPLBundles() {
        let plugins = makeEnvironmentWithoutTheGPL().plugins
        #expect(plugins.licenses == .withoutGPL)
        #expect(plugins.available.allSatisfy { !$0.manifest.license.contains("AND GPL") })
    }
}
