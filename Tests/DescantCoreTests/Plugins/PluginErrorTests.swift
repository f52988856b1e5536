import Foundation
import Testing

@testable import DescantCore

@Suite struct PluginErrorTests {
    private static let all: [PluginError] = [
        .hostLinksCoreStatically(program: "P"), .unsafePermissions(path: "P", reason: "R"),
        .badManifest(path: "P", reason: "R"), .badLibrary(path: "P", reason: "R"),
        .digestMismatch(path: "P", expected: "R", actual: "A"), .missingEntry(path: "P", symbol: "R"),
        .embedsCore(path: "P", symbol: "R"), .incompatible(path: "P", plugin: "R", host: "H"),
        .missingDependency(path: "P", library: "R"), .undefinedSymbol(path: "P", symbol: "R"),
        .loaderRefused(path: "P", message: "R"), .manifestMismatch(path: "P", field: "F", beside: "R", inside: "I"),
        .duplicateIdentifier(identifier: "R", first: "F", second: "P"),
        .initializerThrew(identifier: "P", message: "R"),
        .unsupportedRequirement(path: "P", requirement: "R"),
        .overdue(identifier: "P", operation: "R", seconds: 1), .unlistedFile(path: "P"),
        .embedsRuntime(path: "P", evidence: "R"), .licenseRefused(path: "P", license: "L", objection: "R"),
        .notProvided(kind: "decoder", identifier: "P"),
    ]

    @Test(arguments: all)
    func everyMessageHasSubjectCauseAndRemedy(_ error: PluginError) {
        #expect(error.subject.contains("P"))
        #expect(error.remedy.count > 10)
        #expect("\(error)" == "\(error.subject): \(error.cause); \(error.remedy)")
        switch error {
        case .hostLinksCoreStatically, .notProvided, .unlistedFile: break
        default: #expect(error.cause.contains("R"))
        }
    }

    @Test(arguments: [
        (
            "libx.so.1: cannot open shared object file: No such file or directory",
            PluginError.missingDependency(path: "P", library: "libx.so.1")
        ),
        ("P: undefined symbol: foo", .undefinedSymbol(path: "P", symbol: "foo")),
        ("P: undefined symbol: foo, version BAR_1.0", .undefinedSymbol(path: "P", symbol: "foo")),
        (
            "/lib/libc.so.6: version `GLIBC_9.99' not found (required by P)",
            .missingDependency(path: "P", library: "libc.so.6 in version GLIBC_9.99")
        ),
        ("P: something new", .loaderRefused(path: "P", message: "P: something new")),
    ])
    func linkerMessages(_ message: String, _ error: PluginError) {
        #expect(PluginLoader.refusal("P", message: message) == error)
    }

    @Test func compatibilityIsReadFromNames() {
        let here = PluginCompatibility(typeName: "PluginEntry_abi12_swift6_3")
        #expect(here == PluginCompatibility(abi: 12, swiftVersion: "6.3"))
        #expect(PluginCompatibility(symbol: "$s11DescantCore26PluginEntry_abi12_swift6_3O3runyyF") == here)
        #expect(PluginCompatibility(symbol: "$s11DescantCore10EventHubC") == nil)
        #expect(PluginEntry.abi > 0)
        #expect(PluginEntry.swiftVersion.hasPrefix("6."))
        #expect("\(here)" == "plugin ABI 12, Swift 6.3")
    }
}
