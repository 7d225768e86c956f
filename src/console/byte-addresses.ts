// Addresses beside the pages at which there are bytes: files and archives.
import { sendTarball, sendZipball } from '#resources/code/contents/endpoints/archives-of-pages.ts';
import { getRawFile } from '#resources/code/source-pages/endpoints/files.ts';
import { type PageRequest, type Read, read } from './page.ts';

/** An address at which an endpoint replies with bytes, or leads to them. Access is decided as for a page. */
export type ByteAddress = {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the types of an endpoint that replies with bytes aren't needed
  reads(request: PageRequest): Read<any, false>;
};

export const byteAddresses: readonly ByteAddress[] = [
  { path: '/{owner}/{repo}/raw/{path*}', reads: () => read(getRawFile) },
  {
    path: '/{owner}/{repo}/archive/{path*}',
    reads({ words: { path = '' } }) {
      const [, ref = '', ending] = /^(.*)\.(zip|tar\.gz)$/s.exec(path) ?? [];
      return ending === 'zip' ? read(sendZipball, { words: { ref } }) : read(sendTarball, { words: { ref: ref || path } });
    },
  },
];
