internal import CFlite
internal import Descant
internal import Synchronization

/// A voice that is compiled into one of flite's libraries.
enum FliteVoice: String, CaseIterable, Sendable {
    // The default one first.
    // flite's diphone voices (kal) are not offered, because their sound is up to 0.1 s off the reported times.
    case slt, rms, awb

    /// flite registers voices in tables of the process, without locks.
    private static let registration = Mutex<[FliteVoice: Int]>([:])

    var description: SpeechVoice {
        switch self {
        case .slt: SpeechVoice(identifier: rawValue, name: "SLT (female, statistical)", languages: ["en-US", "en"])
        case .rms: SpeechVoice(identifier: rawValue, name: "RMS (male, statistical)", languages: ["en-US", "en"])
        case .awb:
            SpeechVoice(identifier: rawValue, name: "AWB (male, Scottish, statistical)", languages: ["en-GB", "en"])
        }
    }

    /// The mean pitch for a factor of 1, in Hz.
    var meanPitch: Double {
        switch self {
        case .slt: 170
        case .rms: 95
        case .awb: 130
        }
    }

    /// Whether the pitch can be chosen; that of RMS is part of its model.
    var hasPitch: Bool { self != .rms }

    /// flite's voice; loaded at its first use, and kept.
    ///
    /// - Throws: `CoreError.ioError`.
    func load() throws -> UnsafeMutablePointer<cst_voice> {
        let address = Self.registration.withLock { loaded -> Int in
            if let address = loaded[self] { return address }
            if loaded.isEmpty { flite_init() }
            let voice = register()
            let address = Int(bitPattern: voice)
            loaded[self] = address
            return address
        }
        guard let voice = UnsafeMutablePointer<cst_voice>(bitPattern: address) else {
            throw CoreError.ioError("flite: voice \(rawValue) cannot be loaded")
        }
        return voice
    }

    private func register() -> UnsafeMutablePointer<cst_voice>? {
        switch self {
        case .slt: register_cmu_us_slt(nil)
        case .rms: register_cmu_us_rms(nil)
        case .awb: register_cmu_us_awb(nil)
        }
    }

    /// The voice for a request.
    ///
    /// - Throws: `CoreError.notFound` for an unknown voice, `CoreError.unsupported` for a language other than English.
    static func choose(voice: String?, language: String?) throws -> FliteVoice {
        if let voice {
            guard let known = FliteVoice(rawValue: voice) else {
                let names = allCases.map(\.rawValue).joined(separator: ", ")
                throw CoreError.notFound("flite: there is no voice \"\(voice)\"; there are \(names)")
            }
            return known
        }
        guard let tag = language?.lowercased() else { return .slt }
        guard tag == "en" || tag.hasPrefix("en-") else {
            throw CoreError.unsupported("flite: no voice speaks \"\(tag)\"; flite speaks English")
        }
        return tag.hasPrefix("en-gb") || tag.hasPrefix("en-sc") ? .awb : .slt
    }
}
