internal import Descant

/// The voices of one installation of espeak-ng, and the choice among them.
struct EspeakVoices: Sendable {
    /// The default one first.
    let all: [SpeechVoice]
    let standard: SpeechVoice

    /// The sample rate of them all, in Hz.
    let sampleRate: Int

    /// - Throws: `CoreError.ioError` when there is no voice.
    init(of library: borrowing EspeakLibrary) throws {
        sampleRate = library.sampleRate
        var voices = library.voices
        guard let standard = voices.first(where: { $0.identifier == "gmw/en" }) ?? voices.first else {
            throw CoreError.ioError("espeak: espeak-ng has no voice; is espeak-ng-data installed?")
        }
        voices.removeAll { $0.identifier == standard.identifier }
        all = [standard] + voices
        self.standard = standard
    }

    /// The voice for a request.
    ///
    /// - Throws: `CoreError.notFound` for an unknown voice, `CoreError.unsupported` for a language that none speaks.
    func choose(voice: String?, language: String?) throws -> SpeechVoice {
        if let voice {
            guard let known = all.first(where: { $0.identifier == voice }) else {
                throw CoreError.notFound("espeak: there is no voice \"\(voice)\"")
            }
            return known
        }
        guard let language else { return standard }
        // de-AT-1996 is spoken by a voice for de-at, else by one for de; the default voice comes first among equals.
        var subtags = language.lowercased().split(separator: "-")
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-")
            let speakers = all.filter { $0.languages.contains { $0.lowercased() == tag } }
            if let best = speakers.first(where: { $0.languages.first?.lowercased() == tag }) ?? speakers.first {
                return best
            }
            subtags.removeLast()
        }
        throw CoreError.unsupported("espeak: no voice speaks \"\(language)\"")
    }
}
