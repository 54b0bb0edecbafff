import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

@Suite struct FileWatcherTests {
  @Test func `files that come to the path one after the other are watched one at a time`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("0", to: "x.db")
    let file = try DatabaseFile(path: path, configuration: Configuration())
    let watcher = try #require(FileWatcher(file: file))
    func watchCount() throws -> Int {
      let info = try #require(fopen("/proc/self/fdinfo/\(watcher.descriptor)", "r"))
      defer { fclose(info) }
      var (line, size, count) = (UnsafeMutablePointer<CChar>?.none, 0, 0)
      defer { free(line) }
      while getline(&line, &size, info) >= 0 {
        if let line, strncmp(line, "inotify ", 8) == 0 { count += 1 }
      }
      return count
    }
    let before = try watchCount()
    for number in 1...5 {
      #expect(rename(path, folder.path("old\(number).db")) == 0)
      _ = try folder.write("\(number)", to: "x.db")
      watcher.watchFiles(of: file)
    }
    #expect(try watchCount() == before)
  }
}
