internal import DescantCore
internal import Synchronization

/// The script that an engine and the line that reads it share.
final class SharedScript: Sendable {
    private let script: Mutex<SpeechScript>

    init(_ script: SpeechScript = SpeechScript()) { self.script = Mutex(script) }

    func withScript<Value: Sendable>(_ body: (inout SpeechScript) -> Value) -> Value {
        script.withLock { body(&$0) }
    }
}
