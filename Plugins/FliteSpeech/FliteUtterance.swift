internal import CFlite
internal import Descant

/// One piece of text while flite speaks it.
///
/// The callback runs on the thread that synthesises, inside `speak`.
final class FliteUtterance {
    /// A word of flite and its start.
    struct Token {
        /// The text as flite reads it, in ASCII.
        let name: String
        /// From the beginning of the piece, in seconds.
        let start: Double
    }

    /// The values that are known when the first samples arrive.
    struct Plan {
        var tokens: [Token] = []
        /// The end of the silence before the first sound, in seconds.
        var soundStart = 0.0
        /// The beginning of the silence after the last sound, in seconds.
        var soundEnd = 0.0
    }

    /// Receives samples; returns whether to continue.
    private let take: (Plan, [Float], Int) -> Bool
    private var plan: Plan?

    private init(_ take: @escaping (Plan, [Float], Int) -> Bool) { self.take = take }

    /// Speaks a piece.
    ///
    /// All settings are stored in the utterance and not in the voice, which other requests may use.
    ///
    /// - Parameters:
    ///   - text: ASCII.
    ///   - voice: The voice.
    ///   - stretch: The factor for durations; 1 is the duration of the model.
    ///   - meanPitch: In Hz; `nil` for the voice's own.
    ///   - take: Receives the plan, samples and their rate; returns whether to continue.
    /// - Throws: `CoreError.ioError`.
    static func speak(
        _ text: String, voice: UnsafeMutablePointer<cst_voice>, stretch: Double, meanPitch: Double?,
        take: @escaping (Plan, [Float], Int) -> Bool
    ) throws {
        guard let utterance = new_utterance(), let streaming = new_audio_streaming_info() else {
            throw CoreError.ioError("flite: out of memory")
        }
        defer { delete_utterance(utterance) }
        let listener = FliteUtterance(take)
        streaming.pointee.asc = receiveFromFlite
        streaming.pointee.userdata = Unmanaged.passUnretained(listener).toOpaque()
        streaming.pointee.min_buffsize = 1_024
        utt_set_input_text(utterance, text)
        utt_init(utterance, voice)
        // The utterance owns and frees it from here on.
        feat_set(utterance.pointee.features, lasting("streaming_info"), audio_streaming_info_val(streaming))
        feat_set_float(utterance.pointee.features, lasting("duration_stretch"), Float(stretch))
        if let meanPitch { feat_set_float(utterance.pointee.features, lasting("int_f0_target_mean"), Float(meanPitch)) }
        let result = withExtendedLifetime(listener) { utt_synth(utterance) }
        if result == nil { throw CoreError.ioError("flite: the text \"\(text.prefix(40))\" cannot be spoken") }
    }

    /// flite keeps the pointer to a feature's name, so it must outlive the utterance.
    private static func lasting(_ name: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    fileprivate func receive(
        _ wave: UnsafePointer<cst_wave>, start: Int, count: Int, utterance: UnsafePointer<cst_utterance>?
    ) -> Bool {
        guard count > 0, let samples = wave.pointee.samples else { return true }
        let plan = plan ?? Self.plan(of: utterance)
        self.plan = plan
        let piece = UnsafeBufferPointer(start: samples + start, count: count).map { Float($0) / 32_768 }
        return take(plan, piece, Int(wave.pointee.sample_rate))
    }

    private static func plan(of utterance: UnsafePointer<cst_utterance>?) -> Plan {
        guard let utterance else { return Plan() }
        var plan = Plan()
        if let segments = utt_relation(utterance, "Segment") {
            plan.soundStart = silence(relation_head(segments)).map { end(of: $0) } ?? 0
            let last = relation_tail(segments)
            plan.soundEnd =
                silence(last).map { item_prev($0).map { end(of: $0) } ?? 0 } ?? last.map { end(of: $0) } ?? 0
        }
        guard let tokens = utt_relation(utterance, "Token") else { return plan }
        var token = relation_head(tokens)
        while let item = token {
            if let start = start(of: item), let name = feature("name", of: item) {
                plan.tokens.append(Token(name: name, start: start))
            }
            token = item_next(item)
        }
        return plan
    }

    /// Where the first word of a token begins that has a sound.
    private static func start(of token: UnsafePointer<cst_item>) -> Double? {
        var word = item_daughter(token)
        while let item = word {
            if let syllables = item_as(item, "SylStructure"), let syllable = item_daughter(syllables),
                let sound = item_daughter(syllable), let segment = item_as(sound, "Segment")
            {
                return item_prev(segment).map { end(of: $0) } ?? 0
            }
            word = item_next(item)
        }
        return nil
    }

    private static func silence(_ item: UnsafeMutablePointer<cst_item>?) -> UnsafeMutablePointer<cst_item>? {
        item.flatMap { feature("name", of: $0) == "pau" ? $0 : nil }
    }

    private static func end(of segment: UnsafePointer<cst_item>) -> Double {
        // flite ends the process when a missing feature is requested.
        item_feat_present(segment, "end") != 0 ? Double(item_feat_float(segment, "end")) : 0
    }

    private static func feature(_ name: String, of item: UnsafePointer<cst_item>) -> String? {
        item_feat_present(item, name) != 0 ? item_feat_string(item, name).map { String(cString: $0) } : nil
    }
}

/// Called on the thread that called `speak`.
private func receiveFromFlite(
    _ wave: UnsafePointer<cst_wave>?, _ start: Int32, _ count: Int32, _ isLast: Int32,
    _ streaming: UnsafeMutablePointer<cst_audio_streaming_info>?
) -> Int32 {
    guard let wave, let streaming, let listener = streaming.pointee.userdata else { return CST_AUDIO_STREAM_STOP }
    let utterance = Unmanaged<FliteUtterance>.fromOpaque(listener).takeUnretainedValue()
    let isWanted = utterance.receive(wave, start: Int(start), count: Int(count), utterance: streaming.pointee.utt)
    return isWanted ? CST_AUDIO_STREAM_CONT : CST_AUDIO_STREAM_STOP
}
