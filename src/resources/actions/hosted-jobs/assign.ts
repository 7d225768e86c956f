import type { Id } from '#lib/id.ts';

type Hosted = Id<'hosted_runners'>;

/** A hosted runner: its programs without a job, all its programs, and their maximum number. */
export type Capacity = { readonly idle: number; readonly total: number; readonly maximum: number };

/** A waiting job: its matrix, how many more of its jobs may start (null: unlimited), and the hosted runners that may run it. */
export type Waiting = { readonly matrix: string; readonly room: number | null; readonly hosted: readonly Hosted[] };

/**
 * The number of programs that each hosted runner starts, so that every waiting job gets one while there is capacity. Programs
 * that wait for a job are used first. A job that several hosted runners may run goes to the first one with capacity.
 */
export function programsToStart(waiting: readonly Waiting[], capacities: ReadonlyMap<Hosted, Capacity>): Map<Hosted, number> {
  const left = new Map([...capacities].map(([id, capacity]) => [id, { ...capacity }]));
  const begun = new Map<string, number>();
  const starts = new Map<Hosted, number>();
  for (const { matrix, room, hosted } of waiting) {
    const before = begun.get(matrix) ?? 0;
    if (room !== null && before >= room) continue;
    const own = hosted.flatMap((id) => {
      const capacity = left.get(id);
      return capacity ? [{ id, capacity }] : [];
    });
    const found = own.find(({ capacity }) => capacity.idle > 0) ?? own.find(({ capacity }) => capacity.total < capacity.maximum);
    if (!found) continue;
    begun.set(matrix, before + 1);
    const { id, capacity } = found;
    if (capacity.idle > 0) capacity.idle -= 1;
    else {
      capacity.total += 1;
      starts.set(id, (starts.get(id) ?? 0) + 1);
    }
  }
  return starts;
}
