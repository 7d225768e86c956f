import { unique } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';
import { assigneeWords } from '#resources/repositories/collaborators/index.ts';
import { alertStates, type DependencyAlertQuery, severities } from './schemas.ts';
import type { AlertFilter } from './store.ts';

const known = {
  state: alertStates,
  severity: severities,
  ecosystem: ['composer', 'go', 'maven', 'npm', 'nuget', 'pip', 'pub', 'rubygems', 'rust'],
  classification: ['general', 'malware'],
  relationship: ['direct', 'transitive', 'inconclusive', 'unknown'],
} as const;

/** The values of a comma-separated list; undefined if there are none. @throws Refusal 422 for an invalid value */
function wordsOf(query: DependencyAlertQuery, field: keyof typeof known | 'package' | 'manifest'): string[] | undefined {
  const words = unique((query[field] ?? '').split(',').map((word) => word.trim())).filter((word) => word !== '');
  const possible: readonly string[] | undefined = field === 'package' || field === 'manifest' ? undefined : known[field];
  const unknown = possible && words.find((word) => !possible.includes(word));
  if (unknown !== undefined) throw invalid('DependencyAlert', field, 'invalid', `${field} can't be ${unknown}`);
  return words.length === 0 ? undefined : words;
}

/** The filter of a list of alerts. */
export const filterOf = (query: DependencyAlertQuery): AlertFilter => ({
  states: wordsOf(query, 'state'),
  severities: wordsOf(query, 'severity'),
  ecosystems: wordsOf(query, 'ecosystem'),
  packages: wordsOf(query, 'package'),
  manifests: wordsOf(query, 'manifest'),
  classifications: wordsOf(query, 'classification'),
  relationships: wordsOf(query, 'relationship'),
  scope: query.scope,
  assignees: assigneeWords(query.assignee),
  hasPatch: query.has === undefined ? undefined : true,
  sort: query.sort,
  direction: query.direction,
});
