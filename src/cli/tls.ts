import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { StartupError } from '#lib/startup-error.ts';
import type { Config } from './settings.ts';

/** Reads the certificate and key of the settings, and checks that they match; undefined without TLS. @throws StartupError */
export async function readTls({ tlsCert, tlsKey }: Config): Promise<{ cert: string; key: string } | undefined> {
  if (!tlsCert && !tlsKey) return undefined;
  if (!tlsCert || !tlsKey) throw new StartupError('--tls-cert and --tls-key go together');
  const [cert, key] = await Promise.all([readPem(tlsCert), readPem(tlsKey)]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new StartupError(
      `The certificate ${tlsCert} and the key ${tlsKey} can't be used: ${error instanceof Error ? error.message : error}`,
    );
  }
  return { cert, key };
}

const readPem = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new StartupError(`${file} can't be read`);
  });
