internal import Descant

/// A running helper process.
struct EspeakHelper: Sendable {
    /// The program in the bundle.
    static let fileName = "descant-espeak"

    let link: HelperLink
    /// The sample rate of its sound, in Hz.
    let sampleRate: Int

    /// Starts a helper and waits until it is ready.
    ///
    /// - Parameter path: The program.
    /// - Throws: `CoreError.ioError`.
    init(path: String) throws {
        link = try HelperLink(path: path)
        let greeting: HelperMessage
        do {
            greeting = try link.receive()
        } catch {
            throw CoreError.ioError("\(error); is libespeak-ng installed (apt-get install libespeak-ng1)?")
        }
        guard case .ready(let sampleRate, _) = greeting, sampleRate > 0 else {
            throw CoreError.ioError("espeak: \(path) speaks another protocol; rebuild the bundle")
        }
        self.sampleRate = sampleRate
    }

    /// Whether the helper still answers; only between requests.
    var isAlive: Bool {
        guard (try? link.send("N")) != nil, let answer = try? link.receive(), case .ready = answer else { return false }
        return true
    }
}
