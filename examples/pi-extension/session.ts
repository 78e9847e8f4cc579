/** From an extension's API to the session it runs in, which pi does not hand to extensions. */
import { AgentSession, type ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** The session that `pi` belongs to. Call it from a handler: before `session_start` there is none. */
export function sessionOf(pi: ExtensionAPI): AgentSession {
  let found: AgentSession | undefined;
  const { getAllTools } = AgentSession.prototype;
  // The API's getAllTools() calls the session's, at once; for the length of that call we are in its place.
  AgentSession.prototype.getAllTools = function (this: AgentSession) {
    found = this;
    return getAllTools.call(this);
  };
  try {
    pi.getAllTools();
  } finally {
    AgentSession.prototype.getAllTools = getAllTools;
  }
  if (found === undefined)
    throw new Error("this pi does not answer getAllTools() from AgentSession; use a pi >=1.3.0 <2");
  return found;
}
