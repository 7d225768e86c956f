// The room `states` alone writes the states of jobs, runs and steps.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobTransitions, runTransitions } from '#resources/actions/workflow-runs/states/transitions.ts';
import type { updateJob, updateRun } from '#resources/actions/workflow-runs/store.ts';

const root = join(import.meta.dirname, '../../../../..');
const room = 'src/resources/actions/workflow-runs/states/';
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name): [file: string, text: string] => [`src/${name}`, readFileSync(join(root, 'src', name), 'utf8')]);

const tables = 'workflow_(?:runs|jobs|job_steps)';

/** The statements of a text that insert rows of these tables, or change their states. */
function writesIn(text: string): string[] {
  const inserts = [
    ...text.matchAll(new RegExp(`insertInto\\('${tables}\\b`, 'g')),
    ...text.matchAll(new RegExp(`\\b(?:insert|merge) into (?:only )?${tables}\\b`, 'g')),
  ];
  const updates = [
    ...text.matchAll(new RegExp(`updateTable\\('${tables}\\b[^;]*?(?:\\.where|\\.execute|;)`, 'g')),
    ...text.matchAll(new RegExp(`\\bupdate (?:only )?${tables}\\b[^\`;]*?(?:\\bwhere\\b|\`|;)`, 'g')),
  ];
  const changes = updates.filter(([statement]) => /\b(?:status|conclusion)\b/.test(statement));
  return [...inserts, ...changes].map(([statement]) => statement.split('\n')[0] ?? '');
}

test('statements that write states are found, however they are written', () => {
  expect(writesIn("tx.insertInto('workflow_jobs').values(rows)")).toHaveLength(1);
  expect(writesIn("tx.updateTable('workflow_runs').set({ status: 'queued' }).where('id', '=', id)")).toHaveLength(1);
  expect(writesIn("tx\n  .updateTable('workflow_runs as r')\n  .set({ at, conclusion })\n  .execute()")).toHaveLength(1);
  expect(writesIn("sql`update workflow_jobs j set at = 1,\n status = 'queued' from x where j.id = 1`")).toHaveLength(1);
  expect(writesIn('sql`insert into workflow_job_steps (job_id) values (1)`')).toHaveLength(1);
  expect(writesIn("tx.updateTable('workflow_jobs').set({ log_rows: 0 }).where('status', '=', 'completed')")).toEqual([]);
  expect(writesIn("sql`update workflow_jobs set log_rows = 1 where status = 'completed'`")).toEqual([]);
});

test('no other file writes the states of jobs, runs and steps', () => {
  const writers = files
    .filter(([file]) => !file.startsWith(room))
    .flatMap(([file, text]) => writesIn(text).map((one) => `${file}: ${one}`));
  expect(writers).toEqual([]);
  const own = files.filter(([file]) => file.startsWith(room)).filter(([, text]) => writesIn(text).length > 0);
  expect(own.map(([file]) => file)).toEqual([`${room}store.ts`]);
});

test('the types of changes beside the state take no state', () => {
  // @ts-expect-error: jobs change their states by `transitionJob`
  const ofJob: Parameters<typeof updateJob>[2] = { status: 'queued' };
  // @ts-expect-error: runs change their states by `transitionRun`
  const ofRun: Parameters<typeof updateRun>[2] = { conclusion: 'success' };
  expect([ofJob, ofRun]).toHaveLength(2);
});

test('only the room calls the statements that write states', () => {
  const importers = files.filter(([, text]) => /from '(?:\.\.?\/|#[\w/-]*\/)states\/store\.ts'/.test(text)).map(([file]) => file);
  expect(importers).toEqual([]);
});

test('the code uses every transition', () => {
  const others = files.filter(([file]) => !file.endsWith('states/transitions.ts')).map(([, text]) => text);
  const unused = [...Object.keys(jobTransitions), ...Object.keys(runTransitions)].filter(
    (name) => !others.some((text) => text.includes(`'${name}'`) || text.includes(`Transitions.${name}`)),
  );
  expect(unused).toEqual([]);
});
