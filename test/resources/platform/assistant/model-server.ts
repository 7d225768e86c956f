import type http from 'node:http';
import { type Received, receiver } from '#test/support/receiver.ts';

/** What a model writes of a pull request. */
export type Written = { summary?: unknown; comments?: unknown };

type Answer = (response: http.ServerResponse, request: Received) => void | Promise<void>;

/** A server like OpenAI's on loopback, whose answers tests choose. */
export async function modelServer() {
  const server = await receiver((response, request) => void self.answer(response, request));
  const self = {
    /** The root of its API. */
    url: `${server.url}/v1`,
    requests: server.requests,
    answer: writing({ summary: 'It adds a file.', comments: [] }) as Answer,
    /** What it was last sent. */
    lastPrompt: () => {
      const { messages } = JSON.parse(server.requests.at(-1)?.body ?? '{}');
      return JSON.parse(messages[1].content);
    },
  };
  return self;
}

/** A reply with this content. */
export const completion = (content: unknown, more: object = {}): string =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', ...more }],
    usage: { prompt_tokens: 1_900, completion_tokens: 100, total_tokens: 2_000 },
  });

/** Answers with a review. */
export const writing =
  (review: Written): Answer =>
  (response) => {
    response.end(completion(JSON.stringify(review)));
  };

/** Answers with a status and a body. */
export const answering =
  (status: number, body = ''): Answer =>
  (response) => {
    response.statusCode = status;
    response.end(body);
  };
