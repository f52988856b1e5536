internal import CLibXML2
internal import Foundation

/// A part of an XML or HTML document. Names are in lower case and without a namespace prefix.
enum MarkupToken: Equatable {
    /// An element begins; its end follows, also where the document leaves it out.
    case start(String, [String: String])
    /// An element ends.
    case end(String)
    /// Characters, with entities replaced.
    case text(String)
}

/// Divides documents into tokens with libxml2.
enum MarkupParser {
    /// The maximum depth of nested elements. The cost of an end tag that fits no start tag grows with the depth.
    static let depthLimit = 2_000

    /// Returns the tokens of a document: of XML if it is well-formed, otherwise of HTML with the errors repaired.
    ///
    /// Nothing is loaded from other files, and entities that the document declares are not replaced.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - name: The name in errors.
    /// - Throws: ``InputError`` when elements are nested deeper than ``depthLimit``.
    static func tokens(of document: String, name: String) throws(InputError) -> [MarkupToken] {
        // libxml2 takes a zero byte for the end of the input.
        let bytes = document.utf8.map { $0 == 0 ? CChar(0x20) : CChar(bitPattern: $0) }
        guard let tokens = xmlTokens(of: bytes) ?? htmlTokens(of: bytes) else {
            throw InputError(description: "\(name): elements are nested more than \(depthLimit) deep")
        }
        return tokens
    }

    private static func xmlTokens(of bytes: [CChar]) -> [MarkupToken]? {
        guard let parser = xmlNewParserCtxt() else { return nil }
        defer { xmlFreeParserCtxt(parser) }
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        let collector = TokenCollector.collect(from: parser) {
            xmlCtxtReadMemory(parser, bytes, Int32(bytes.count), nil, "UTF-8", Int32(options))
        }
        return parser.pointee.wellFormed == 1 ? collector.tokens : nil
    }

    private static func htmlTokens(of bytes: [CChar]) -> [MarkupToken]? {
        guard let parser = htmlNewParserCtxt() else { return nil }
        defer { htmlFreeParserCtxt(parser) }
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
            | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
        let collector = TokenCollector.collect(from: parser) {
            htmlCtxtReadMemory(parser, bytes, Int32(bytes.count), nil, "UTF-8", Int32(options))
        }
        return collector.isTooDeep ? nil : collector.tokens
    }
}

/// Receives the events of a parser on the thread that parses.
private final class TokenCollector {
    private(set) var tokens: [MarkupToken] = []
    private(set) var isTooDeep = false
    private let parser: xmlParserCtxtPtr
    private var text: [UInt8] = []
    private var depth = 0

    private init(parser: xmlParserCtxtPtr) { self.parser = parser }

    /// Runs a parser whose events go to a new collector, so that no tree is built.
    static func collect(from parser: xmlParserCtxtPtr, parse: () -> xmlDocPtr?) -> TokenCollector {
        let collector = TokenCollector(parser: parser)
        var handler = xmlSAXHandler()
        handler.initialized = 1
        handler.startElement = elementStarted
        handler.endElement = elementEnded
        handler.characters = charactersFound
        handler.ignorableWhitespace = charactersFound
        handler.reference = entityFound
        parser.pointee.sax.pointee = handler
        withExtendedLifetime(collector) {
            parser.pointee.userData = Unmanaged.passUnretained(collector).toOpaque()
            if let document = parse() { xmlFreeDoc(document) }
        }
        collector.endText()
        return collector
    }

    func start(_ name: String, _ attributes: [String: String]) {
        endText()
        tokens.append(.start(Self.bare(name), attributes))
        depth += 1
        guard depth > MarkupParser.depthLimit else { return }
        isTooDeep = true
        xmlStopParser(parser)
    }

    func end(_ name: String) {
        endText()
        tokens.append(.end(Self.bare(name)))
        depth -= 1
    }

    func add(_ characters: UnsafeBufferPointer<UInt8>) { text.append(contentsOf: characters) }

    /// Adds the character of an entity of HTML that the document does not declare itself.
    func addEntity(_ name: String) {
        guard let entity = htmlEntityLookup(name), let scalar = Unicode.Scalar(UInt32(entity.pointee.value)) else {
            return text.append(contentsOf: "&\(name);".utf8)
        }
        text.append(contentsOf: String(scalar).utf8)
    }

    static func bare(_ name: String) -> String {
        name.lowercased().split(separator: ":").last.map(String.init) ?? name
    }

    private func endText() {
        guard !text.isEmpty else { return }
        var characters = String(decoding: text, as: UTF8.self)
        // Old pages number characters as in Windows-1252: `&#146;`.
        let controls: ClosedRange<Unicode.Scalar> = "\u{80}"..."\u{9F}"
        if characters.unicodeScalars.contains(where: controls.contains) {
            let scalars = characters.unicodeScalars.map {
                controls.contains($0) ? TextDecoding.latin(UInt8($0.value)) : $0
            }
            characters = String(String.UnicodeScalarView(scalars))
        }
        tokens.append(.text(characters))
        text.removeAll(keepingCapacity: true)
    }
}

private typealias Name = UnsafePointer<xmlChar>

private func collector(_ context: UnsafeMutableRawPointer?) -> TokenCollector? {
    context.map { Unmanaged<TokenCollector>.fromOpaque($0).takeUnretainedValue() }
}

private func elementStarted(
    _ context: UnsafeMutableRawPointer?, _ name: Name?, _ values: UnsafeMutablePointer<Name?>?
) {
    guard let name else { return }
    var attributes: [String: String] = [:]
    var next = values
    while let pair = next, let key = pair[0] {
        attributes[TokenCollector.bare(String(cString: key))] = pair[1].map { String(cString: $0) } ?? ""
        next = pair + 2
    }
    collector(context)?.start(String(cString: name), attributes)
}

private func elementEnded(_ context: UnsafeMutableRawPointer?, _ name: Name?) {
    guard let name else { return }
    collector(context)?.end(String(cString: name))
}

private func charactersFound(_ context: UnsafeMutableRawPointer?, _ characters: Name?, _ count: Int32) {
    collector(context)?.add(UnsafeBufferPointer(start: characters, count: Int(count)))
}

private func entityFound(_ context: UnsafeMutableRawPointer?, _ name: Name?) {
    guard let name else { return }
    collector(context)?.addEntity(String(cString: name))
}
