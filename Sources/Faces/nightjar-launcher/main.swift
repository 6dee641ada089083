internal import Glibc
internal import NightjarFaces

exit(Launcher.run(CommandLine.arguments))
