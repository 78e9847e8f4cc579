/**
 * Puts the session it runs in under the scope of a settings file, and shows with `/scope` what the model sees and why.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { attachToPi, attachmentOf } from "toolscope/pi";

import { explained, overview } from "./show.ts";
import { sessionOf } from "./session.ts";
import { readScope } from "./settings.ts";

export default function scopeExtension(pi: ExtensionAPI): void {
  pi.on("session_start", async (_event, ctx) => {
    const settings = readScope(ctx.cwd, ctx.isProjectTrusted());
    if (settings === undefined) return;
    const session = sessionOf(pi);
    // A reload loads this file anew, and leaves the attachment as it was.
    const attachment = attachmentOf(session) ?? attachToPi(session, { allow: [] });
    let problem = settings.problem;
    try {
      attachment.session.setScope(settings.scope);
    } catch (error) {
      attachment.session.setScope({ allow: [] });
      problem = error instanceof Error ? error.message : String(error);
    }
    attachment.sync();
    if (problem !== undefined)
      ctx.ui.notify(`${settings.path}: ${problem}; until it is mended, no tool can be used`, "error");
  });

  pi.registerCommand("scope", {
    description: "Show which tools the model sees and why; /scope NAME explains one",
    handler: async (args, ctx) => {
      const attachment = attachmentOf(sessionOf(pi));
      const name = args.trim();
      if (attachment === undefined) ctx.ui.notify("no scope: put one into .pi/scope.json and /reload", "info");
      else ctx.ui.notify(name === "" ? overview(attachment.session) : explained(attachment.session, name), "info");
    },
  });
}
