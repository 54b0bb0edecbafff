import ObservationEngine

/// Applies an action to the state and returns the effects for the program.
///
/// - Complexity: O(rows · columns) of the refreshed results; O(rows) at most for keys.
package func reduce(_ state: inout DashboardState, _ action: Action) -> [Effect] {
  let choices = state.panes.choices
  let question = state.modes.question
  let effects = state.take(action) + state.rememberedChoices(since: choices)
  state.askAboutHooks(after: question)
  state.settle()
  return effects + state.schemaWishes() + state.explorerWishes() + state.rowWishes()
}

extension DashboardState {
  fileprivate mutating func take(_ action: Action) -> [Effect] {
    switch action {
    case .key(let key): return press(key) + wantedVocabulary(isTyping: true)
    case .resized(let size): panes.size = size
    case .refreshed(let refresh, let looks, at: let moment):
      pass(to: moment)
      receive(refresh, looks)
      return judgeAlerts(refresh) + wantedVocabulary(isTyping: false)
    case .ticked(let moment): pass(to: moment)
    case .drawn(let latency, let origin): vitals.latency.append(latency, origin: origin)
    case .console(let event): return receive(event)
    case .schema(let event): receive(event)
    case .explorer(let action): return receive(action)
    case .hook(let event): receive(event)
    case .replayed(let progress): source = .recording(progress)
    case .exporting(let rows): modes.export?.progress?.rows = rows
    case .exported(let outcome): receive(outcome)
    case .focusPanel(let name): return focusPanel(named: name)
    case .databaseInfo(let info): vitals.database = info
    case .panelKept(let name): return hidePanel(named: name)
    case .parameters(let parameters): receive(parameters)
    case .referenceFound(let reference, let cell): return follow(cell, to: reference)
    case .panelsReplaced(let definition): replacePanels(with: definition)
    case .dashboardRejected(let reason):
      news.dashboardError = reason
      if reason != nil { message = nil }
    case .message(let text, let severity): message = Message(text, severity)
    case .read(let title, let text): show(text, title: title)
    }
    return []
  }
}

extension DashboardState {
  /// Receives a refresh; in the background, while an older frame is shown.
  mutating func receive(_ refresh: Refresh, _ looks: [Int: RowRequest.Look] = [:]) {
    let feedLines = layout.visibleFeedLines
    feed.append(
      refresh, panelCount: panels.count, room: feedLines > 0 ? feedLines : Feed.usualRoom)
    var commits = 0
    let moment = now.monotonic
    for case .commit(let commit) in refresh.events {
      commits += commit.count
      schema.note(commit)
      explorer?.note(commit, at: moment)
    }
    console.note(commits: refresh)
    vitals.rate.add(commits, at: now.monotonic)
    withNewestPanels { state in
      let hasChanges = state.apply(refresh, looks)
      state.timeline.keep(
        state.panels, after: refresh, hasChanges: hasChanges, at: state.now)
    }
  }

  /// - Returns: Whether anything changed: rows loaded for the first time are not a change.
  private mutating func apply(_ refresh: Refresh, _ looks: [Int: RowRequest.Look]) -> Bool {
    var hasChanges = false
    for (index, result) in refresh.results where panels.indices.contains(index) {
      switch result {
      case .success(let rows):
        let isChange = panels[index].receive(
          rows, recorded: source.isRecording ? looks[index] ?? RowRequest.Look() : nil,
          ordinal: refresh.ordinal, at: now)
        hasChanges = hasChanges || isChange
      case .failure(let error):
        panels[index].receive(error)
        hasChanges = true
      }
    }
    var queries = Duration.zero
    for (index, duration) in refresh.recomputed where panels.indices.contains(index) {
      panels[index].data.duration = duration
      queries += duration
    }
    for index in panels.indices { panels[index].data.staleness = refresh.stale[index] }
    vitals.lastRefresh = RefreshSummary(
      ordinal: max(refresh.ordinal, lastRefresh?.ordinal ?? 0), panels: refresh.recomputed.count,
      queries: queries, time: now.civil, pause: refresh.pause)
    return hasChanges
  }

  /// Evaluates the alerts of all panels.
  fileprivate mutating func judgeAlerts(_ refresh: Refresh) -> [Effect] {
    guard panels.contains(where: { $0.definition.alert != nil }) else { return [] }
    let (isRaised, hooks) = alerts.judge(
      refresh, panels.map(\.definition), callsHooks: !source.isRecording,
      databaseName: setting.databaseName, &news)
    // The bell rings once, however many panels alert together.
    return (isRaised ? [.ring] : []) + hooks.map(Effect.hooks)
  }
}
