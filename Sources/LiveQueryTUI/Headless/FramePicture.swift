import Dashboard

/// How the screens of ``FrameRun`` are written: the name of the file says it.
enum FrameForm: Equatable {
  /// The text of the last screen.
  case text
  /// The last screen as an image, in colour.
  case svg
  /// All screens, in colour, one after the other.
  case asciicast

  init(output: String?) {
    let name = output?.lowercased() ?? ""
    self = name.hasSuffix(".svg") ? .svg : name.hasSuffix(".cast") ? .asciicast : .text
  }
}

/// Collects the screens of a script of keys.
struct FramePicture {
  private let form: FrameForm
  private let title: String
  private let colors: ScreenColors
  private var cast: Asciicast

  /// How long a screen stands after a key, after a wait, and at the end. A script has no time of its
  /// own, so the same script always has the same pace.
  private static let pace = (key: 120, wait: 1200, end: 3000)

  /// - Throws: ``Failure`` for a theme that can't be read.
  init(_ arguments: Arguments) throws(Failure) {
    form = FrameForm(output: arguments.output)
    title = "livequery " + arguments.databaseName
    var theme = Theme.builtIn("auto")
    if form != .text {
      let (loaded, faults) = ThemeFiles.usual.load(arguments.theme)
      for fault in faults { StandardError.write(fault) }
      if !faults.isEmpty { throw Failure("", status: ExitStatus.usage) }
      theme = loaded
    }
    colors = ScreenColors(theme: theme)
    cast = Asciicast(size: arguments.frame, colors: colors)
  }

  /// Whether every screen counts, and not only the last one.
  var needsAll: Bool { form == .asciicast }

  /// Takes the screen after a step of the script.
  mutating func take(_ grid: Grid, after step: KeyScript.Step) {
    cast.show(grid, milliseconds: step == .wait ? Self.pace.wait : Self.pace.key)
  }

  /// What to print when the script has ended with this screen.
  mutating func text(_ last: Grid) -> String {
    switch form {
    case .text: return last.text + "\n"
    case .svg: return SVGPicture.text(last, title: title, colors: colors)
    case .asciicast:
      cast.show(last, milliseconds: 0)
      cast.end(milliseconds: Self.pace.end)
      return cast.text(title: title)
    }
  }
}
