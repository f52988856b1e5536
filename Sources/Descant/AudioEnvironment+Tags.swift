public import DescantCore
public import DescantPlayback
internal import DescantTagLib

extension AudioEnvironment {
    /// Makes a reader of tags, on TagLib. Several threads may call it at once.
    public func makeTagReader() -> any TagReaderPort & Sendable { TagLibReader() }

    /// Makes a writer of tags that changes nothing but what it is asked for. Several threads may call it at once.
    public func makeTagWriter() -> any TagWriterPort & Sendable { TagLibWriter() }

    /// Makes the service by which apps read tags, one file or whole folders.
    public func makeTagReaderService() -> any TagReaderService & Sendable {
        DefaultTagReaderService(tagReaderPort: makeTagReader())
    }

    /// Offers the built-in reader and writer under the name `taglib`, beside those of bundles.
    static func registerTags(in plugins: PluginRegistry) {
        let types = [PluginFileType(extensions: TagReading.fileExtensions.sorted())]
        plugins.register(.tagReader(TagLibReader.identifier, fileTypes: types) { _ in TagLibReader() })
        plugins.register(.tagWriter(TagLibWriter.identifier, fileTypes: types) { _ in TagLibWriter() })
    }
}
