internal import CDescant
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Opens the files that a helper wants to read, as far as they lie in its folders.
///
/// The folders are opened when the helper is started; one that does not exist is left out.
final class FileServer: Sendable {
    private let paths: [String]
    private let folders: [Int32]
    private let socket: Int32
    /// The helper's end of the socket until the helper has it, then -1.
    private let otherEnd: Mutex<Int32>
    /// Is left when the helper has closed its socket.
    private let serving = DispatchGroup()

    /// - Parameters:
    ///   - readable: The folders, as absolute paths.
    ///   - name: The plugin in errors.
    /// - Throws: ``CoreError/ioError(underlying:)``.
    init(_ readable: [String], name: String) throws {
        var pair: [Int32] = [-1, -1]
        let result = descant_socket_pair(&pair)
        guard result == 0 else { throw CoreError.ioError("\(name): no socket: \(String(cString: strerror(result)))") }
        socket = pair[0]
        otherEnd = Mutex(pair[1])
        let opened = readable.compactMap { path -> (String, Int32)? in
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            return folder < 0 ? nil : (path, folder)
        }
        paths = opened.map(\.0)
        folders = opened.map(\.1)
    }

    deinit {
        close(socket)
        closeOtherEnd()
        folders.forEach { _ = close($0) }
    }

    /// The socket that the helper gets.
    var helperEnd: Int32 { otherEnd.withLock { $0 } }

    /// Serves a helper that has its end of the socket, on a thread of its own.
    func start() {
        // The helper's end is noticed when nobody else has its end of the socket.
        closeOtherEnd()
        DispatchQueue(label: "descant.helper.files").async(group: serving) { [socket, paths, folders] in
            var texts = paths.map { strdup($0).map { UnsafePointer($0) } }
            defer { texts.forEach { free(UnsafeMutableRawPointer(mutating: $0)) } }
            descant_files_serve(socket, &texts, folders, Int32(folders.count))
        }
    }

    /// Ends the service of a helper, which has ended, and waits until it is over.
    func waitUntilEnded() {
        // A helper may have sent its end of the socket away in a message that nobody receives: its death alone closes nothing then.
        shutdown(socket, Int32(SHUT_RDWR))
        serving.wait()
    }

    private func closeOtherEnd() {
        let end = otherEnd.withLock { end in
            defer { end = -1 }
            return end
        }
        if end >= 0 { close(end) }
    }
}
