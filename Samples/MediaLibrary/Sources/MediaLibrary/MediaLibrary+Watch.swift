public import Descant
internal import Foundation
internal import Synchronization

extension MediaLibrary {
    /// Keeps the library up to date: scans its folders, then whatever changes in them, until the iteration ends.
    ///
    /// Folders that are added meanwhile, also by another program, are scanned and followed, too. On network disks only changes by this computer are
    /// seen. What a scan could not store, because another program was writing to the library, comes with the next change.
    ///
    /// - Parameters:
    ///   - reader: Reads the tags.
    ///   - quiet: The seconds without a change after which changed files are read, 0 or more.
    ///   - progress: Called during each scan, on any thread; the last time when it has ended.
    /// - Returns: A sequence with the report of the first scan, and of each later one that has changed something
    ///   or met a problem. It throws ``LibraryError``; when the system watches no changes, behind the first report.
    public func updates(
        with reader: any TagReaderService & Sendable, quiet: Double = 1,
        progress: @escaping @Sendable (LibraryScanProgress) -> Void = { _ in }
    ) -> AsyncThrowingStream<LibraryScanReport, any Error> {
        let (stream, reports) = AsyncThrowingStream.makeStream(of: LibraryScanReport.self, throwing: (any Error).self)
        let task = Task {
            do {
                let folders = try await folders().map(\.path)
                if let first = folders.first { progress(LibraryScanProgress(folder: first)) }
                // Watched first, so that nothing is missed between the scan and the watch.
                var begun: FolderWatch?
                var refusal: (any Error)?
                do {
                    begun = try FolderWatch(folders, quiet: max(0, quiet), journal: file.path + "-wal")
                } catch {
                    refusal = error
                }
                var changes: Set<FolderWatch.Change> = [.everything]
                var first = try await follow(&changes, reader, progress)
                // A scan that could not begin has not told its end.
                if !changes.isEmpty { progress(LibraryScanProgress(phase: .finished)) }
                if let problem = begun?.problem {
                    first.problems.append(LibraryProblem(path: "inotify", reason: problem))
                }
                reports.yield(first)
                guard let watch = begun else { return reports.finish(throwing: refusal) }
                var followed = folders
                for await _ in watch.announcements {
                    changes.formUnion(watch.take())
                    if changes.remove(.library) != nil {
                        followed = await follow(newFoldersBeside: followed, with: watch, &changes)
                    }
                    guard !changes.isEmpty else { continue }
                    let report = try await follow(&changes, reader, progress)
                    if report.hasChanges || !report.problems.isEmpty { reports.yield(report) }
                }
                reports.finish()
            } catch {
                progress(LibraryScanProgress(phase: .finished))
                reports.finish(throwing: error)
            }
        }
        reports.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Watches the folders that the library has since the last call, and notes that they are to be scanned.
    ///
    /// - Returns: The folders that the library has now.
    private func follow(
        newFoldersBeside known: [String], with watch: FolderWatch, _ changes: inout Set<FolderWatch.Change>
    ) async -> [String] {
        // What cannot be read now is read after the next change.
        guard let present = try? await folders().map(\.path) else { return known }
        for path in present where !known.contains(path) {
            watch.follow(path)
            changes.insert(.folder(path))
        }
        return present
    }

    /// Scans what has changed.
    ///
    /// - Parameter changes: The changes; empty afterwards, unless the library could not be read or written.
    private func follow(
        _ changes: inout Set<FolderWatch.Change>, _ reader: any TagReaderService & Sendable,
        _ progress: @escaping @Sendable (LibraryScanProgress) -> Void
    ) async throws -> LibraryScanReport {
        do {
            guard !changes.contains(.everything) else {
                let report = try await scan(with: reader, progress: progress)
                changes = []
                return report
            }
            let folders = try await folders().map(\.path)
            // Some may have been taken out of the library since, or may be links to other places now.
            let paths = changes.compactMap { change -> String? in
                guard case .folder(let path) = change else { return nil }
                let real = (try? Self.realPath(URL(filePath: path, directoryHint: .isDirectory))) ?? path
                return folders.contains { $0 == real || Self.lies(real, within: $0) } ? real : nil
            }
            // All are read in one scan, so that a file that has moved is recognised; it reads a folder within another changed one once.
            let places = paths.sorted().map { URL(filePath: $0, directoryHint: .isDirectory) }
            let report = try await scan(places, with: reader, progress: progress)
            changes = []
            return report
        } catch let error as LibraryError {
            // The next change is another attempt.
            var report = LibraryScanReport()
            report.problems = [error.problem]
            return report
        }
    }
}
