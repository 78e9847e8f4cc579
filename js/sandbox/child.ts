// The child process of the isolation `process`: serves programs over its standard input and output until the input ends.
import { native } from "../native.js";

native.SandboxThreads.serve();
