import type { SpawnOrder } from './spawned.ts';

/** Messages to the spawn server. `id` identifies a process, and `slot` the sockets whose connections become its streams. */
export type ToSpawnServer =
  | { readonly kind: 'start'; readonly id: number; readonly slot: number; readonly order: SpawnOrder }
  | { readonly kind: 'stop'; readonly id: number };

/** Messages from the spawn server. `taken`: the sockets of the slot accept connections again. */
export type FromSpawnServer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'ended'; readonly id: number; readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Standard input, output and error, and the channel. */
export const socketsOfSlot = 4;

export const socketName = (slot: number, index: number): string => `${slot}-${index}`;
