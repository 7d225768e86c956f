// An index of Python packages on this machine, for tests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Release = {
  readonly version: string;
  readonly yanked?: boolean | string;
  readonly python?: string;
  readonly time?: string;
  readonly hashes?: readonly string[];
};

/** A package index on this machine. Its packages by their normalized names; `form` is how it answers. */
export async function packageIndex(packages: Readonly<Record<string, readonly Release[]>>, form: 'json' | 'html' = 'json') {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const [, name = ''] = /^\/simple\/([^/]+)\/$/.exec(request.url ?? '') ?? [];
    const releases = packages[name];
    if (!releases) return response.writeHead(404).end();
    const files = releases.flatMap(({ version, yanked = false, python, time, hashes = [hash(version)] }) =>
      hashes.map((sha256, at) => ({
        filename:
          at === 0
            ? `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`
            : `${name.replaceAll('-', '_')}-${version}.tar.gz`,
        url: `file-${at}`,
        hashes: { sha256 },
        yanked,
        ...(python ? { 'requires-python': python } : {}),
        ...(time ? { 'upload-time': time } : {}),
      })),
    );
    if (form === 'json') {
      response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json');
      return response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files }));
    }
    const anchors = files.map(
      (file) => `<a href="${file.url}#sha256=${file.hashes.sha256}"${file.yanked ? ' data-yanked=""' : ''}>${file.filename}</a>`,
    );
    return response.setHeader('content-type', 'text/html').end(`<html><body>${anchors.join('<br>')}</body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/simple`,
    withUser: `http://user:secret@127.0.0.1:${port}/simple`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const hash = (version: string): string => Buffer.from(version.padEnd(32, '.')).toString('hex');
