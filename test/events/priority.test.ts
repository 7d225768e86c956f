import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventJobs } from '#events/dispatch.ts';
import { type Event, recordAll } from '#events/record.ts';
import { subscription } from '#events/subscription.ts';
import { runDueJobs } from '#jobs/worker.ts';
import { addSeconds } from '#lib/time.ts';
import { world } from '#test/support/world.ts';

const here = await world();

const eventOf = (owner: Event['owner'], user: Event['actor']): Event<'member.added'> => ({
  kind: 'member.added',
  owner,
  actor: user,
  at: here.clock.now,
  data: { user: user ?? owner, role: 'member' },
});

/** How many of each priority wait to be dispatched. */
async function priorities(): Promise<Record<number, number>> {
  const { rows } = await sql<{ priority: number; count: number }>`
    select priority, count(*) from jobs.jobs where task_identifier = 'events.dispatch' group by priority order by priority`.execute(
    here.db,
  );
  return Object.fromEntries(rows.map(({ priority, count }) => [priority, count]));
}

test('what an owner does by the thousand comes after what others do, from the event to its subscribers', async () => {
  const [busy, quiet] = [await here.user(), await here.user()];
  const [busyOrg, quietOrg] = [await here.org(busy), await here.org(quiet)];
  await here.settle();
  const told: number[] = [];
  const subscriber = subscription<'member.added'>({
    name: 'test.owners',
    on: ['member.added'],
    attempts: 1,
    run: async ({ owner }) => void told.push(owner),
  });
  await here.change((tx) =>
    recordAll(
      tx,
      Array.from({ length: 1_500 }, () => eventOf(busyOrg.id, busy.id)),
    ),
  );
  await here.change((tx) => recordAll(tx, [eventOf(quietOrg.id, quiet.id)]));
  // The organization's making was its first event: 99 more come first.
  expect(await priorities()).toEqual({ 0: 101, 1: 900, 2: 500 });
  await here.change((tx) => recordAll(tx, [eventOf(busyOrg.id, busy.id)]));
  expect(await priorities()).toEqual({ 0: 101, 1: 900, 2: 501 });

  await runDueJobs({ ...here.hearth.worker, jobs: eventJobs([subscriber]), loops: [] });
  expect(told).toHaveLength(1_502);
  expect(told.indexOf(quietOrg.id)).toBeLessThan(120);

  here.clock.now = addSeconds(here.clock.now, 61);
  await here.change((tx) => recordAll(tx, [eventOf(busyOrg.id, busy.id)]));
  expect(await priorities()).toEqual({ 0: 1 });
  await here.settle();
});
