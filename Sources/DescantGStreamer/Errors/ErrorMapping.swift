internal import CGStreamer
internal import DescantCore

/// Turns what GStreamer reports into the errors of the ports: the one place where this is decided.
enum ErrorMapping {
    /// - Parameters:
    ///   - failure: The first error of the pipeline.
    ///   - name: The source's name, for the message.
    ///   - position: Where it happened, in seconds; `nil` while opening.
    static func coreError(_ failure: DeckFailure, name: String, position: Double?) -> CoreError {
        let place = position.map { " at \(seconds($0)) s" } ?? ""
        switch failure {
        case .stream(let failure): return coreError(failure, name: name, position: position, place: place)
        case .source(let error): return .ioError("\(name)\(place): its bytes could not be read: \(error)")
        case .refused(let reason): return .unsupported("\(name)\(place) \(reason)")
        }
    }

    private static func coreError(
        _ failure: StreamFailure, name: String, position: Double?, place: String
    ) -> CoreError {
        if position == nil, !failure.missing.isEmpty { return missing(failure.missing, name: name) }
        // What came out of the decoder had nowhere to go: pictures alone.
        if position == nil, failure.debug.contains("not-linked") { return .unsupported("\(name) contains no sound") }
        // A source that fails by itself, without a word of an element behind it: a server that does not answer.
        if failure.isFromSource, failure.debug.contains("reason error") {
            let certificate = name.hasPrefix("https:") ? ", or its certificate is not trusted" : ""
            return .ioError(
                "\(name)\(place): nothing more came from the source: it did not answer in time or ended the connection"
                    + certificate)
        }
        let words = failure.error.message.trimmedPeriod
        if failure.isLostConnection, let status = failure.status, status >= 400 {
            return refusal(status, words: "\(name)\(place): \(words)")
        }
        switch failure.error.domain {
        case "gst-resource-error-quark":
            return resourceError(failure, words: "\(name)\(place): \(words)")
        case "gst-stream-error-quark":
            return streamError(failure, name: name, place: place, words: words)
        case "gst-core-error-quark" where failure.error.code == Int(GST_CORE_ERROR_MISSING_PLUGIN.rawValue):
            return .unsupported("\(name)\(place): GStreamer has no way to decode it (\(words)); convert it first")
        default:
            return .ioError("\(name)\(place): \(words)\(failure.debug.isEmpty ? "" : " (\(failure.debug))")")
        }
    }

    /// Nothing takes a stream. A package is named when none of those that decode such streams is installed; what is missing for
    /// pictures alone means that there is no sound.
    static func missing(_ codecs: [MissingCodec], name: String) -> CoreError {
        guard let codec = codecs.first(where: \.concernsSound) else { return .unsupported("\(name) contains no sound") }
        if codec.isInstalled {
            return .unsupported(
                "\(name) holds a stream that the installed decoder does not take (\(codec.format)): it is damaged or of an "
                    + "unusual kind; convert the file first, for instance with ffmpeg to FLAC")
        }
        guard let package = codec.package else {
            return .unsupported(
                "\(name) needs a \(codec.description) (\(codec.format)), which no package of Debian's brings; convert the "
                    + "file first, for instance with ffmpeg to FLAC")
        }
        return .unsupported(
            "\(name) needs a \(codec.description), which is not installed; install it with: apt-get install \(package)")
    }

    /// What a web server refused.
    private static func refusal(_ status: Int, words: String) -> CoreError {
        let text = "\(words) (HTTP status \(status))"
        return switch status {
        case 401, 403: .ioError(text + "; set the user name and password, or the header, with NetworkAccess")
        case 404, 410: .notFound(text)
        default: .ioError(text)
        }
    }

    private static func resourceError(_ failure: StreamFailure, words: String) -> CoreError {
        failure.error.code == Int(GST_RESOURCE_ERROR_NOT_FOUND.rawValue) ? .notFound(words) : .ioError(words)
    }

    private static func streamError(_ failure: StreamFailure, name: String, place: String, words: String) -> CoreError {
        switch GstStreamError(rawValue: UInt32(failure.error.code)) {
        case GST_STREAM_ERROR_CODEC_NOT_FOUND:
            .unsupported(
                "\(name)\(place): no installed decoder takes this stream (\(words)); it is damaged or of an unusual kind"
            )
        case GST_STREAM_ERROR_TYPE_NOT_FOUND:
            .unsupported("\(name) is not in a known audio format (\(words))")
        // What flacparse and others say of a header without sound behind it.
        case GST_STREAM_ERROR_WRONG_TYPE where words.hasPrefix("No valid frames"):
            .decodeError("\(name)\(place) is damaged or cut off behind its header (\(words))")
        case GST_STREAM_ERROR_WRONG_TYPE:
            .unsupported("\(name) is not an audio file (\(words))")
        default:
            .decodeError("\(name)\(place): damaged or not audio (\(words))")
        }
    }

    /// "12.345".
    static func seconds(_ value: Double) -> String {
        let thousandths = Int64((value * 1000).rounded())
        let fraction = String(abs(thousandths % 1000))
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}

extension String {
    /// The text without a full stop at its end, so that it can stand inside another sentence.
    fileprivate var trimmedPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
