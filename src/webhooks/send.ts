import type { Secrets } from '#lib/secrets.ts';
import type { Outbound } from '#net/outbound.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { Taken } from './deliveries.ts';
import { type Encoded, encode, type Message } from './message.ts';
import { type Outcome, outcomeOfError, outcomeOfReply, unreadable } from './outcome.ts';
import { secretContext } from './secret-context.ts';
import { keptReply, sendWithin } from './settings.ts';

/** What sending needs of the process. */
export type SendServices = {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly vocabulary: Vocabulary;
  readonly version: string;
};

/** Sends one delivery. Whatever happens is an outcome. */
export async function send(taken: Taken, services: SendServices): Promise<{ headers: Record<string, string>; outcome: Outcome }> {
  const encoded = encodedOf(taken, services);
  if (!encoded) return { headers: {}, outcome: unreadable };
  const { headers, shown, body } = encoded;
  try {
    const received = await services.outbound.post({
      url: new URL(taken.url),
      headers,
      body,
      anyCertificate: taken.insecure_ssl,
      within: sendWithin,
      keep: keptReply,
    });
    return { headers: shown, outcome: outcomeOfReply(received) };
  } catch (error) {
    return { headers: shown, outcome: outcomeOfError(error) };
  }
}

/** Undefined where a secret can't be opened: it was sealed under another key. Nothing is sent unsigned then. */
function encodedOf(taken: Taken, services: SendServices): Encoded | undefined {
  try {
    return encode(messageOf(taken, services.secrets), services);
  } catch {
    return undefined;
  }
}

function messageOf(taken: Taken, secrets: Secrets): Message {
  const { guid, event, payload, username, secret_sealed, password_sealed } = taken;
  return {
    guid,
    event,
    payload,
    hook: { id: taken.hook_id, ...targetOf(taken), contentType: taken.content_type },
    secret: secret_sealed ? secrets.openText(secret_sealed, secretContext('secret', taken)) : undefined,
    credentials:
      username === null
        ? undefined
        : { username, password: password_sealed ? secrets.openText(password_sealed, secretContext('password', taken)) : '' },
  };
}

const targetOf = ({ organization_id, repository_id, app_id }: Taken): Pick<Message['hook'], 'target' | 'targetId'> => {
  if (organization_id !== null) return { target: 'organization', targetId: organization_id };
  if (repository_id !== null) return { target: 'repository', targetId: repository_id };
  return { target: 'integration', targetId: app_id ?? 0 };
};
