internal import CGStreamer
internal import DescantCore
package import Foundation

/// Asks GStreamer's type finders for the format of a file.
enum ContentRecognition {
    /// Some frames of every MPEG stream, also at 320 kbit/s.
    private static let length = 65_536

    /// The bytes that type finders look at, and the highest score that one has given.
    private struct Search {
        var bytes: UnsafeRawBufferPointer
        var score: UInt32 = 0
    }

    /// Whether a file's first bytes tell its format beyond doubt.
    ///
    /// Magic bytes score `GST_TYPE_FIND_LIKELY` or more; sync words of MPEG audio that noise holds by chance score less. Only the type
    /// finders of GStreamer's core are asked: others would have to be loaded, which a library that hangs in its constructor prevents.
    static func isCertain(_ url: URL) -> Bool {
        guard (try? GStreamerRuntime.start()) != nil, let file = try? FileHandle(forReadingFrom: url),
            let bytes = try? file.read(upToCount: length)
        else { return false }
        return bytes.withUnsafeBytes { score(of: $0) } >= GST_TYPE_FIND_LIKELY.rawValue
    }

    private static func score(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var search = Search(bytes: bytes)
        let factories = gst_type_find_factory_get_list()
        defer { gst_plugin_feature_list_free(factories) }
        withUnsafeMutablePointer(to: &search) { search in
            var find = GstTypeFind()
            find.data = UnsafeMutableRawPointer(search)
            find.get_length = { guint64($0.map { $0.assumingMemoryBound(to: Search.self).pointee.bytes.count } ?? 0) }
            find.peek = { data, offset, size in
                // Type finders take offsets from the file: as a sum they may overflow.
                guard let bytes = data?.assumingMemoryBound(to: Search.self).pointee.bytes,
                    (0...bytes.count).contains(offset), Int(size) <= bytes.count - offset
                else { return nil }
                return bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
            }
            find.suggest = { data, score, _ in
                guard let search = data?.assumingMemoryBound(to: Search.self) else { return }
                search.pointee.score = max(search.pointee.score, score)
            }
            var next = factories
            while let item = next {
                next = item.pointee.next
                guard let feature = item.pointee.data.map(OpaquePointer.init), isOfTheCore(feature) else { continue }
                gst_type_find_factory_call_function(feature, &find)
            }
        }
        return search.score
    }

    private static func isOfTheCore(_ feature: OpaquePointer) -> Bool {
        gst_plugin_feature_get_plugin_name(feature).map { String(cString: $0) } == "typefindfunctions"
    }
}

extension GStreamerDecks: ContentRecognizer {
    package func recognises(_ url: URL) -> Bool { ContentRecognition.isCertain(url) }
}

extension GStreamerDecoder: ContentRecognizer {
    package func recognises(_ url: URL) -> Bool { ContentRecognition.isCertain(url) }
}
