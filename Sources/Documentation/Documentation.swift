// SwiftPM wants a source file in each target. This target is for the catalog beside it.
