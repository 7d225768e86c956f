import type { Id } from '#lib/id.ts';

type Issue = Id<'issues'>;

/** The constant of reciprocal rank fusion, which limits the effect of the first ranks (Cormack, Clarke and Büttcher, 2009). */
const defaultK = 60;

/**
 * Reciprocal rank fusion: an item at rank r (from 1) of a list gets 1/(k + r) points. The best come first. For equal scores, the
 * better lexical rank decides, then the newer issue.
 */
export function fuse(lexical: readonly Issue[], semantic: readonly Issue[], k = defaultK): { issueId: Issue; score: number }[] {
  const points = new Map<Issue, number>();
  for (const list of [lexical, semantic])
    for (const [at, id] of [...new Set(list)].entries()) points.set(id, (points.get(id) ?? 0) + 1 / (k + at + 1));
  const ranks = new Map([...new Set(lexical)].map((id, at) => [id, at]));
  const rankOf = (id: Issue): number => ranks.get(id) ?? lexical.length;
  return [...points]
    .map(([issueId, score]) => ({ issueId, score }))
    .sort((a, b) => b.score - a.score || rankOf(a.issueId) - rankOf(b.issueId) || b.issueId - a.issueId);
}
