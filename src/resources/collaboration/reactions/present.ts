import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { type Content, contents, type Reaction, type ReactionRollup } from './schemas.ts';
import type { ReactionRow } from './store.ts';

/** Reactions of a whole page. */
export async function presentReactions({ db, links }: Scope, rows: readonly ReactionRow[]): Promise<Reaction[]> {
  const users = await loadAccounts(db, gather(rows, 'user_id'));
  return rows.map((row) => ({
    id: row.id,
    node_id: nodeId('Reaction', row.id),
    user: presentUserOrNull(links, getOptional(users, row.user_id)),
    content: row.content,
    created_at: timestamp(row.created_at),
  }));
}

export const presentReaction = async (scope: Scope, row: ReactionRow): Promise<Reaction> =>
  firstOrNotFound(await presentReactions(scope, [row]));

const isCounts = (value: unknown): value is Partial<Record<Content, number>> => typeof value === 'object' && value !== null;

/** The counts of reactions in a row, with their URL. */
export function presentRollup(url: string, held: unknown): ReactionRollup {
  const counts = isCounts(held) ? held : {};
  const of = (content: Content): number => counts[content] ?? 0;
  return {
    url: `${url}/reactions`,
    total_count: contents.reduce((sum, content) => sum + of(content), 0),
    '+1': of('+1'),
    '-1': of('-1'),
    laugh: of('laugh'),
    confused: of('confused'),
    heart: of('heart'),
    hooray: of('hooray'),
    rocket: of('rocket'),
    eyes: of('eyes'),
  };
}
