// The process of one runner: `node agent.ts <folder of the runner>`. It runs the jobs in its inbox, one after the other, until
// its folder is removed.
import { spawn } from 'node:child_process';
import { link, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOfProcess } from '#lib/running-process.ts';
import { readJson, writeJson } from '#runner-providers/machines/json-files.ts';
import { filesOf, findAgent } from './machine.ts';

const [, , folder = '.'] = process.argv;
const files = filesOf(folder);
const pollMs = 100;
const heartbeatMs = 1_000;
const maxOutput = 64 * 1024;

/** Makes this process the runner's agent. The one that creates the file first succeeds. */
async function claim(): Promise<boolean> {
  if ((await readJson(files.agent)) && (await findAgent(files)) === undefined) await rm(files.agent, { force: true });
  const draft = `${files.agent}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, start: startOfProcess(process.pid) }));
  try {
    await link(draft, files.agent);
    return true;
  } catch {
    return false; // another process was first
  } finally {
    await rm(draft, { force: true });
  }
}

async function heartbeat(): Promise<void> {
  const now = new Date();
  await utimes(files.beat, now, now).catch(() => writeFile(files.beat, ''));
}

/** Whether the folder still exists and this process is still its agent. */
const isStillAgent = async (): Promise<boolean> => (await readJson(files.agent))?.pid === process.pid;

type Outcome = { exit_code: number | null; output: string };

function run(command: readonly string[]): Promise<Outcome> {
  const [program = '', ...words] = command;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const env = { PATH: process.argv[3] ?? '', HOME: files.work, HEARTH_RUNNER_PUBLISH: files.publish };
  const child = spawn(program, words, { cwd: files.work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const append = (part: Buffer): void => {
    output = (output + part.toString('utf8')).slice(-maxOutput);
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  child.on('error', (error) => resolve({ exit_code: null, output: error.message }));
  child.on('close', (code) => resolve({ exit_code: code, output }));
  return promise;
}

async function runInbox(): Promise<void> {
  const jobFiles = (await readdir(files.inbox)).filter((name) => name.endsWith('.json')).sort();
  for (const name of jobFiles) {
    const { command } = (await readJson(join(files.inbox, name))) ?? {};
    if (!Array.isArray(command)) continue; // still being written
    await writeJson(files.active, { at: new Date().toISOString() });
    const outcome = await run(command.map(String));
    await writeJson(files.active, { at: new Date().toISOString() });
    await writeJson(join(files.outbox, basename(name)), outcome);
    await rm(join(files.inbox, name), { force: true });
  }
}

async function main(): Promise<void> {
  if (!(await claim())) return;
  await heartbeat();
  setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs); // a removed folder is detected below
  while (await isStillAgent()) {
    await runInbox();
    await sleep(pollMs);
  }
}

// The provider may remove the folder while the agent reads it; the agent then ends without an error.
await main().catch(async (error: unknown) => {
  if (await stat(folder).catch(() => undefined)) throw error;
});
process.exit(0);
