import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';
import type { Snapshot } from '#lib/snapshot.ts';

/** The row of something deleted, kept in the event since subscribers can't read it any more. */
export type DeletedRow<Table extends keyof DB> = Snapshot<Selectable<DB[Table]>>;

/**
 * The kinds of events that Hearth records, each with its data beside owner, repository, actor and time. Webhooks, search indexes and
 * other subscribers learn from these events what has happened. Each family adds its own kinds to this interface, in its `events.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface EventData {}

export type EventKind = keyof EventData;
