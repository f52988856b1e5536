internal import CEspeak
internal import Descant
internal import Foundation

/// The installed espeak-ng.
struct EspeakInstallation: Sendable {
    /// `DESCANT_ESPEAK_LIBRARY`, else the library's name for the linker's own search.
    let library: String
    /// The folder of its data; `DESCANT_ESPEAK_DATA`, else the library's own choice.
    let data: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        library = environment["DESCANT_ESPEAK_LIBRARY"] ?? "libespeak-ng.so.1"
        data = environment["DESCANT_ESPEAK_DATA"]
    }
}

/// espeak-ng in this process, from its loading until this object is released.
///
/// What was spoken changes later speech, whatever is reset, so every request loads the library anew. There is one object at a time, and
/// one thread uses it.
struct EspeakLibrary: ~Copyable {
    /// A part of the speech.
    enum Piece {
        /// The place of a word, in scalars, and its frame.
        case word(scalar: Int, frame: Int64)
        case sound([Float])
    }

    private let handle: OpaquePointer

    /// Loads the library.
    ///
    /// - Throws: `CoreError.ioError` with the remedy.
    init(_ installation: EspeakInstallation) throws {
        var problem = [CChar](repeating: 0, count: 1_024)
        guard
            let handle = descant_espeak_open(installation.library, installation.data, &problem, problem.count)
        else {
            let reason = String(decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw CoreError.ioError(
                "espeak: \(reason); is espeak-ng installed (apt-get install libespeak-ng1)?")
        }
        self.handle = handle
    }

    deinit { descant_espeak_close(handle) }

    /// The sample rate of its sound, in Hz.
    var sampleRate: Int { Int(descant_espeak_sample_rate(handle)) }

    /// Its voices, in its order.
    var voices: [SpeechVoice] {
        var voices: [SpeechVoice] = []
        withUnsafeMutablePointer(to: &voices) { voices in
            descant_espeak_list(
                handle,
                { identifier, name, languages, context in
                    guard let identifier, let name, let languages, languages.pointee != 0 else { return }
                    let voice = SpeechVoice(
                        identifier: String(cString: identifier),
                        name: String(String(cString: name).map { $0 == "_" ? " " : $0 }),
                        languages: String(cString: languages).split(separator: ",").map(String.init))
                    context?.assumingMemoryBound(to: [SpeechVoice].self).pointee.append(voice)
                }, voices)
        }
        return voices
    }

    /// Loads a voice.
    ///
    /// - Returns: Whether it could be loaded.
    func choose(voice: String) -> Bool { descant_espeak_choose(handle, voice) != 0 }

    /// Speaks an utterance; called once.
    ///
    /// - Parameter receive: Gets the pieces in their order; `false` ends the speech.
    /// - Returns: Whether the library has spoken it, or was ended.
    func speak(_ utterance: EspeakUtterance, to receive: (Piece) -> Bool) -> Bool {
        withoutActuallyEscaping(receive) { receive in
            var receive = receive
            return withUnsafeMutablePointer(to: &receive) { receiver in
                descant_espeak_speak(
                    handle, utterance.spokenText, utterance.wordsPerMinute, utterance.pitch,
                    { piece, context in
                        guard let piece, let context else { return 1 }
                        let receive = context.assumingMemoryBound(to: ((Piece) -> Bool).self).pointee
                        return receive(Piece(piece.pointee)) ? 0 : 1
                    }, receiver) != 0
            }
        }
    }
}

extension EspeakLibrary.Piece {
    fileprivate init(_ piece: descant_espeak_piece) {
        if let samples = piece.samples {
            self = .sound(Array(UnsafeBufferPointer(start: samples, count: Int(piece.count))))
        } else {
            self = .word(scalar: Int(piece.scalar), frame: piece.frame)
        }
    }
}
