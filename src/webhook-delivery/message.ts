import { createHmac } from 'node:crypto';
import { emitHeader, emitUserAgent } from '#vocabulary/headers.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

const targetTypes = ['organization', 'repository', 'integration'] as const;
type TargetType = (typeof targetTypes)[number];

/** The content of a delivery, before it is encoded. */
export type Message = {
  guid: string;
  event: string;
  /** The JSON text. */
  payload: string;
  hook: { id: number; target: TargetType; targetId: number; contentType: 'json' | 'form' };
  secret: string | undefined;
  credentials: { username: string; password: string } | undefined;
};

export type EncodedRequest = {
  headers: Record<string, string>;
  /** The headers that are stored and shown, without the credentials. */
  storedHeaders: Record<string, string>;
  body: Buffer;
};

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/**
 * Encodes the HTTP request of a delivery (document 2, webhook deliveries, rule 4). Signatures are computed from the exact bytes
 * of the body.
 */
export function encode(message: Message, { vocabulary, version }: { vocabulary: Vocabulary; version: string }): EncodedRequest {
  const { hook, payload, secret, credentials } = message;
  const body = Buffer.from(hook.contentType === 'json' ? payload : new URLSearchParams({ payload }).toString());
  const headerName = (name: string): string => emitHeader(vocabulary, name);
  const storedHeaders: Record<string, string> = {
    Accept: '*/*',
    'Content-Type': contentTypes[hook.contentType],
    'User-Agent': emitUserAgent(vocabulary, version),
    [headerName('X-Service-Delivery')]: message.guid,
    [headerName('X-Service-Event')]: message.event,
    [headerName('X-Service-Hook-ID')]: String(hook.id),
    [headerName('X-Service-Hook-Installation-Target-ID')]: String(hook.targetId),
    [headerName('X-Service-Hook-Installation-Target-Type')]: hook.target,
    ...(secret === undefined ? {} : signatures(secret, body)),
  };
  return { headers: { ...storedHeaders, ...(credentials ? { Authorization: basic(credentials) } : {}) }, storedHeaders, body };
}

const signatures = (secret: string, body: Buffer) => ({
  'X-Hub-Signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
  'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
