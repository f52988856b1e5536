import DescantTesting
import Foundation
import Testing

@testable import DescantCore

@Suite struct LicensePolicyTests {
    @Test(arguments: [
        "Apache-2.0", "LGPL-2.1-or-later", "MIT OR GPL-3.0-or-later", "(GPL-2.0-only OR MIT) AND BSD-3-Clause",
        "Apache-2.0 AND LicenseRef-CMU-Flite", "mit or gpl-2.0-only", "DocumentRef-x:LicenseRef-y", "Apache-2.0+",
        "GPL-2.0-only OR MIT AND Apache-2.0", "Apache-2.0 WITH Swift-exception",
    ])
    func acceptsLicensesThatAvoidTheGPL(license: String) {
        #expect(LicensePolicy.withoutGPL.objection(to: license) == nil)
    }

    @Test(arguments: [
        ("GPL-3.0-or-later", "GPL-3.0-or-later is forbidden"), ("Apache-2.0 AND GPL-3.0-or-later", "GPL-3.0-or-later"),
        ("agpl-3.0-only", "agpl-3.0-only is forbidden"), ("GPL-2.0+", "GPL-2.0+"), ("GPLv3", "GPLv3"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "Classpath-exception-2.0 is forbidden"),
        ("GPL-2.0-only OR AGPL-3.0-only", ", and AGPL-3.0-only"), ("MIT AND (Zlib AND (GPL-2.0-only))", "GPL-2.0-only"),
        ("(MIT OR GPL-2.0-only) AND GPL-3.0-only", "GPL-3.0-only"),
        // Invalid expressions are refused.
        ("", "not an SPDX"), ("free for all", "not an SPDX"), ("NOASSERTION", "not an SPDX"), ("(MIT", "not an SPDX"),
        ("MIT)", "not an SPDX"), ("MIT AND", "not an SPDX"), ("OR MIT", "not an SPDX"), ("MIT/X11", "not an SPDX"),
        ("()", "not an SPDX"),
        ("MIT WITH", "not an SPDX"), ("MIT WITH OR", "not an SPDX"), ("+", "not an SPDX"),
        ("MIT\u{0}GPL", "not an SPDX"),
    ])
    func refusesTheGPLWithAReason(license: String, words: String) {
        let objection = LicensePolicy.withoutGPL.objection(to: license)
        #expect(objection?.contains(words) == true, "\(objection ?? "accepted")")
        #expect(LicensePolicy.any.objection(to: license) == nil)
    }

    @Test func deepNestingDoesNotTrap() {
        let deep = String(repeating: "(", count: 400) + "MIT" + String(repeating: ")", count: 400)
        #expect(LicensePolicy.withoutGPL.objection(to: deep) == nil)
        #expect(LicensePolicy.withoutGPL.objection(to: String(repeating: "(", count: 1_000_000)) != nil)
    }

    @Test func onlyPermittedLicensesAreAccepted() {
        let policy = LicensePolicy(permitted: ["MIT", "apache-2.0", "BSD-*"])
        for license in ["MIT", "Apache-2.0 WITH Swift-exception", "BSD-2-Clause AND MIT", "Zlib OR MIT", "Apache-2.0+"]
        {
            #expect(policy.objection(to: license) == nil, "\(license)")
        }
        #expect(policy.objection(to: "MIT AND Zlib") == "Zlib is not among those that are permitted")
        #expect(LicensePolicy(permitted: []).objection(to: "MIT") != nil)
        #expect(LicensePolicy(forbidden: ["BSD-4-Clause"], permitted: ["BSD-*"]).objection(to: "BSD-4-Clause") != nil)
    }

    @Test func theEnvironmentForbidsLicenses() {
        #expect(LicensePolicy.standard(environment: [:]) == .any)
        #expect(LicensePolicy.standard(environment: ["DESCANT_FORBIDDEN_LICENSES": " ,"]) == .any)
        #expect(
            LicensePolicy.standard(environment: ["DESCANT_FORBIDDEN_LICENSES": "GPL*, AGPL*\nMIT"]).forbidden
                == ["GPL*", "AGPL*", "MIT"])
    }
}
