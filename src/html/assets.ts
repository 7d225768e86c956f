// The styles and scripts of pages: read at the first use, with addresses that change with their content.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A file that pages load, in each encoding. */
type Asset = {
  readonly type: string;
  readonly bytes: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
  /** Whether its address has a digest of its content, so that it never changes. */
  readonly isFixed: boolean;
};

const folder = import.meta.dirname;

export const assetPrefix = '/_assets/';

type Assets = { readonly files: ReadonlyMap<string, Asset>; readonly style: string; readonly script: string };

let loaded: Assets | undefined;

/** All files are small, so that they are kept in memory. */
function assets(): Assets {
  loaded ??= load();
  return loaded;
}

function load(): Assets {
  const files = new Map<string, Asset>();
  const add = (name: string, bytes: Buffer, type: string, isFixed = true): string => {
    const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
    const named = isFixed ? name.replace(/\.(?=\w+$)/, `.${digest}.`) : name;
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    files.set(named, { type, bytes, brotli, gzip: gzipSync(bytes), isFixed });
    return assetPrefix + named;
  };
  const style = add('style.css', joinedFiles('styles', '.css'), 'text/css; charset=utf-8');
  const script = add('script.js', joinedFiles('scripts', '.js'), 'text/javascript; charset=utf-8');
  add('icon.svg', readFileSync(join(folder, 'icon.svg')), 'image/svg+xml', false);
  return { files, style, script };
}

/** The files of a folder, in the order of their names. Each script is a block, so that its names are its own. */
function joinedFiles(name: string, extension: string): Buffer {
  const names = readdirSync(join(folder, name)).filter((file) => file.endsWith(extension));
  const texts = names.toSorted().map((file) => readFileSync(join(folder, name, file), 'utf8'));
  if (extension === '.css') return Buffer.from(texts.map(withoutComments).join(''));
  return Buffer.from(texts.map((text) => `{\n${text}}\n`).join('\n'));
}

/** A style sheet without comments, indentation and empty lines. */
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\n[ \n]*/g, '\n');

/** The file at an address below `assetPrefix`. */
export const findAsset = (name: string): Asset | undefined => assets().files.get(name);

export const styleAddress = (): string => assets().style;
export const scriptAddress = (): string => assets().script;
