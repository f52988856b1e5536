import DescantCore
import Foundation
import Testing

/// What helpers may read by default.
@Suite struct PluginIsolationTests {
    private func folders(_ environment: [String: String]) -> [String] {
        PluginIsolation.standardReadable(environment: environment).map(\.path)
    }

    @Test func foldersOfVariablesAreReadable() {
        let found = folders([
            "HOME": "/home/ann", "DESCANT_SPEECH_MODELS": "/srv/models/",
            "DESCANT_SHERPA_LIBRARY": "/opt/sherpa/lib.so",
            "OTHER_MODELS": "/srv/other",
        ])
        #expect(
            Set(found).isSuperset(of: ["/home/ann/.local/share/descant", "/srv/models", "/opt/sherpa", "/usr/lib"]))
        #expect(!found.contains("/srv/other"))
        #expect(folders(["XDG_DATA_HOME": "/data"]).contains("/data/descant"))
    }

    @Test func wholeSystemAndHomeAreNot() {
        let found = folders([
            "HOME": "/home/ann", "DESCANT_A": "/", "DESCANT_B": "/home/ann/", "DESCANT_C": "/srv/../home/ann",
            "DESCANT_D": "/home/ann/lib.so", "DESCANT_E": "relative", "DESCANT_F": "/home",
            "DESCANT_G": "/home/ann/libespeak-ng.so.1",
        ])
        #expect(Set(found) == Set(Self.system + ["/home/ann/.local/share/descant"]))
    }

    private static let system = ["/lib", "/lib64", "/usr/lib", "/usr/local/lib", "/usr/share", "/usr/local/share"]

    @Test func homeMayBeWrittenInOtherWays() {
        for home in ["/home/ann/", "/home/bob/../ann"] {
            let found = folders(["HOME": home, "DESCANT_A": "/home/ann", "DESCANT_B": "/home/"])
            #expect(Set(found) == Set(Self.system + ["/home/ann/.local/share/descant"]), "\(home)")
        }
        let others = folders(["HOME": "/home/ann", "DESCANT_A": "/home/an", "DESCANT_B": "/home/ann/models"])
        #expect(Set(others).isSuperset(of: ["/home/an", "/home/ann/models"]))
    }

    @Test func versionsOfLibrariesAreNoFolders() {
        let found = folders(["HOME": "/home/ann", "DESCANT_ESPEAK_LIBRARY": "/opt/espeak/libespeak-ng.so.1"])
        #expect(found.contains("/opt/espeak"))
        #expect(!found.contains("/opt/espeak/libespeak-ng.so.1"))
    }
}
