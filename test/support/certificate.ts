import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A certificate for this machine, as `key.pem` and `cert.pem` in a folder. Clients can trust it from there. */
export async function makeCertificate(folder: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  await execute('openssl', [
    'req',
    '-x509',
    ...curve,
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    names,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}
