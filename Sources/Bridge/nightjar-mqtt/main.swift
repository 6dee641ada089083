internal import Glibc
internal import NightjarMQTT

exit(Main.run(CommandLine.arguments))
