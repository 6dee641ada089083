internal import Glibc
internal import NightjarDaemon

exit(Main.run(CommandLine.arguments))
