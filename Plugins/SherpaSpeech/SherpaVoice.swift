internal import CSherpa
internal import Descant

/// A model loaded into this process.
///
/// `@unchecked`: sherpa-onnx lets several threads speak with one model at a time, and it is released by the last of them.
final class SherpaVoice: @unchecked Sendable {
    let lexicon: SherpaLexicon
    let sampleRate: Int
    private let handle: OpaquePointer
    private let library: SherpaLibrary

    /// Loads a model that has passed the probe.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - lexicon: Its words.
    ///   - library: The sherpa-onnx library.
    ///   - threads: The number of threads per request.
    /// - Throws: `CoreError.decodeError`.
    init(_ model: SherpaModel, lexicon: SherpaLexicon, library: SherpaLibrary, threads: Int32) throws {
        self.lexicon = lexicon
        guard let handle = model.withFiles(threads: threads, { descant_sherpa_create(library.table, $0) }) else {
            throw CoreError.decodeError("sherpa: the model \(model.model) cannot be loaded")
        }
        self.handle = handle
        self.library = library
        sampleRate = Int(descant_sherpa_sample_rate(handle))
    }

    deinit { descant_sherpa_destroy(handle) }

    /// Speaks; blocks until the end, or until the current part is complete after `isWanted` became false.
    ///
    /// - Returns: The samples; `nil` when the library made none.
    func speak(_ text: String, speaker: Int, speed: Double, isWanted: @escaping () -> Bool) -> [Float]? {
        let receiver = Receiver(isWanted)
        let isMade = withExtendedLifetime(receiver) {
            descant_sherpa_generate(
                handle, text, Int32(speaker), Float(speed), receiveFromSherpa,
                Unmanaged.passUnretained(receiver).toOpaque())
        }
        return isMade != 0 || !receiver.samples.isEmpty ? receiver.samples : nil
    }

    /// Used only on the thread that speaks.
    fileprivate final class Receiver {
        var samples: [Float] = []
        let isWanted: () -> Bool
        init(_ isWanted: @escaping () -> Bool) { self.isWanted = isWanted }
    }
}

private func receiveFromSherpa(
    _ samples: UnsafePointer<Float>?, _ count: Int32, _ progress: Float, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let samples, let context else { return 0 }
    let receiver = Unmanaged<SherpaVoice.Receiver>.fromOpaque(context).takeUnretainedValue()
    receiver.samples += UnsafeBufferPointer(start: samples, count: Int(count))
    return receiver.isWanted() ? 1 : 0
}
