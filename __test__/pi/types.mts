// Checked by package.test.ts: pi's own session, as it is typed, is what attachToPi takes, and what it gives back is typed.
import type { AgentSession } from "@earendil-works/pi-coding-agent";

import { type AttachOptions, type PiAgentSession, type PiAttachment, attachToPi, attachmentOf } from "toolscope/pi";
import type { ScopeSpec, ToolSession } from "toolscope";

export function use(session: AgentSession, scope: ScopeSpec, options: AttachOptions): ToolSession {
  const accepted: PiAgentSession = session;
  using attachment: PiAttachment = attachToPi(accepted, scope, options);
  attachToPi(session, attachment.session);
  attachToPi(session, scope, { parent: attachment });
  attachToPi(session, scope, { codeMode: true, toolSearch: true });
  attachmentOf(session)?.sync();
  // @ts-expect-error a scope is an object
  attachToPi(session, "read");
  // @ts-expect-error an option that is none
  attachToPi(session, scope, { parents: attachment });
  return attachment.session;
}
