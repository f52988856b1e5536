import CGtk
import CGtkList
import DescantTesting
import Testing

/// The list of the window's lines, beside GTK's own models, which make every item.
@Suite struct LineListTests {
    /// Two models that were told the same, and how often each reported a change of the selection.
    private final class Models {
        let lines: OpaquePointer
        let peer: OpaquePointer
        let strings: OpaquePointer

        init(isSingle: Bool) {
            lines = descant_gtk_list_new(isSingle)
            strings = gtk_string_list_new(nil)
            if isSingle {
                // The selection keeps the list.
                peer = gtk_single_selection_new(strings)
                gtk_single_selection_set_autoselect(peer, 0)
                gtk_single_selection_set_can_unselect(peer, 1)
                gtk_single_selection_set_selected(peer, .max)
            } else {
                peer = gtk_multi_selection_new(strings)
            }
        }

        deinit {
            g_object_unref(UnsafeMutableRawPointer(lines))
            g_object_unref(UnsafeMutableRawPointer(peer))
        }

        var count: UInt32 { g_list_model_get_n_items(lines) }

        func splice(_ start: UInt32, removed: UInt32, added: UInt32) {
            descant_gtk_list_splice(lines, start, removed, added)
            let text = strdup("line")
            defer { free(text) }
            var texts = [UnsafePointer<CChar>?](repeating: UnsafePointer(text), count: Int(added)) + [nil]
            gtk_string_list_splice(strings, start, removed, &texts)
        }

        /// Selects or unselects in both, and returns whether each did.
        func both(_ change: (OpaquePointer) -> gboolean) -> [Bool] { [lines, peer].map { change($0) != 0 } }

        func selected(_ model: OpaquePointer) -> [UInt32] {
            (0..<count).filter { gtk_selection_model_is_selected(model, $0) != 0 }
        }
    }

    @Test(arguments: [false, true], 0..<20) func linesAreSelectedAsInTheModelsOfGTK(isSingle: Bool, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let models = Models(isSingle: isSingle)
        for step in 0..<200 {
            let count = models.count
            let place = UInt32.random(in: 0...count, using: &random)
            let length = UInt32.random(in: 0...(count - place), using: &random)
            let only: gboolean = Bool.random(using: &random) ? 1 : 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: models.splice(place, removed: 0, added: .random(in: 0..<20, using: &random))
            case 2: models.splice(place, removed: length, added: .random(in: 0..<5, using: &random))
            case 3, 4:
                guard place < count else { continue }
                _ = models.both { gtk_selection_model_select_item($0, place, only) }
            case 5:
                guard place < count else { continue }
                _ = models.both { gtk_selection_model_unselect_item($0, place) }
            case 6:
                // GTK's single selection refuses every range.
                if isSingle, length < 2 { continue }
                let changed = models.both { gtk_selection_model_select_range($0, place, length, only) }
                #expect(changed == [!isSingle, !isSingle], "step \(step)")
            default: _ = models.both { gtk_selection_model_select_all($0) }
            }
            #expect(g_list_model_get_n_items(models.peer) == models.count, "step \(step)")
            #expect(models.selected(models.lines) == models.selected(models.peer), "step \(step)")
        }
    }

    @Test func itemsAreMadeForLinesAlone() {
        let list = descant_gtk_list_new(false)
        defer { g_object_unref(UnsafeMutableRawPointer(list)) }
        #expect(g_list_model_get_item(list, 0) == nil)
        descant_gtk_list_splice(list, 0, 0, 3)
        let item = g_list_model_get_item(list, 2)
        #expect(item != nil && g_list_model_get_item(list, 3) == nil && g_list_model_get_item(list, .max) == nil)
        g_object_unref(item)
    }
}
