import Glibc

/// Commits to a database from another process: what tests, benchmarks and the demo need.
@main
struct ExternalWriter {
  static func main() {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.wantsHelp {
        Output.line(usage)
        return
      }
      try run(arguments)
    } catch let error as UsageError {
      Output.complaint("\(error.message)\nTry ExternalWriter --help")
      exit(2)
    } catch let error as WriterError {
      Output.complaint(error.description)
      exit(error.opening ? 3 : 1)
    } catch {
      Output.complaint("\(error)")
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) throws {
    switch arguments.mode {
    case .exec: try ExecMode.run(arguments)
    case .paced: try PacedMode.run(arguments)
    case .flood: try FloodMode.run(arguments)
    case .serve: try ServeMode.run(arguments)
    case .crash: try CrashMode.run(arguments)
    case .transfers: try TransfersMode.run(arguments)
    case .vacuum: try FileModes.vacuum(arguments)
    case .replace: try FileModes.replace(arguments)
    case .schema: try FileModes.schema(arguments)
    }
  }
}
