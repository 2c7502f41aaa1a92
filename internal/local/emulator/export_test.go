package emulator

// Guarded is what the guard makes of a request.
var Guarded = guarded
