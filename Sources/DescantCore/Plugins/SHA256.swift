internal import CDescant
internal import Foundation

/// SHA-256 as FIPS 180-4 defines it: shows that a file is the one that its bundle was written with.
enum SHA256 {
    /// The digest of some bytes in lower-case hexadecimal.
    ///
    /// - Parameter data: The bytes.
    static func hexadecimal(_ data: Data) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        data.withUnsafeBytes { bytes in
            descant_sha256(bytes.baseAddress, bytes.count, &digest)
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
