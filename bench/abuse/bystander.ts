/** An ordinary user, who sends few requests while others attack. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export type Waits = { median: number; p99: number; most: number; failures: number; count: number };
export type Observed = { user: Waits; refs: Waits };

const pauseMs = 20;
const refsPauseMs = 100;

/** Requests the signed-in user and lists the refs of a repository, repeatedly. Times are in milliseconds. */
export async function observe(
  given: { url: string; token: string; repository: string },
  milliseconds: number,
): Promise<Observed> {
  const { url, token, repository } = given;
  const until = performance.now() + milliseconds;
  const askUser = async (): Promise<boolean> => {
    const reply = await fetch(`${url}/api/v3/user`, { headers: { authorization: `Bearer ${token}` } });
    await reply.arrayBuffer();
    return reply.ok;
  };
  const remote = `${url.replace('://', `://user:${token}@`)}/${repository}.git`;
  const listRefs = async (): Promise<boolean> => (await execute('git', ['ls-remote', remote, 'HEAD'])).stdout.includes('HEAD');
  const [user, refs] = await Promise.all([repeat(askUser, until, pauseMs), repeat(listRefs, until, refsPauseMs)]);
  return { user, refs };
}

async function repeat(ask: () => Promise<boolean>, until: number, pause: number): Promise<Waits> {
  const times: number[] = [];
  let failures = 0;
  while (performance.now() < until) {
    const start = performance.now();
    const fine = await ask().catch(() => false);
    times.push(performance.now() - start);
    if (!fine) failures++;
    await sleep(pause);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { median: at(0.5), p99: at(0.99), most: at(1), failures, count: times.length };
}
