import type { Id } from '#lib/id.ts';

type Issue = Id<'issues'>;

/** What keeps the first places from outweighing everything: the constant of Cormack, Clarke and Büttcher (2009). */
const defaultK = 60;

/**
 * Reciprocal rank fusion: each list gives its member at place r (from 1) the points 1/(k + r). Best first; among equals, the
 * better lexical place counts, then the newer issue.
 */
export function fuse(lexical: readonly Issue[], semantic: readonly Issue[], k = defaultK): { issueId: Issue; score: number }[] {
  const points = new Map<Issue, number>();
  for (const list of [lexical, semantic])
    for (const [at, id] of [...new Set(list)].entries()) points.set(id, (points.get(id) ?? 0) + 1 / (k + at + 1));
  const place = new Map([...new Set(lexical)].map((id, at) => [id, at]));
  const placeOf = (id: Issue): number => place.get(id) ?? lexical.length;
  return [...points]
    .map(([issueId, score]) => ({ issueId, score }))
    .sort((a, b) => b.score - a.score || placeOf(a.issueId) - placeOf(b.issueId) || b.issueId - a.issueId);
}
