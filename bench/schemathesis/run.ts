/**
 * Sends the requests that Schemathesis (PyPI) generates from the OpenAPI document to a separate Hearth, with an owner's token,
 * and compares the replies with the document. `schemathesis.toml` lists the exclusions with their reasons.
 *
 *   node bench/schemathesis/run.ts [seconds, default 600] [service or github] [further arguments of schemathesis]
 *
 * The variable SCHEMATHESIS names the program, if it isn't in the PATH.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scopes } from '#access/scopes.ts';
import { presentCheckout, startServing } from '../support/serving.ts';

const execute = promisify(execFile);
const program = process.env.SCHEMATHESIS ?? 'schemathesis';
const [seconds = '600', vocabulary = 'service', ...more] = process.argv.slice(2);

const isThere = await execute(program, ['--version']).then(
  () => true,
  () => false,
);
if (!isThere) {
  console.log('Skipped: Schemathesis is not there (pip install schemathesis)');
  process.exit(0);
}

const folder = await mkdtemp(join(tmpdir(), 'hearth-schemathesis-'));
const data = join(folder, 'data');
const cli = async (...args: string[]): Promise<string> =>
  (await execute(join(presentCheckout, 'hearth'), [...args, '--data', data])).stdout.trim();

await cli('user', 'create', 'ada', '--site-admin', '--email', 'ada@example.com');
await cli('user', 'create', 'bob');
await cli('org', 'create', 'acme', '--owner', 'ada');
const scopeArgs = scopes.flatMap((scope) => ['--scope', scope]);
const token = await cli('token', 'create', '--user', 'ada', '--kind', 'classic', ...scopeArgs, '--quiet');
const server = await startServing(data, { env: { HEARTH_VOCABULARY: vocabulary, HEARTH_WEBHOOK_ALLOW: '127.0.0.0/8' } });
process.exitCode = 1;
try {
  await fill();
  const config = join(import.meta.dirname, 'schemathesis.toml');
  const args = ['--config-file', config, 'run', '--max-time', seconds, '--header', `Authorization: Bearer ${token}`, ...more];
  const run = spawn(program, [...args, `${server.url}/api/v3/openapi.json`], { cwd: folder, stdio: 'inherit' });
  const [code] = await once(run, 'exit');
  process.exitCode = Number(code);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Creates the resources for the parameters in `schemathesis.toml`. */
async function fill(): Promise<void> {
  const post = (path: string, body: object) => send('POST', path, body);
  await post('/orgs/acme/repos', { name: 'engine', description: 'A steam engine' });
  await send('PUT', '/repos/acme/engine/contents/README.md', { message: 'Begin', content: 'SGVsbG8K' });
  await post('/repos/acme/engine/labels', { name: 'kind/leak', color: 'ff0000' });
  await post('/repos/acme/engine/milestones', { title: 'First' });
  await post('/repos/acme/engine/issues', { title: 'The pump leaks', body: 'See #1', labels: ['kind/leak'], milestone: 1 });
  await post('/repos/acme/engine/issues/1/comments', { body: 'It does' });
  await post('/orgs/acme/hooks', { name: 'web', config: { url: 'http://127.0.0.1:9/' } });
  await post('/repos/acme/engine/hooks', { config: { url: 'http://127.0.0.1:9/' } });
}

async function send(method: string, path: string, body: object): Promise<void> {
  const reply = await fetch(`${server.url}/api/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${method} ${path} was answered ${reply.status}: ${await reply.text()}`);
  await reply.body?.cancel();
}
