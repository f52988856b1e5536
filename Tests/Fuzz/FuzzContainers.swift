/// Parses a file with every parser of DescantContainers, and edits it as the tag writer does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    Parsers.run(on: Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
