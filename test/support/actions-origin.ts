import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GitRepository } from '#git/repo.ts';
import { answerGit } from '#test/git/support.ts';
import { atEndOfFile } from './end-of-file.ts';

type Asked = { method: string; path: string; headers: IncomingHttpHeaders };

/** A server on loopback that provides actions. Closed after the last test of the file. */
export type ActionsOrigin = {
  url: string;
  requests: Asked[];
  /** Its public repositories, by `owner/name`. */
  repos: Map<string, GitRepository>;
  /** Replies instead of Git, if set. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
};

export async function startActionsOrigin(): Promise<ActionsOrigin> {
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    self.requests.push({ method, path, headers });
    if (self.answer) return self.answer(request, response);
    const [, name = ''] = /^\/([^/]+\/[^/]+)\/(?:info\/refs\?service=)?git-upload-pack$/.exec(path) ?? [];
    const repo = self.repos.get(name);
    if (!repo) return void response.writeHead(404).end('nothing here');
    answerGit(repo, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: ActionsOrigin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    repos: new Map(),
    answer: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  atEndOfFile(self.close);
  return self;
}
