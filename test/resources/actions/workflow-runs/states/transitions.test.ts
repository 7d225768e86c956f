import { expect, test } from 'vitest';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { abandonJob, takeJobs } from '#resources/actions/workflow-runs/index.ts';
import { createJobs, type NewJob, transitionJob } from '#resources/actions/workflow-runs/states/job-states.ts';
import { requestRun, transitionRun } from '#resources/actions/workflow-runs/states/run-states.ts';
import { IllegalTransition, stateColumns } from '#resources/actions/workflow-runs/states/state.ts';
import {
  type JobState,
  type JobTransition,
  jobTransitions,
  type RunState,
  type RunTransition,
  runTransitions,
} from '#resources/actions/workflow-runs/states/transitions.ts';
import { findJob, findRunForUpdate, type RunRow } from '#resources/actions/workflow-runs/store.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const jobEnds = ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'] as const;
const runEnds = [...jobEnds, 'stale', 'startup_failure'] as const;
const open = ['pending', 'waiting', 'queued', 'in_progress'] as const;
const jobStates: readonly JobState[] = [...open, ...jobEnds];
const runStates: readonly RunState[] = [...open, ...runEnds];

const w = await world();
const ada = await w.user();
const client = await w.as(ada);

/** A run, and its job that waits for a runner. */
async function setting() {
  const repo = await w.repo(ada);
  await pushWorkflow(w, repo);
  const job = await w.db.selectFrom('workflow_jobs').selectAll().where('repository_id', '=', repo.id).executeTakeFirstOrThrow();
  return { repo, job, base: `/repos/${ada.login}/${repo.name}` };
}

/** What is tried with it is undone. */
const { job } = await setting();

class Undone extends Error {}

/** Does something in a transaction that is given up in the end. */
async function trying(work: (scope: WriteScope, run: RunRow) => Promise<void>): Promise<void> {
  const undone = w.change(async (scope) => {
    const run = await findRunForUpdate(scope.tx, job.run_id);
    if (!run) throw new Error('No run');
    await work(scope, run);
    throw new Undone();
  });
  await undone.catch((error) => {
    if (!(error instanceof Undone)) throw error;
  });
}

/** The kinds of the events of workflows after one. */
async function eventsSince(tx: Tx, last: number): Promise<string[]> {
  const rows = tx.selectFrom('events').select(['id', 'kind']).where('kind', 'like', 'workflow_%').orderBy('id');
  return (await rows.execute()).filter(({ id }) => id > last).map(({ kind }) => kind);
}
const lastEvent = async (tx: Tx): Promise<number> =>
  (
    await tx
      .selectFrom('events')
      .select((of) => of.fn.max('id').as('id'))
      .executeTakeFirst()
  )?.id ?? 0;

const eventsOf = ({ follows }: { follows: readonly string[] }): string[] => follows.filter((one) => one.startsWith('workflow_'));

/** The columns that hold a state, as a row has them. */
const columnsOf = (state: JobState | RunState) => stateColumns<JobState | RunState>(state);

const later = new Date('2026-01-02T00:00:00Z');

test.each(Object.keys(jobTransitions) as JobTransition[])('a job in each state: %s', async (name) => {
  const transition = jobTransitions[name];
  const from: readonly string[] = transition.from;
  await trying(async (scope, run) => {
    const { tx } = scope;
    for (const state of jobStates)
      for (const to of transition.to) {
        const set = { ...columnsOf(state), cancelled_at: null, queued_at: null, started_at: null, completed_at: null };
        await tx
          .updateTable('workflow_jobs')
          .set(set as object)
          .where('id', '=', job.id)
          .execute();
        const before = await findJob(tx, job.id);
        const last = await lastEvent(tx);
        const done = transitionJob({ ...scope, now: later }, run, before ?? job, name, { to });
        if (from.includes(state)) {
          const expected = { ...columnsOf(to), ...transition.sets(later) };
          expect(await done, `${state} → ${to}`).toMatchObject(expected);
          expect(await findJob(tx, job.id)).toMatchObject(expected);
          expect(await eventsSince(tx, last)).toEqual(eventsOf(transition));
        } else {
          await expect(done, `${state} → ${to}`).rejects.toThrow(IllegalTransition);
          expect(await findJob(tx, job.id)).toEqual(before);
          expect(await eventsSince(tx, last)).toEqual([]);
        }
      }
  });
});

const runNames = (Object.keys(runTransitions) as RunTransition[]).filter((name) => name !== 'request');

test.each(runNames)('a run in each state: %s', async (name) => {
  const transition = runTransitions[name];
  const from: readonly string[] = transition.from;
  await trying(async (scope, run) => {
    const { tx } = scope;
    for (const state of runStates)
      for (const to of transition.to) {
        await tx
          .updateTable('workflow_runs')
          .set({ ...columnsOf(state), cancelled_at: null, updated_at: run.updated_at } as object)
          .where('id', '=', run.id)
          .execute();
        const before = await findRunForUpdate(tx, run.id);
        const last = await lastEvent(tx);
        const done = transitionRun({ ...scope, now: later }, before ?? run, name, { to });
        if (from.includes(state)) {
          const expected = { ...columnsOf(to), ...transition.sets(later) };
          expect(await done, `${state} → ${to}`).toMatchObject(expected);
          expect(await findRunForUpdate(tx, run.id)).toMatchObject(expected);
          expect(await eventsSince(tx, last)).toEqual(eventsOf(transition));
        } else {
          await expect(done, `${state} → ${to}`).rejects.toThrow(IllegalTransition);
          expect(await findRunForUpdate(tx, run.id)).toEqual(before);
          expect(await eventsSince(tx, last)).toEqual([]);
        }
      }
  });
});

const creations = (Object.keys(jobTransitions) as JobTransition[]).filter((name) =>
  (jobTransitions[name].from as readonly string[]).includes('new'),
) as NewJob['transition'][];

test.each(creations)('a new job: %s', async (name) => {
  const transition = jobTransitions[name];
  await trying(async (scope, run) => {
    const { tx } = scope;
    const { id: _, status: __, conclusion: ___, ...row } = job;
    const columns = { ...row, plan: JSON.stringify(row.plan), outputs: '{}', check_run_id: null, queued_at: null };
    for (const [at, ended] of transition.to.entries()) {
      const last = await lastEvent(tx);
      const wanted: NewJob = { ...columns, position: at + 1, transition: name, ended };
      const [made] = await createJobs({ ...scope, now: later }, run, [wanted]);
      expect(made, ended).toMatchObject({ ...columnsOf(ended), ...transition.sets(later) });
      expect(made?.check_run_id ?? null).toBe((transition.follows as readonly string[]).includes('new check') ? made?.id : null);
      expect(await eventsSince(tx, last)).toEqual(eventsOf(transition));
    }
    const impossible: NewJob = { ...columns, transition: name, ended: 'in_progress' };
    await expect(createJobs({ ...scope, now: later }, run, [impossible])).rejects.toThrow(IllegalTransition);
  });
});

test('a new run is queued, and is told of', async () => {
  await trying(async (scope, run) => {
    const { tx } = scope;
    const last = await lastEvent(tx);
    const { id: _, owner_id: __, status: ___, conclusion: ____, created_at, started_at, updated_at, ...row } = run;
    const columns = {
      ...row,
      head_commit: JSON.stringify(row.head_commit),
      problems: '[]',
      registries: null,
      run_number: 2,
      event_id: null,
    };
    const made = await requestRun({ ...scope, now: later }, columns);
    expect(made).toMatchObject({ status: 'queued', conclusion: null, created_at: later, started_at: later, updated_at: later });
    expect(await eventsSince(tx, last)).toEqual(['workflow_run.requested']);
  });
});

test('a transition that leaves a choice demands one', async () => {
  await trying(async (scope, run) => {
    await expect(transitionJob({ ...scope, now: later }, run, job, 'finish')).rejects.toThrow(IllegalTransition);
    await expect(transitionRun({ ...scope, now: later }, run, 'finish')).rejects.toThrow(IllegalTransition);
  });
});

/** The states that transitions lead to, from a beginning on. */
function reached(table: Readonly<Record<string, { from: readonly string[]; to: readonly string[] }>>): Set<string> {
  const found = new Set(['new']);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { from, to } of Object.values(table))
      if (from.some((state) => found.has(state))) for (const state of to) found.add(state);
  }
  return found;
}

test('a job that is over stays as it is; every state can be reached but those of the public API that nothing causes', () => {
  const leading = Object.values(jobTransitions).flatMap(({ from }) => from as readonly string[]);
  expect(jobEnds.filter((state) => leading.includes(state))).toEqual([]);
  // An attempt may carry any conclusion over, but makes none.
  const { carry: _, ...others } = jobTransitions;
  const jobs = reached(others);
  expect(jobStates.filter((state) => !jobs.has(state))).toEqual(['neutral', 'timed_out', 'action_required']);
  const runs = reached(runTransitions);
  expect(runStates.filter((state) => !runs.has(state))).toEqual(['neutral', 'timed_out', 'stale']);
});

test('a job that was ended by force before its task was made is not ended again', async () => {
  const { repo, job: given, base } = await setting();
  await startRunner(w, repo);
  const runner = await w.db.selectFrom('runners').selectAll().where('repository_id', '=', repo.id).executeTakeFirstOrThrow();
  const taken = (await takeJobs(w.jobContext().scope, [runner]))?.get(runner);
  if (!taken) throw new Error('No job');
  expect(taken.job.id).toBe(given.id);
  await client.post(`${base}/actions/runs/${given.run_id}/force-cancel`);
  await w.change((scope) => abandonJob(scope, taken, { message: 'No such action' }));
  expect((await client.get(`${base}/actions/jobs/${given.id}`)).body).toMatchObject({ conclusion: 'cancelled' });
  const ends = w.db.selectFrom('events').select('data').where('repository_id', '=', repo.id);
  expect(await ends.where('kind', '=', 'workflow_job.completed').execute()).toHaveLength(1);
});
