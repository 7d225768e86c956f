// The process of one runner: `node agent.ts <folder of the runner>`. It runs the jobs in its inbox, one after the other,
// until its folder is gone.
import { spawn } from 'node:child_process';
import { link, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOf, livingAgent, readJson, writeJson } from './machine.ts';

const [, , folder = '.'] = process.argv;
const files = filesOf(folder);
const lookEveryMs = 100;
const beatEveryMs = 1_000;
const keptOutput = 64 * 1024;

/** Makes this process the runner's agent. Of several, the one that creates the file first wins. */
async function claim(): Promise<boolean> {
  if ((await readJson(files.agent)) && (await livingAgent(files)) === undefined) await rm(files.agent, { force: true });
  const draft = `${files.agent}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid }));
  try {
    await link(draft, files.agent);
    return true;
  } catch {
    return false; // another one was first
  } finally {
    await rm(draft, { force: true });
  }
}

async function beat(): Promise<void> {
  const now = new Date();
  await utimes(files.beat, now, now).catch(() => writeFile(files.beat, ''));
}

/** Whether the folder still exists and this process is still its agent. */
const isMine = async (): Promise<boolean> => (await readJson(files.agent))?.pid === process.pid;

type Outcome = { exit_code: number | null; output: string };

function run(command: readonly string[]): Promise<Outcome> {
  const [program = '', ...words] = command;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const env = { PATH: process.argv[3] ?? '', HOME: files.work, HEARTH_RUNNER_PUBLISH: files.publish };
  const child = spawn(program, words, { cwd: files.work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (part: Buffer): void => {
    output = (output + part.toString('utf8')).slice(-keptOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => resolve({ exit_code: null, output: error.message }));
  child.on('close', (code) => resolve({ exit_code: code, output }));
  return promise;
}

async function workOff(): Promise<void> {
  const waiting = (await readdir(files.inbox)).filter((name) => name.endsWith('.json')).sort();
  for (const name of waiting) {
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
  await beat();
  setInterval(() => void beat().catch(() => undefined), beatEveryMs); // a folder that is gone is seen below
  while (await isMine()) {
    await workOff();
    await sleep(lookEveryMs);
  }
}

// The provider may take the folder away while the agent looks into it: then it is done.
await main().catch(async (error: unknown) => {
  if (await stat(folder).catch(() => undefined)) throw error;
});
process.exit(0);
