import CSodium
import Foundation

/// A vendor for tests: a key pair, and licences that it signs.
public struct LicenseMaker: Sendable {
    private let secret: [UInt8]
    /// The public key in Base64.
    public let publicKey: String

    /// Makes a key pair.
    public init() {
        precondition(sodium_init() >= 0)
        var (secret, key) = (
            [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES)),
            [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        )
        crypto_sign_keypair(&key, &secret)
        self.secret = secret
        publicKey = Data(key).base64EncodedString()
    }

    /// A licence.
    public func license(
        product: String = "layered-player", holder: String = "Jane Doe", issued: String = "2026-01-01T00:00:00Z",
        expires: String? = nil
    ) -> Data {
        let expiry = expires.map { "expires: \($0)\n" } ?? ""
        return signed("Descant licence 1\nproduct: \(product)\nholder: \(holder)\nissued: \(issued)\n\(expiry)")
    }

    /// A text with its signature.
    public func signed(_ text: String) -> Data {
        let bytes = Array(text.utf8)
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), secret)
        return Data((text + "signature: \(Data(signature).base64EncodedString())\n").utf8)
    }
}
