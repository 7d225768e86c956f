/**
 * Repeatedly kills the server without warning (`kill -9`) while it writes an archive. Then it checks whether the next server
 * serves or leaves behind a partial archive, and whether each migration ends with a complete archive or with a reason.
 *
 *     npx node bench/migrations/kills.ts [rounds]
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { fillIssues, killWhileExporting, makeRepository } from '#test/resources/platform/migrations/killing.ts';
import { startServing } from '../support/serving.ts';

const run = promisify(execFile);
const rounds = Number(process.argv[2] ?? 20);
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const folder = await mkdtemp(join(tmpdir(), 'hearth-kills-'));
const data = join(folder, 'data');
await mkdir(data);

const hearth = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [entry, ...args, '--data', data, '--log', 'silent'])).stdout.trim();

await hearth('user', 'create', 'ada');
const token = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet');
await makeRepository(join(folder, 'work'), () => randomBytes(5 * 1024 * 1024));
await hearth('import', join(folder, 'work'), 'ada/engine');
// Each command has stopped it at its end.
const embedded = await startEmbedded(data);
const database = openDatabase(embedded.address);
try {
  await fillIssues(database.db, 5_000);
  const { all, inside, exported, failed, problems } = await killWhileExporting(
    {
      db: database.db,
      archives: join(data, 'migrations'),
      aside: folder,
      token,
      repository: 'ada/engine',
      async start() {
        const { url, process: server } = await startServing(data);
        const ended = once(server, 'exit');
        return {
          url,
          async kill() {
            server.kill('SIGKILL');
            await ended;
          },
        };
      },
    },
    rounds,
  );
  process.stdout.write(
    `${[
      `${all} kills, ${inside} in mid-export: ${exported} exported, ${failed} failed, ${problems.length} problems`,
      ...problems,
    ].join('\n')}\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await database.close();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
