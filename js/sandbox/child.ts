// The child process of the isolation `process`: serves programs over its standard input and output, and over the lane it
// was given, until the input ends.
import { native } from "../native.js";

native.SandboxThreads.serve(Number(process.argv[2]));
