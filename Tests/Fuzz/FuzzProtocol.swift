/// The models that messages contain.
private let models: [any JSONModel.Type] = [
    LoginProvider.self, MediaItem.self, MusicAssistantPlayer.self, MusicAssistantProvider.self, MusicAssistantUser.self,
    PlayerQueue.self,
    ProviderManifest.self, QueueItem.self, SearchResults.self, ServerInfo.self, StreamDetails.self, TokenInfo.self,
]

/// Reads a message of a Music Assistant server, and each model from what it contains. Its JSON has to be the same after it was
/// written, but for numbers that no double holds, which are written as null.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard let json = try? JSONParser.parse(UnsafeRawBufferPointer(start: data, count: size)) else { return 0 }
    guard let copy = try? JSONValue(parsing: json.jsonBytes()), let second = try? JSONValue(parsing: copy.jsonBytes())
    else { fatalError("JSON that was written cannot be read") }
    guard second == copy else { fatalError("JSON is another value after it was written") }
    var values = [json]
    switch MessageEnvelope(json: json) {
    case .result(let message): values.append(message.result)
    case .event(let event): values.append(event.data)
    default: break
    }
    for value in values {
        for model in models { _ = try? model.init(json: value) }
    }
    return 0
}
