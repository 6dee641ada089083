internal import Glibc
internal import NightjarFaces

exit(Tray.run(CommandLine.arguments))
