package import ObservationEngine

/// One result as JSON, exact to the bit, as recordings have it.
package enum RecordedResult {
  /// - Complexity: O(rows · columns).
  package static func text(of result: RowSet) -> String {
    RecordingWriter(start: 0).object(result, RowRequest.Look()).text
  }

  /// The result that a text stands for; nil when it isn't one of ``text(of:)``.
  package static func result(_ text: String) -> RowSet? {
    // The reader's reasons name lines of a recording, which this text is not.
    guard let json = try? JSONReader.read(Array(text.utf8)),
      let result = try? RecordingEntryReader(panelCount: 1, views: []).result(json, of: "0")
    else { return nil }
    return try? result.get()
  }
}
