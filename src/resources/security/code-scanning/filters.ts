import { unprocessable } from '#lib/refusal.ts';
import { assigneeWords } from '#resources/repositories/collaborators/index.ts';
import { pullRefs } from './checks.ts';
import type { AnalysisQuery, CodeScanningAlertQuery, RefQuery } from './schemas.ts';
import type { AlertFilter } from './store.ts';
import type { AnalysisFilter } from './upload-store.ts';

/**
 * The refs that a request names: a single one, or the refs of a pull request. Undefined if it names none.
 * @throws Refusal 422 if it names both
 */
export function refsOf({ ref, pr }: RefQuery): string[] | undefined {
  if (ref !== undefined && pr !== undefined) throw unprocessable('ref and pr can’t be combined.');
  if (pr !== undefined) return pullRefs(pr);
  if (ref === undefined) return undefined;
  return [ref.startsWith('refs/') ? ref : `refs/heads/${ref}`];
}

type ToolQuery = Pick<AnalysisQuery, 'tool_name' | 'tool_guid'>;

/** @throws Refusal 422 if a request names a tool in two ways */
function toolOf({ tool_name, tool_guid }: ToolQuery) {
  if (tool_name !== undefined && tool_guid !== undefined) throw unprocessable('tool_name and tool_guid can’t be combined.');
  return { tool: tool_name, guid: tool_guid };
}

/** The filter of a list of alerts. */
export function filterOf(query: CodeScanningAlertQuery): AlertFilter {
  const { state, severity, sort, direction } = query;
  return { ...toolOf(query), refs: refsOf(query), state, severity, assignees: assigneeWords(query.assignees), sort, direction };
}

/** The filter of a list of analyses. */
export const analysesOf = (query: AnalysisQuery): AnalysisFilter => ({
  ...toolOf(query),
  refs: refsOf(query),
  sarif: query.sarif_id,
  direction: query.direction,
});
