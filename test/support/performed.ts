import { existsSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join, relative } from 'node:path';
import { expect, inject } from 'vitest';
import { apiPrefix } from '#server/router.ts';
import { namedOperations, testOf } from '#test/conformance/named-effects.ts';
import { endpointOf } from './conformance.ts';

const root = join(import.meta.dirname, '../..');

/** The named operations by the files of their tests. A name may be a part, and has placeholders in the place of parameters. */
const byFile = Map.groupBy(
  namedOperations.map((one, index) => ({ ...one, ...testOf(one), index })),
  ({ file }) => file,
);
const isNamed = (name: string, current: string): boolean => {
  const parts = name.split(/%\w|\$[\w.]+/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(parts.join('.*')).test(current);
};

/** Records the operations that named tests perform at a server, for the end of the run: see `global-setup.ts`. */
export function recordPerformed(server: Server): void {
  server.on('request', (request, response) => {
    const { testPath = '', currentTestName = '' } = expect.getState();
    const own = request.method === 'GET' ? [] : (byFile.get(relative(root, testPath)) ?? []);
    if (own.length === 0) return;
    response.on('finish', () => {
      if (response.statusCode >= 300) return;
      const path = (request.url ?? '').replace(/\?.*$/, '').replace(apiPrefix, '');
      const id = endpointOf(request.method ?? '', path)?.id;
      for (const { what, name, index } of own) {
        const mark = join(inject('performedOperations'), String(index));
        if (what === id && isNamed(name, currentTestName) && !existsSync(mark)) writeFileSync(mark, '');
      }
    });
  });
}
