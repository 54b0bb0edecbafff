import ObservationEngine

extension DashboardState {
  /// What a recording stores of a received refresh: the results shown now, with the parameters of
  /// windows of long ones.
  ///
  /// Rows of a filter that had changed by the time they arrived were never shown.
  package func recording(of refresh: Refresh) -> RecordingFormat.Entry {
    let panels = isPaused ? timeline.live : panels
    var refresh = refresh
    var looks: [Int: RowRequest.Look] = [:]
    for (index, result) in refresh.results where panels.indices.contains(index) {
      guard case .success(let rows) = result, rows.part != nil else { continue }
      if panels[index].result == rows {
        looks[index] = panels[index].lens.shown
      } else {
        refresh.results[index] = nil
      }
    }
    return .refresh(refresh, looks: looks)
  }
}
