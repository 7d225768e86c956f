// Addresses beside the pages at which there are bytes: files, archives, and changes as text.
import { compareRevisions, getCommit } from '#resources/code/commits/endpoints.ts';
import { getTarball, getZipball } from '#resources/code/contents/endpoints/archives.ts';
import { getRawFile } from '#resources/code/source-pages/endpoints/files.ts';
import { getPull } from '#resources/collaboration/pulls/endpoints/pulls.ts';
import { type PageRequest, type Read, read } from './page.ts';

/** An address at which an endpoint replies with bytes, or leads to them. Access is decided as for a page. */
export type ByteAddress = {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the types of an endpoint that replies with bytes aren't needed
  reads(request: PageRequest): Read<any, false>;
};

const texts = ['diff', 'patch'] as const;

export const byteAddresses: readonly ByteAddress[] = [
  { path: '/{owner}/{repo}/raw/{path*}', reads: () => read(getRawFile) },
  {
    path: '/{owner}/{repo}/archive/{path*}',
    reads({ words: { path = '' } }) {
      const [, ref = '', ending] = /^(.*)\.(zip|tar\.gz)$/s.exec(path) ?? [];
      return ending === 'zip' ? read(getZipball, { words: { ref } }) : read(getTarball, { words: { ref: ref || path } });
    },
  },
  ...texts.flatMap((media): ByteAddress[] => [
    { path: `/{owner}/{repo}/commit/{ref}.${media}`, reads: () => read(getCommit, { media }) },
    { path: `/{owner}/{repo}/compare/{basehead*}.${media}`, reads: () => read(compareRevisions, { media }) },
    { path: `/{owner}/{repo}/pull/{pull_number}.${media}`, reads: () => read(getPull, { media }) },
  ]),
];
