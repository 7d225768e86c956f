import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';
import type { Snapshot } from '#lib/snapshot.ts';

/** The row of something deleted. It is kept in the event, since subscribers can no longer read it. */
export type DeletedRow<Table extends keyof DB> = Snapshot<Selectable<DB[Table]>>;

/**
 * The data of each kind of event. Events are the input of webhooks, search indexes and other subscribers. Each family adds its
 * own kinds to this interface, in its `events.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface EventData {}

export type EventKind = keyof EventData;
