import Foundation

/// Reads the manifest of a bundle. What is accepted has to be the same after it was written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let json = Data(bytes: data, count: size)
    guard let manifest = try? PluginManifest(json: json, path: "manifest.json") else { return 0 }
    guard let written = try? manifest.json(), let copy = try? PluginManifest(json: written, path: "copy.json") else {
        fatalError("an accepted manifest cannot be written and read again")
    }
    guard copy == manifest else { fatalError("an accepted manifest is another one after it was written") }
    return 0
}
