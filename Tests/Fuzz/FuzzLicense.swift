import CSodium
import Foundation

/// The keys of a vendor, from a fixed seed.
private let keys: (publicKey: [UInt8], secretKey: [UInt8]) = {
    var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
    var secretKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
    let seed = [UInt8](repeating: 7, count: Int(crypto_sign_SEEDBYTES))
    precondition(sodium_init() >= 0 && crypto_sign_seed_keypair(&publicKey, &secretKey, seed) == 0, "libsodium works")
    return (publicKey, secretKey)
}()

/// Reads a text as a licence, and once more with its vendor's signature, so that its lines are read too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard let key = try? LicenseKey(base64: Data(keys.publicKey).base64EncodedString()) else {
        fatalError("a public key is not accepted")
    }
    let file = Data(bytes: data, count: size)
    guard (try? License(file, key: key)) == nil else { fatalError("a licence without a signature is accepted") }
    let text = Data((License.heading + "\n").utf8) + file + Data("\n".utf8)
    var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
    precondition(crypto_sign_detached(&signature, nil, Array(text), UInt64(text.count), keys.secretKey) == 0)
    let line = License.signatureLabel + Data(signature).base64EncodedString() + "\n"
    if let license = try? License(text + Data(line.utf8), key: key) {
        try? license.check(product: license.product, at: license.issued)
    }
    return 0
}
