/// What is asked of the writer of files.
package enum ExportEffect: Sendable, Equatable {
  /// Write rows to a file; answered by ``Action/exported(_:)``, and before that by
  /// ``Action/exporting(rows:)`` if it takes long.
  case rows(Export)
  /// Write all rows of a long result to a file, as ``rows(_:)`` does.
  case all(LongExport)
  /// Cancel the running export; answered by ``Action/exported(_:)``.
  case cancel
}
