internal import CGStreamer
internal import DescantCore

/// Maps GStreamer's errors to ``CoreError``.
enum ErrorMapping {
    /// - Parameters:
    ///   - failure: The first error of the pipeline.
    ///   - name: The source's name, for the message.
    ///   - position: The position in seconds; `nil` while opening.
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
        // The demuxer found pictures only, which have no sink.
        if position == nil, failure.debug.contains("not-linked") { return .unsupported("\(name) contains no sound") }
        // The source fails without an error of an element behind it when a server does not answer.
        if failure.hasNoReason {
            return .ioError(
                "\(name)\(place): nothing more came from the source: it did not answer in time or ended the connection")
        }
        let text = failure.error.message.trimmedPeriod
        if failure.isLostConnection, let status = failure.status, status >= 400 {
            return refusal(status, text: "\(name)\(place): \(text)")
        }
        switch failure.error.domain {
        case "gst-resource-error-quark":
            return resourceError(failure, text: "\(name)\(place): \(text)")
        case "gst-stream-error-quark":
            return streamError(failure, name: name, place: place, text: text)
        case "gst-core-error-quark" where failure.error.code == Int(GST_CORE_ERROR_MISSING_PLUGIN.rawValue):
            return .unsupported("\(name)\(place): GStreamer has no way to decode it (\(text)); convert it first")
        default:
            let reason = StreamFailure.reason(in: failure.debug)
            return .ioError("\(name)\(place): \(text)\(reason.isEmpty ? "" : " (\(reason))")")
        }
    }

    /// No element takes a stream. The text names a package only when no decoder of the format is installed. A missing
    /// decoder for pictures means that there is no sound.
    static func missing(_ codecs: [MissingCodec], name: String) -> CoreError {
        guard let codec = codecs.first(where: \.concernsSound) else { return .unsupported("\(name) contains no sound") }
        if codec.isInstalled {
            return .unsupported(
                "\(name) holds a stream that the installed decoder does not take (\(codec.format)): it is damaged or of an "
                    + "unusual kind; convert the file first, for instance with ffmpeg to FLAC")
        }
        if let excluded = codec.excluded {
            return .unsupported(
                "\(name) is of a format (\(codec.format)) whose decoder, \(excluded), would end the program on a damaged file, so "
                    + "it is not used; convert the file first, for instance with ffmpeg to FLAC")
        }
        guard let package = codec.package else {
            return .unsupported(
                "\(name) needs a \(codec.description) (\(codec.format)), which no package of Debian's brings; convert the "
                    + "file first, for instance with ffmpeg to FLAC")
        }
        return .unsupported(
            "\(name) needs a \(codec.description), which is not installed; install it with: apt-get install \(package)")
    }

    /// The error for an HTTP status of 400 or more.
    private static func refusal(_ status: Int, text: String) -> CoreError {
        let message = "\(text) (HTTP status \(status))"
        return switch status {
        case 401, 403: .ioError(message + "; set the user name and password, or the header, with NetworkAccess")
        case 404, 410: .notFound(message)
        default: .ioError(message)
        }
    }

    private static func resourceError(_ failure: StreamFailure, text: String) -> CoreError {
        failure.error.code == Int(GST_RESOURCE_ERROR_NOT_FOUND.rawValue) ? .notFound(text) : .ioError(text)
    }

    private static func streamError(_ failure: StreamFailure, name: String, place: String, text: String) -> CoreError {
        switch GstStreamError(rawValue: UInt32(failure.error.code)) {
        case GST_STREAM_ERROR_CODEC_NOT_FOUND:
            .unsupported(
                "\(name)\(place): no installed decoder takes this stream (\(text)); it is damaged or of an unusual kind"
            )
        case GST_STREAM_ERROR_TYPE_NOT_FOUND:
            .unsupported("\(name) is not in a known audio format (\(text))")
        // The error of flacparse and others for a header without sound.
        case GST_STREAM_ERROR_WRONG_TYPE where text.hasPrefix("No valid frames"):
            .decodeError("\(name)\(place) is damaged or cut off behind its header (\(text))")
        case GST_STREAM_ERROR_WRONG_TYPE:
            .unsupported("\(name) is not an audio file (\(text))")
        default:
            .decodeError("\(name)\(place): damaged or not audio (\(text))")
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
    /// The text without a full stop at its end.
    var trimmedPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
