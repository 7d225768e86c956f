// Programs that run the jobs of hosted runners. Each program is a runner for one job.

import { randomBytes } from 'node:crypto';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import { grouped, unique } from '#lib/collections.ts';
import { addSeconds } from '#lib/time.ts';
import { type HostedRunnerRow, lockHostedRunners } from '#resources/actions/hosted-runners/index.ts';
import {
  createHostedInstance,
  type HostedInstance,
  listHostedInstances,
  removeIdle,
  removeRunner,
} from '#resources/actions/runners/index.ts';
import { endJobsOf, listWaitingForHosted, runScope } from '#resources/actions/workflow-runs/index.ts';
import type { Program, ProgramOrder } from '#runner-providers/provider.ts';
import { programsToStart } from './assign.ts';

const jobsPerBatch = 1_000;
/** How many characters of a hosted runner's name fit into a runner's name, next to its unique suffix. */
const stemLength = 50;
/** In seconds: how long a program may take to start, and how long it may wait for a job. */
const graceSeconds = 30;
const idleSeconds = 120;

/** The address of the server for the programs; undefined if it isn't known. */
const addressOf = ({ url, runners }: Services): string | undefined => url ?? runners.address;

/** Whether this server runs jobs on hosted runners. */
export const runsHostedJobs = ({ runners }: Pick<Services, 'runners'>): boolean => runners.provider.runsJobs;

/** Starts a program for each job that waits for a hosted runner, up to each runner's limit. */
export async function startPrograms(context: JobContext): Promise<void> {
  const { change, services, log } = context;
  const address = addressOf(services);
  if (address === undefined) return log.warn('jobs wait for hosted runners, but the address of the server is not known');
  const orders = await change(async (scope) => {
    const waiting = await listWaitingForHosted(scope.tx, jobsPerBatch);
    if (waiting.length === 0) return [];
    // The runner's row is locked, so that two processes don't start programs for the same job.
    const hosted = await lockHostedRunners(scope.tx, unique(waiting.flatMap((one) => one.hosted)));
    const instances = grouped(await listHostedInstances(scope.tx), ({ hosted_runner_id }) => hosted_runner_id);
    const capacities = hosted.map((row) => {
      const own = instances.get(row.id) ?? [];
      const idle = own.filter(({ has_job }) => !has_job).length;
      return [row.id, { idle, total: own.length, maximum: row.maximum_runners }] as const;
    });
    const starts = programsToStart(waiting, new Map(capacities));
    const wanted = hosted.flatMap((row) => Array.from({ length: starts.get(row.id) ?? 0 }, () => row));
    const made: { order: ProgramOrder; instance: HostedInstance['id'] }[] = [];
    for (const row of wanted) {
      const name = nameOf(row);
      const instance = await createHostedInstance(scope, row, { name, label: row.name, address, now: context.now });
      if (!instance) continue;
      const { registration, id } = instance;
      const order = { runner: row.id, name, registration, address, generatesImages: row.image_gen };
      made.push({ order, instance: id });
    }
    return made;
  });
  for (const { order, instance } of orders)
    try {
      await services.runners.provider.start(order);
    } catch (error) {
      log.warn({ err: error, runner: order.runner }, 'a program for a job could not be started');
      await change((scope) => removeRunner(scope.tx, instance));
    }
}

const nameOf = ({ name }: HostedRunnerRow): string => `${name.slice(0, stemLength)}-${randomBytes(4).toString('hex')}`;

/**
 * Compares the programs with their runners: ends the jobs of programs that died, or offers these jobs again; stops programs that
 * got no job, and programs without a runner.
 */
export async function reviewPrograms(context: JobContext): Promise<void> {
  const { db, services, now } = context;
  const { provider } = services.runners;
  // Rows are read after the programs. Since a row is written before its program starts, no row is missed.
  const programs = await provider.programs();
  const instances = await listHostedInstances(db);
  const byKey = new Map(programs.map((program) => [keyOf(program), program]));
  const kept = new Set<string>();
  for (const instance of instances) {
    const key = keyOf({ runner: instance.hosted_runner_id, name: instance.name });
    const isNew = instance.created_at >= addSeconds(now, -graceSeconds);
    const program = byKey.get(key);
    const isWanted = instance.has_job || program?.isPreparing || instance.created_at >= addSeconds(now, -idleSeconds);
    const isOver = program?.isRunning
      ? !isWanted && (await forget(context, instance))
      : !isNew && (await lose(context, instance, program?.reason));
    if (!isOver) kept.add(key);
  }
  for (const program of programs) if (!kept.has(keyOf(program))) await provider.stop(program.runner, program.name);
}

const keyOf = ({ runner, name }: Pick<Program, 'runner' | 'name'>): string => `${runner} ${name}`;

/** Removes a program that got no job. @returns whether it still has no job */
const forget = ({ change }: JobContext, { id }: HostedInstance): Promise<boolean> => change((scope) => removeIdle(scope.tx, id));

/** Ends the job of a program that died. */
async function lose({ scope }: JobContext, { id }: HostedInstance, reason = 'The program that ran it has ended'): Promise<true> {
  await runScope(scope).change(async (scope) => {
    await endJobsOf(scope, id, reason);
    await removeRunner(scope.tx, id);
  });
  return true;
}
