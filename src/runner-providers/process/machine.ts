import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessRunning } from '#lib/running-process.ts';
import { readJson } from '#runner-providers/machines/json-files.ts';
import { startFrom } from '#runner-providers/machines/processes.ts';

/** The files of a runner. The agent writes `agent.json`, `beat` and `active.json`, and the provider all others. */
export const filesOf = (machine: string) => ({
  /** The last order that the runner was made from. */
  order: join(machine, 'order.json'),
  /** The pid of the agent. */
  agent: join(machine, 'agent.json'),
  /** The process of the server that started the agent. */
  owner: join(machine, 'owner.json'),
  /** Touched by the agent every second (heartbeat). */
  beat: join(machine, 'beat'),
  /** When the agent last ran a job. */
  active: join(machine, 'active.json'),
  /** One file for each job to run, and for each result. */
  inbox: join(machine, 'inbox'),
  outbox: join(machine, 'outbox'),
  /** A job's request to publish an image, and the reply. */
  publish: join(machine, 'publish.json'),
  published: join(machine, 'published.json'),
  /** The working folder of jobs, which images of the runner contain. */
  work: join(machine, 'work'),
  log: join(machine, 'agent.log'),
});

export type Files = ReturnType<typeof filesOf>;

/** An agent without a heartbeat for this long is dead, or hangs. */
const heartbeatTimeoutMs = 15_000;

/** The pid of a runner's agent, if it is alive. */
export async function findAgent({ agent, beat }: Pick<Files, 'agent' | 'beat'>): Promise<number | undefined> {
  const { pid, start } = (await readJson(agent)) ?? {};
  const touched = await stat(beat).catch(() => undefined);
  if (typeof pid !== 'number' || !touched || Date.now() - touched.mtimeMs > heartbeatTimeoutMs) return undefined;
  return isProcessRunning(pid, startFrom(start)) ? pid : undefined;
}
