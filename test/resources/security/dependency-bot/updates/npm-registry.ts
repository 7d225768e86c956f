// A registry of npm packages on this machine, for tests.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
};

type Request = { readonly path: string; readonly authorization: string | undefined };

export type Registry = AsyncDisposable & { readonly url: string; readonly requests: Request[] };

/** Serves packages. `published` gives their times; without one, a version is old. */
export async function npmRegistry(
  manifests: readonly Manifest[],
  {
    published = {},
    latest = {},
  }: { published?: Readonly<Record<string, string>>; latest?: Readonly<Record<string, string>> } = {},
): Promise<Registry> {
  const requests: Request[] = [];
  const tarballs = new Map<string, Buffer>();
  for (const manifest of manifests) tarballs.set(fileOf(manifest), await tarballOf(manifest));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push({ path, authorization: request.headers.authorization });
    const tarball = tarballs.get(path);
    if (tarball) return response.end(tarball);
    const own = manifests.filter(({ name }) => path === `/${name}`);
    if (own.length === 0) return response.writeHead(404).end('{}');
    const last = own.at(-1)?.version ?? '';
    const name = path.slice(1);
    return response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        name,
        'dist-tags': { latest: latest[name] ?? last },
        time: Object.fromEntries(
          own.map(({ version }) => [version, published[`${name}@${version}`] ?? '2020-01-01T00:00:00.000Z']),
        ),
        versions: Object.fromEntries(
          own.map((manifest) => [
            manifest.version,
            {
              ...manifest,
              ...(manifest.scripts?.install ? { hasInstallScript: true } : {}),
              dist: {
                tarball: `${urlOf(server)}${fileOf(manifest)}`,
                integrity: integrityOf(tarballs.get(fileOf(manifest)) ?? Buffer.of()),
              },
            },
          ]),
        ),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: urlOf(server),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const urlOf = (server: { address(): unknown }): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const fileOf = ({ name, version }: Manifest): string => `/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
const integrityOf = (data: Buffer): string => `sha512-${createHash('sha512').update(data).digest('base64')}`;

async function tarballOf(manifest: Manifest): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'package/package.json' }, JSON.stringify(manifest));
  for (const name of manifest.bundleDependencies ?? [])
    tar.entry(
      { name: `package/node_modules/${name}/package.json` },
      JSON.stringify({ name, version: '1.0.0', scripts: manifest.scripts }),
    );
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}
