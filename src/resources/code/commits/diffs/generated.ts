// Files that programs write, which few people read: they are closed on pages.

const names = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'Cargo.lock',
  'composer.lock',
  'Gemfile.lock',
  'Pipfile.lock',
  'poetry.lock',
  'uv.lock',
  'go.sum',
  'flake.lock',
  'mix.lock',
  'Podfile.lock',
  'packages.lock.json',
  'gradle.lockfile',
]);

const endings = /(?:\.min\.(?:js|css)|\.(?:js|css)\.map|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.py|\.designer\.(?:cs|vb)|\.g\.dart)$/i;
const folders = /(?:^|\/)(?:node_modules|vendor|__generated__)\//;

/** Whether programs have written a file, by its path. */
export const isGenerated = (path: string): boolean =>
  names.has(path.slice(path.lastIndexOf('/') + 1)) || endings.test(path) || folders.test(path);
