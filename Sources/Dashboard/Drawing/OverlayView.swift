/// A pop-up in front of the panels.
enum OverlayView {
  /// Clears at most `size` in the middle of `body` and draws a frame there.
  static func frame(
    _ size: Size, in body: Rect, title: String, info: String = "", on canvas: inout Canvas
  ) -> Rect {
    let frame = body.middle(size)
    canvas.fill(frame)
    FrameView.draw(title: title, info: info, frame: frame, isFocused: true, on: &canvas)
    return frame
  }
}
