import { expect } from 'vitest';
import type { Vocabulary } from '#vocabulary/words.ts';
import { replyProblems } from './conformance.ts';

/** A reply. The body is any JSON, which each test compares with its expectation. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies by name, and an absent name is a failed expectation
export type Answer = { status: number; headers: Record<string, string>; body: any; text: string };

type Options = { headers?: Record<string, string> };

export type Client = {
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, body?: unknown, options?: Options): Promise<Answer>;
  put(path: string, body?: unknown, options?: Options): Promise<Answer>;
  patch(path: string, body?: unknown, options?: Options): Promise<Answer>;
  delete(path: string, body?: unknown, options?: Options): Promise<Answer>;
};

/** A client of the API at `url`, with or without a token. Every reply is checked against the endpoint's declaration. */
export function clientOf(url: string, token: string | undefined, vocabulary: Vocabulary = 'service'): Client {
  const call = async (method: string, path: string, body: unknown, { headers = {} }: Options = {}): Promise<Answer> => {
    const response = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: parsed(response, text), text };
    expect(replyProblems(method, path.replace(/\?.*$/, ''), answer, vocabulary), `${method} ${path} answers as declared`).toEqual(
      [],
    );
    return answer;
  };
  return {
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body = {}, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    patch: (path, body = {}, options) => call('PATCH', path, body, options),
    delete: (path, body, options) => call('DELETE', path, body, options),
  };
}

const parsed = (response: Response, text: string): unknown =>
  (response.headers.get('content-type') ?? '').startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined;
