import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeCertificate } from '#test/support/certificate.ts';
import { installation, serve } from './support.ts';

const checkout = join(import.meta.dirname, '../..');

/** Runs the health check of the image, as a container engine does. */
async function checkHealth(variables: Record<string, string>): Promise<{ code: number; said: string }> {
  const written = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(await readFile(join(checkout, 'Dockerfile'), 'utf8'));
  const [, ...words]: string[] = JSON.parse(written?.[1] ?? '[]');
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: checkout, env: { PATH: process.env.PATH, ...variables } }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, said: out + err }),
    );
  });
}

test.each(['http', 'https'])('the health check of the image tells whether a server that speaks %s is ready', async (scheme) => {
  const { data: folder, env } = await installation();
  await makeCertificate(folder);
  const tls = { HEARTH_TLS_CERT: join(folder, 'cert.pem'), HEARTH_TLS_KEY: join(folder, 'key.pem') };
  const variables: Record<string, string> = scheme === 'https' ? tls : {};
  const server = await serve(folder, ['--host', '0.0.0.0', '--log', 'warn'], { ...env, ...variables });
  const asked = { ...variables, HEARTH_HOST: '0.0.0.0', HEARTH_PORT: new URL(server.url).port };
  expect(new URL(server.url).protocol).toBe(`${scheme}:`);
  expect(await checkHealth(asked)).toEqual({ code: 0, said: '' });
  await server.end();
  expect(await checkHealth(asked)).toEqual({ code: 1, said: expect.stringMatching(/^Hearth is not ready: .*ECONNREFUSED/) });
});
