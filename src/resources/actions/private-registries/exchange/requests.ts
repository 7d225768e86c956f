// Requests to clouds and registries that exchange an identity token for a credential.
import type { Outbound, OutboundReply } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';

/** Why an exchange failed. The message is shown to people who read the run. */
export class ExchangeProblem extends Error {}

type SentRequest = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: fields of a form, a value as JSON, or a text as it is. */
  readonly body: { readonly form: Readonly<Record<string, string>> } | { readonly json: unknown } | { readonly text: string };
};

/** Sends a request, and reads the text of a successful reply. @throws ExchangeProblem for any other */
export type Send = (request: SentRequest) => Promise<string>;

type Options = {
  readonly outbound: Pick<Outbound, 'post' | 'refuses'>;
  /** Milliseconds for all requests of an exchange together. */
  readonly timeout: number;
  /** The maximum number of bytes of a reply. */
  readonly maxBytes: number;
};

/** A sender whose requests share a time limit. */
export function openSender({ outbound, timeout, maxBytes }: Options): Send {
  const until = performance.now() + timeout;
  return async ({ url: address, headers = {}, body }) => {
    const refusal = outbound.refuses(address);
    const url = URL.parse(address);
    if (refusal !== undefined || !url) throw new ExchangeProblem(`${url?.host ?? 'its address'} ${refusal ?? 'is not a URL'}`);
    // Headers may contain what an earlier reply said.
    if (Object.values(headers).some((value) => !/^[\x20-\x7e]*$/.test(value)))
      throw new ExchangeProblem(`a token for ${url.host} contains unknown characters`);
    const left = Math.max(1, until - performance.now());
    const content = contentOf(body);
    const reply = await outbound
      .post({
        url,
        headers: { accept: 'application/json', ...content.headers, ...headers },
        body: Buffer.from(content.text),
        timeout: left,
        maxBytes,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new ExchangeProblem(`${url.host} can't be reached: ${error.message}`);
      });
    return readText(url, reply, maxBytes);
  };
}

function contentOf(body: SentRequest['body']): { text: string; headers: Record<string, string> } {
  if ('text' in body) return { text: body.text, headers: {} };
  if ('json' in body) return { text: JSON.stringify(body.json), headers: { 'content-type': 'application/json' } };
  return {
    text: new URLSearchParams(body.form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}

function readText({ host }: URL, { status, body }: OutboundReply, maxBytes: number): string {
  const text = body.toString('utf8');
  if (status !== 200 && status !== 201) throw new ExchangeProblem(`${host} answered ${status}${detailOf(text)}`);
  if (body.length >= maxBytes) throw new ExchangeProblem(`${host} answered more than ${maxBytes} bytes`);
  return text;
}

/** A required text of a reply in JSON, by the names that lead to it. @throws ExchangeProblem */
export function requiredText(reply: string, ...path: readonly (string | number)[]): string {
  const found = findText(reply, ...path);
  if (found === undefined || found === '') throw new ExchangeProblem(`the reply has no ${path.join('.')}`);
  return found;
}

/** An optional text of a reply in JSON. */
export function findText(reply: string, ...path: readonly (string | number)[]): string | undefined {
  let value = parsed(reply);
  for (const name of path) value = memberOf(value, name);
  return typeof value === 'string' ? value : undefined;
}

const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const longestDetail = 300;
/** The fields in which services explain an error. */
const detailPaths = [['error_description'], ['error', 'message'], ['message'], ['detail'], ['errors', 0, 'message'], ['error']];

/** What a service says of its refusal. Long words may be tokens, which are left out. */
function detailOf(reply: string): string {
  const found =
    detailPaths.map((path) => findText(reply, ...path)).find((text) => text) ?? /<Message>([^<]*)<\/Message>/.exec(reply)?.[1];
  if (!found) return '';
  const words = found.slice(0, 10 * longestDetail).replaceAll(/[^\p{L}\p{N}\p{P}\p{S}]+/gu, ' ');
  return `: ${words
    .replaceAll(/\S{100,}/g, '***')
    .trim()
    .slice(0, longestDetail)}`;
}
