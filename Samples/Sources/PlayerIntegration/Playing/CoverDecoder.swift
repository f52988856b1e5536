internal import CGdkPixbuf
internal import Foundation
internal import PlayerApp

extension CoverArt {
    /// The maximum width and height of a decoded cover, in pixels: more than a view shows.
    private static let maximumSize: Int32 = 320
    /// The maximum number of pixels of a picture that is decoded.
    private static let pixelLimit = 50_000_000

    /// Decodes a JPEG or PNG picture, scaled down. `nil` for other data, damaged pictures and pictures of more than 50 million pixels.
    ///
    /// - Parameter data: The whole picture.
    init?(decoding data: Data) {
        let type =
            data.starts(with: [0xFF, 0xD8]) ? "jpeg" : data.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "png" : nil
        guard let type, let loader = gdk_pixbuf_loader_new_with_type(type, nil) else { return nil }
        defer { g_object_unref(loader) }
        let callback: @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gpointer?) -> Void =
            limitCoverSize
        g_signal_connect_data(
            loader, "size-prepared", unsafeBitCast(callback, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
        let isWritten = data.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                gdk_pixbuf_loader_write(
                    loader, $0.assumingMemoryBound(to: UInt8.self), gsize(bytes.count), nil) != 0
            } ?? false
        }
        // A loader must be closed, also after an error.
        let isClosed = gdk_pixbuf_loader_close(loader, nil) != 0
        guard isWritten, isClosed, let picture = gdk_pixbuf_loader_get_pixbuf(loader) else { return nil }
        self.init(picture)
    }

    private init?(_ picture: OpaquePointer) {
        let (width, height) = (Int(gdk_pixbuf_get_width(picture)), Int(gdk_pixbuf_get_height(picture)))
        let (channels, stride) = (
            Int(gdk_pixbuf_get_n_channels(picture)), Int(gdk_pixbuf_get_rowstride(picture))
        )
        guard channels >= 3, gdk_pixbuf_get_bits_per_sample(picture) == 8, width > 0, height > 0,
            let bytes = gdk_pixbuf_read_pixels(picture)
        else { return nil }
        var pixels: [Color] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let pixel = bytes + row * stride + column * channels
                pixels.append(Color(red: pixel[0], green: pixel[1], blue: pixel[2]))
            }
        }
        self.init(width: width, height: height, pixels: pixels)
    }

    /// The size at which a picture is decoded; `nil` for one that is too large.
    fileprivate static func decodedSize(_ width: gint, _ height: gint) -> (gint, gint)? {
        guard width > 0, height > 0, Int(width) * Int(height) <= pixelLimit else { return nil }
        let largest = max(width, height)
        guard largest > maximumSize else { return (width, height) }
        let scale = Double(maximumSize) / Double(largest)
        return (max(1, gint(Double(width) * scale)), max(1, gint(Double(height) * scale)))
    }
}

/// Called when the loader has read the size of a picture. A size of 0 ends the decoding.
private func limitCoverSize(
    _ loader: UnsafeMutablePointer<GdkPixbufLoader>?, _ width: gint, _ height: gint, _ context: gpointer?
) {
    let size = CoverArt.decodedSize(width, height) ?? (0, 0)
    gdk_pixbuf_loader_set_size(loader, size.0, size.1)
}
