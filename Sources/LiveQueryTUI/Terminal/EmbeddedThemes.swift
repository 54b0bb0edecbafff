// Made by Scripts/embed-files from share/livequery/themes: change those files.
enum EmbeddedThemes: EmbeddedFiles {
  static let files: [(name: String, text: String)] = [
    (
      "auto",
      #"""
      # The colours of dark.theme or of light.theme, as the terminal reports its background; until
      # it does, those of dark.theme. What a theme leaves out comes from these two: this one leaves
      # out everything.

      """#
    ),
    (
      "dark",
      #"""
      # For a dark background. Text has a contrast of at least 4.5, as WCAG 2 measures it, on black
      # and on #1e1e1e; lines have 3.

      [dark]
      text = default
      muted = 245 #8a8f98
      border = 242 #6a717d
      focused-border = 75 #61afef
      title = default
      header = 250 #b8bcc4
      accent = 81 #56d7f5
      bar = 74 #5a9fc4
      bar-track = 242 #6a717d
      inserted = 114 #8ccf7e
      changed = 221 #f2cf66
      removed = 210 #f28b82
      rising = 114 #8ccf7e
      falling = 210 #f28b82
      placeholder = 245 #858b96
      escaped = 176 #c98be0
      warning = 215 #f5b060
      error = 203 #f7605a
      status-bar = default
      key-hint = 180 #d8b98a
      prompt = 81 #56d7f5
      keyword = 111 #82aaff
      string = 150 #a8d08d
      numeral = 180 #d8b98a
      comment = 245 #858b96
      flash.inserted = 235 #232b25, 22 #1f4a2a, 28 #2c7a3f
      flash.removed = 235 #2e2526, 52 #57242a, 88 #8a2f38
      flash.changed = 235 #2d2b22, 58 #554a1d, 94 #7d681c
      flash.text = 231 #ffffff
      selection = 236 #2b3543
      selection.text = 253 #d8dce3

      """#
    ),
    (
      "high-contrast",
      #"""
      # Few strong colours, nothing dim. Everything has a contrast of at least 7, as WCAG 2
      # measures it.

      dim = off
      selection = default

      [dark]
      text = 231 #ffffff
      muted = 231 #ffffff
      border = 231 #ffffff
      focused-border = 51 #00ffff
      title = 231 #ffffff
      header = 231 #ffffff
      accent = 51 #00ffff
      bar = 231 #ffffff
      bar-track = 249 #b2b2b2
      inserted = 46 #00ff00
      changed = 226 #ffff00
      removed = 210 #ff8c8c
      rising = 46 #00ff00
      falling = 210 #ff8c8c
      placeholder = 231 #ffffff
      escaped = 213 #ff87ff
      warning = 226 #ffff00
      error = 210 #ff8c8c
      status-bar = 231 #ffffff
      key-hint = 226 #ffff00
      prompt = 51 #00ffff
      keyword = 51 #00ffff
      string = 46 #00ff00
      numeral = 226 #ffff00
      comment = 231 #ffffff
      flash.inserted = 233 #0a1f0a, 34 #00af00, 46 #00ff00
      flash.removed = 233 #240c0c, 203 #ff6b6b, 217 #ffafaf
      flash.changed = 233 #1f1c08, 178 #d7af00, 226 #ffff00
      flash.text = 16 #000000

      [light]
      text = 16 #000000
      muted = 16 #000000
      border = 16 #000000
      focused-border = 18 #000087
      title = 16 #000000
      header = 16 #000000
      accent = 18 #000087
      bar = 16 #000000
      bar-track = 240 #555555
      inserted = 22 #005f00
      changed = 52 #5f2f00
      removed = 88 #870000
      rising = 22 #005f00
      falling = 88 #870000
      placeholder = 16 #000000
      escaped = 53 #5f005f
      warning = 52 #5f2f00
      error = 88 #870000
      status-bar = 16 #000000
      key-hint = 52 #5f2f00
      prompt = 18 #000087
      keyword = 18 #000087
      string = 22 #005f00
      numeral = 52 #5f2f00
      comment = 16 #000000
      flash.inserted = 194 #d7ffd7, 157 #afffaf, 120 #87ff87
      flash.removed = 224 #ffd7d7, 217 #ffafaf, 210 #ff8787
      flash.changed = 230 #ffffd7, 229 #ffffaf, 228 #ffff87
      flash.text = 16 #000000

      """#
    ),
    (
      "light",
      #"""
      # For a light background. Text has a contrast of at least 4.5, as WCAG 2 measures it, on
      # white; lines have 3.

      [light]
      text = default
      muted = 243 #6b7280
      border = 245 #8a8f99
      focused-border = 25 #1f5fae
      title = default
      header = 238 #3f444d
      accent = 26 #1459a8
      bar = 24 #24789f
      bar-track = 245 #8a8f99
      inserted = 22 #1a7430
      changed = 94 #935700
      removed = 124 #a8201a
      rising = 22 #1a7430
      falling = 124 #a8201a
      placeholder = 243 #6e747f
      escaped = 90 #7d1f8f
      warning = 94 #985500
      error = 160 #c3201c
      status-bar = default
      key-hint = 94 #7a5410
      prompt = 25 #1459a8
      keyword = 26 #1a4fb0
      string = 28 #1c7a32
      numeral = 94 #7a5410
      comment = 243 #6b7280
      flash.inserted = 255 #eef7ee, 194 #d3f2d5, 157 #a9e6b0
      flash.removed = 255 #f9efee, 224 #f8d9d6, 217 #f3b6b1
      flash.changed = 255 #f8f5ea, 230 #f7ecc4, 222 #f2d98a
      flash.text = 16 #101216
      selection = 255 #dfe8f3
      selection.text = 236 #2f343c

      """#
    ),
    (
      "mono",
      #"""
      # No colours: only bold, dim, underlined and reversed.

      colors = off

      """#
    ),
  ]
}
